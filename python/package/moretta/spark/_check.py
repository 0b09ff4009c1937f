# pyright: reportMissingImports=false
"""Checking a table on a cluster: its rows are counted there, and the library judges the counts."""

from __future__ import annotations

import json
import os
import tempfile
from typing import TYPE_CHECKING, Any

from .. import _moretta as native
from .._call import Progress, Rest
from .._calls import PolicyLike
from .._errors import Bug, Refused, WrongInput
from ..policy import Policy, Roles, chosen
from ..results import Levels, Verification
from . import _files, _prove
from ._count import check_weights, column, covering, distinct, free_name, settled, source
from ._session import Work, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from typing_extensions import Unpack

    from ._count import SparkTable


def check(
    data: SparkTable,
    policy: PolicyLike = None,
    *,
    spark: SparkSession | None = None,
    scratch: str | os.PathLike[str] | None = None,
    region_limit: int = 5_000_000,
    rest: Rest = "raise",
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    **parts: Unpack[Roles],
) -> Levels | Verification:
    """All levels that a table reaches which any tool has anonymized, counted on a cluster: `moretta.check`.

    The folder of a release that was published here is verified: the hashes of its parts, its rows, and every promise that its files can
    prove. ``scratch`` is a folder that driver and executors share, for counts; the system's own for temporary files if nothing is stated.
    """
    work = Work(session(spark), progress, cancel)
    home = release_folder(data)
    with tempfile.TemporaryDirectory(prefix="moretta-", dir=scratch) as inside:
        if home is not None:
            if policy is not None or parts:
                raise WrongInput("a release says itself what it promises: leave the policy out")
            _, proof = recounted(work, home, inside, region_limit)
            return Verification.of(dict(proof.verification), True)
        return _levels(work, data, chosen(policy, parts), rest, inside, (region_limit, threads))


def _levels(work: Work, data: SparkTable, policy: Policy, rest: Rest, scratch: str, options: tuple[int, int]) -> Levels:
    from pyspark.sql import functions as F  # noqa: N812

    limit, threads = options
    frame, files = source(work, data)
    stated = policy.covering(frame.columns, rest)
    covering(stated, frame.columns)
    roles = stated.roles
    lost = [name for name, role in roles.items() if role in ("person", "unclassified")]
    if lost:
        raise WrongInput(
            f"counts tell nothing of the {roles[lost[0]]} column {lost[0]!r}: drop it, or check on one machine",
            code="role-unsupported",
        )
    keys = [name for name, role in roles.items() if role in ("quasi", "sensitive", "group")]
    weights = [name for name, role in roles.items() if role == "weight"]
    name = weights[0] if weights else free_name("people", frame.columns)
    frame = frame.select(*map(column, [*keys, *weights]))
    if files is None:
        frame, files, expected = settled(work, frame, os.path.join(scratch, "rows"))
    else:
        with work.stage("looking at footers"):
            expected = _files.footer_rows(work, files)
    if weights:
        check_weights(work, frame, name)
    people = F.sum(column(name)) if weights else F.count(F.lit(1))
    folder = os.path.join(scratch, "cells")
    rows_name = free_name("rows", [*frame.columns, name])
    with work.stage("counting"):
        counted = frame.groupBy(*map(column, keys)).agg(
            people.cast("bigint").alias(name), F.count(F.lit(1)).alias(rows_name)
        )
        work.run(lambda: counted.write.parquet(folder))
        rows = work.run(lambda: work.spark.read.parquet(folder).agg(F.sum(column(rows_name))).collect())[0][0] or 0
    if rows != expected:
        raise Bug(f"{rows:,} rows were counted of {expected:,}: the cluster lost some or counted some twice")
    cells = _files.footer_rows(work, _files.parts_in(folder))
    if cells > limit:
        raise Refused(f"the table has {cells:,} different rows, and the driver may hold {limit:,}: raise region_limit")
    table = _files.read_back(folder).select([*keys, name])
    distinct(table, keys)
    with work.stage("judging"):
        text = native.levels(
            native.Frame.from_arrow(table), _counted(stated, keys, name)._native, work.call(None, threads)
        )
    return Levels.of(json.loads(text))


def _counted(policy: Policy, keys: list[str], count: str) -> Policy:
    tree = policy.to_dict()
    attributes: dict[str, Any] = {name: tree["attributes"][name] for name in keys}
    attributes[count] = {"role": "weight"}
    kept: dict[str, Any] = {key: tree[key] for key in ("data", "require", "method") if key in tree}
    return Policy.from_dict({**kept, "attributes": attributes}, folder=policy._folder)


def release_folder(data: object) -> str | None:
    """The folder with the manifest of a release, if that is what was passed."""
    if not isinstance(data, (str, os.PathLike)):
        return None
    path = _files.local(os.fspath(data))
    for folder in (path, None if path is None else os.path.join(path, "release")):
        if folder is not None and os.path.isfile(os.path.join(folder, "manifest.json")):
            return os.path.abspath(folder)
    return None


def recounted(work: Work, home: str, scratch: str, limit: int) -> tuple[dict[str, Any], _prove.Proof]:
    """The manifest of a release in counted form, and what its files show."""
    with open(os.path.join(home, "manifest.json"), encoding="utf-8") as file:
        manifest: dict[str, Any] = json.load(file)
    tables = manifest["tables"]
    if len(tables) != 1 or tables[0]["format"] != "parquet":
        raise WrongInput("a cluster verifies releases whose one table is Parquet: check this one with moretta.check")
    table = tables[0]
    place = os.path.join(home, table["file"])
    parts = table.get("parts") or [{**table, "file": ""}]
    paths = {os.path.join(place, part["file"]) if part["file"] else place: part for part in parts}
    if table.get("parts"):
        strangers = set(os.listdir(place)) - {part["file"] for part in parts}
        if strangers:
            raise Refused(f"{place} holds {min(strangers)!r}, which the manifest does not name", code="release-damaged")
    with work.stage("looking at the files"):
        found = _files.prints(work, list(paths))
    for path, part in paths.items():
        if found[path] != (path, part["rows"], part["bytes"], part["sha256"]):
            raise Refused(f"{path} is not the file that was published", code="release-damaged")
    weights = [one["name"] for one in manifest["columns"] if one["role"] == "weight"]
    names = [one["name"] for one in manifest["columns"]]
    name = weights[0] if weights else free_name("people", names)
    if not weights:
        manifest["columns"].append({"name": name, "role": "weight", "type": "integer", "values": {"meaning": "exact"}})
    manifest["schema"] = min(manifest["schema"], 4)
    with work.stage("counting"):
        counts = _prove.recount(work, manifest, list(paths), weights[0] if weights else None, name, scratch)
    with work.stage("judging"):
        return manifest, _prove.prove(work, manifest, None, counts, scratch, limit)
