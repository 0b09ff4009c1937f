# pyright: reportMissingImports=false
"""Publishing: count, plan, write, prove, and only then a folder."""

from __future__ import annotations

import json
import os
import secrets
from typing import TYPE_CHECKING, Any

from .. import _call
from .. import _moretta as native
from .._call import Progress, Rest, Seed
from .._calls import PolicyLike
from .._errors import Bug
from .._frames import Kind
from ..policy import Policy, Roles, chosen
from ..release import Release
from . import _files, _prove, _regions, _write
from ._count import Cells, count, source
from ._session import Work, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from typing_extensions import Unpack

    from ._count import SparkTable


_AWAY = 1.0  # seconds after which no stopped task writes any more


def publish(
    data: SparkTable,
    policy: PolicyLike = None,
    *,
    out: str | os.PathLike[str],
    spark: SparkSession | None = None,
    region_limit: int = 5_000_000,
    rows_per_part: int = 2_000_000,
    rest: Rest = "raise",
    seed: Seed | None = None,
    replace: bool = False,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    **parts: Unpack[Roles],
) -> Release:
    """Makes a release of a table on a cluster, in a folder that driver and executors share, and proves its promise from its files.

    The table is Parquet files, by their paths, or a frame; a frame is written into files first, since Spark may compute another one whenever
    it is asked. The cluster counts who has which combination of quasi-identifiers and sensitive values. Up to ``region_limit`` combinations
    are planned on the driver, and the release has the same rows as `moretta.publish` makes of the same people with the same seed. More are
    planned in regions, each of which keeps the promise by itself.

    What is published, and what is promised, is said as for `moretta.publish`. Promises that need single rows are refused by name: counts
    do not tell them.
    """
    folder = _files.folder_for(out)
    work = Work(session(spark), progress, cancel)
    stated = chosen(policy, parts, "least-loss")
    stated = stated.covering(source(work, data)[0].columns, rest)
    place = native.PartsFolder(folder, replace)
    try:
        release = _made(work, data, stated, place, (region_limit, rows_per_part, seed, threads))
    except BaseException:
        place.give_up()
        # A task that is being stopped makes the folders anew into which it writes.
        _files.remove(os.fspath(place.path), _AWAY)
        raise
    for warning in release.report.warnings if release.report is not None else ():
        _call.logger.warning(warning)
    return release


def _made(
    work: Work, data: SparkTable, policy: Policy, place: native.PartsFolder, options: tuple[int, int, Seed | None, int]
) -> Release:
    region_limit, rows_per_part, seed, threads = options
    stage = os.fspath(place.path)
    scratch = os.path.join(stage, "scratch")
    os.mkdir(scratch, 0o700)
    cells = count(work, data, policy, scratch)
    call = work.call(hex(secrets.randbits(128)) if seed is None else seed, threads)
    if cells.cells <= region_limit:
        made = _planned(work, cells, policy, call)
        manifest = json.loads(made.manifest())
        with work.stage("writing"):
            rows = _regions.arrow(dict(made.tables(call))["data"])
            count_column = None if cells.weighted else cells.count
            written = _write.from_driver(work, rows, count_column, stage, rows_per_part)
        report: dict[str, Any] = json.loads(made.report or "{}")
    else:
        spelled = _call._spelled(seed) if seed is not None else None
        planned = _regions.plan(work, cells, policy, spelled or hex(secrets.randbits(128)), region_limit, scratch)
        made, manifest, rows = None, planned.manifest, None
        with work.stage("writing"):
            written = _regions.write(work, planned, cells, stage, rows_per_part)
        report = planned.report(policy, cells)
        _keep_private(stage, policy, planned.seed)
    if not cells.weighted and sum(part[1] for part in written) + manifest["suppressed"] != cells_kept(report):
        raise Bug("the rows that were written and those that were left out are not all people; nothing was published")
    with work.stage("proving"):
        _write.check_written(work, stage, written)
        paths = [os.path.join(stage, "release", _write.TABLE, part[0]) for part in written]
        weight = cells.count if cells.weighted else None
        recounted = _prove.recount(work, manifest, paths, weight, cells.count, scratch)
        original = _original(cells, policy, call) if made is not None and _needs_original(made, call) else None
        proof = _prove.prove(work, manifest, original, recounted, scratch, region_limit)
        if rows is not None and proof.rows is not None:
            _prove.same_rows(rows, proof.rows, cells.count)
    report = _reported(work, report, proof, cells)
    _files.remove(scratch)
    if sorted(os.listdir(stage)) != ["private", "release"]:
        raise Bug("something stands beside the release that is no part of it; nothing was published")
    work.check()
    text = json.dumps(report, indent=2, ensure_ascii=False)
    with open(os.path.join(stage, "private", "report.json"), "w", encoding="utf-8") as file:
        file.write(text + "\n")
    counted = json.dumps({**manifest, "groups": proof.groups})
    column = None if cells.weighted else cells.count
    done = place.commit(counted, column, written, made, text, work.call())
    return Release(done, Kind("arrow"), policy)


def cells_kept(report: dict[str, Any]) -> int:
    """The people whom the rule for missing values has left."""
    kept: int = report["rows_in"]
    return kept


def _planned(work: Work, cells: Cells, policy: Policy, call: native.Call) -> native.Release:
    with work.stage("planning"):
        frame = native.Frame.from_arrow(cells.table())
        return native.Counted.read(frame, cells.count, policy._native, call).publish(call)


def _needs_original(made: native.Release, call: native.Call) -> bool:
    text, _ = native.verify(made, None, call)
    return bool(json.loads(text)["unproved"])


def _original(cells: Cells, policy: Policy, call: native.Call) -> native.Table:
    frame = native.Frame.from_arrow(cells.table())
    return native.Counted.read(frame, cells.count, policy._native, call).table(call)


def _reported(work: Work, report: dict[str, Any], proof: _prove.Proof, cells: Cells) -> dict[str, Any]:
    """The report with what the cluster found: rows that were left out, promises as the files keep them, seconds by stage."""
    report["guarantees"] = proof.verification["guarantees"]
    report["groups"] = proof.groups
    left_out = dict.fromkeys(report.get("left_out", {}), 0)
    report["left_out"] = {**left_out, "missing": cells.people - report["rows_in"]}
    report["cells"] = cells.cells
    report["seconds"] = {name: round(seconds, 3) for name, seconds in work.seconds.items()}
    return report


def _keep_private(stage: str, policy: Policy, seed: str) -> None:
    """What a single machine leaves with the steward, too; the library closes these files."""
    for name, text in (("policy.toml", policy.to_toml()), ("seed.txt", f"{seed}\n")):
        descriptor = os.open(os.path.join(stage, "private", name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
