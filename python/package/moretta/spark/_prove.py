# pyright: reportMissingImports=false
"""Proving from the files that were written: they are counted on the cluster, and the library judges the counts as it judges a release."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _moretta as native
from .._errors import Bug, Refused
from . import _files
from ._count import column, distinct, free_name
from ._session import Work

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

LOCAL = frozenset(
    {
        "k-anonymity",
        "distinct-l-diversity",
        "entropy-l-diversity",
        "probabilistic-l-diversity",
        "recursive-l-diversity",
        "p-sensitive",
        "p-plus-sensitive",
        "alpha-k-anonymity",
        "p-alpha-sensitive",
    }
)
"""Models that ask of each group by itself, whatever the whole table is: groups can be judged apart from each other."""


@dataclass(frozen=True)
class Proof:
    """What the files show."""

    release: native.Release | None
    """The release in counted form, as it was counted from the files; ``None`` where these counts are too many for the driver."""
    verification: Mapping[str, Any]
    groups: int
    rows: pa.Table | None = None
    """The rows that were counted, where the driver has them."""


def same_rows(planned: pa.Table, written: pa.Table, count: str) -> None:
    """Stops where other rows were written than were planned, though as many."""
    import pyarrow as pa
    import pyarrow.compute as pc

    keys = [name for name in planned.column_names if name != count]
    texts = [(name, pa.string()) for name in keys]
    schema = pa.schema([*texts, (count, pa.int64())])
    planned, written = (table.select(schema.names).cast(schema) for table in (planned, written))
    negated = written.set_column(len(keys), schema.field(count), pc.negate(written.column(count)))
    found = pa.concat_tables([planned, negated]).group_by(keys).aggregate([(count, "sum")])
    if pc.any(pc.not_equal(found.column(f"{count}_sum"), 0)).as_py():
        raise Bug("the files hold other rows than those that were planned; nothing was published")


def weight_of(manifest: Mapping[str, Any]) -> str:
    """The column with the people of a release in counted form."""
    names = [one["name"] for one in manifest["columns"] if one["role"] == "weight"]
    if len(names) != 1:
        raise Bug("a release in counted form has one column of people")
    name: str = names[0]
    return name


def recount(
    work: Work, manifest: Mapping[str, Any], paths: Sequence[str], weight: str | None, name: str, scratch: str
) -> tuple[DataFrame, int]:
    """Counts the rows of files that are equal: a frame, and its rows.

    Where the manifest counts groups as they first occur in the data, each row also has the place where it first stands.
    """
    from pyspark.sql import functions as F  # noqa: N812

    written = work.spark.read.parquet(*paths)
    keys = [column for column in written.columns if column != weight]
    people = F.count(F.lit(1)) if weight is None else F.sum(column(weight))
    found = [people.cast("bigint").alias(name)]
    if "partition" in manifest:
        place = free_name("place", [*written.columns, name])
        written = written.withColumn(place, F.struct("_metadata.file_name", "_metadata.row_index"))
        found.append(F.min(place).alias(place))
    folder = os.path.join(scratch, "recounted")
    work.run(lambda: written.groupBy(*map(column, keys)).agg(*found).write.parquet(folder))
    rows = _files.footer_rows(work, _files.parts_in(folder))
    return work.spark.read.parquet(folder), rows


def on_driver(scratch: str, name: str, names: Sequence[str]) -> pa.Table:
    """The counts of `recount` with the columns of the release: in the order of the files where that is known, else in one of their own."""
    table = _files.read_back(os.path.join(scratch, "recounted"))
    keys = [column for column in names if column != name]
    distinct(table.select([*keys, name]), keys)
    place = next((column for column in table.column_names if column not in names), None)
    by = [f"{place}.file_name", f"{place}.row_index"] if place is not None else keys
    return table.flatten().sort_by([(column, "ascending") for column in by]).select(list(names))


def counted_release(manifest: Mapping[str, Any], table: pa.Table, **stated: int) -> native.Release:
    """A release in counted form of rows that were counted; what is stated of it replaces what its manifest says."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    pq.write_table(table, sink)
    content: bytes = sink.getvalue().to_pybytes()
    own = manifest["tables"][0]
    digest = hashlib.sha256(content).hexdigest()
    file = {key: own[key] for key in ("name", "file", "format")}
    file |= {"rows": table.num_rows, "bytes": len(content), "sha256": digest}
    whole = {**manifest, **stated, "tables": [file]}
    return native.release_of_files([("manifest.json", json.dumps(whole).encode()), (own["file"], content)])


def prove(
    work: Work,
    manifest: Mapping[str, Any],
    original: native.Table | None,
    recounted: tuple[DataFrame, int],
    scratch: str,
    limit: int,
) -> Proof:
    """Judges every promise by the counts of the files; one that does not hold, or can't be judged, stops everything."""
    name = weight_of(manifest)
    frame, rows = recounted
    names = [one for one in frame.columns if one in _shown(manifest, frame.columns)]
    quasi = [one for one in names if one != name and not _is_sensitive(manifest, one)]
    models = [one["model"] for one in manifest["guarantees"]]
    if rows <= limit:
        table = on_driver(scratch, name, names)
        groups = table.select(quasi).group_by(quasi).aggregate([]).num_rows
        stated = {} if manifest["groups"] else {"groups": groups}
        release = counted_release(manifest, table, **stated)
        text, holds = native.verify(release, None, work.call())
        found = json.loads(text)
        if found["unproved"] and original is not None:
            text, holds = native.verify(release, original, work.call())
            found = json.loads(text)
        _demand(found, holds)
        return Proof(release, found, groups, table)
    beyond = [model for model in models if model not in LOCAL]
    if beyond:
        raise Refused(
            f"{rows:,} different rows were published, more than the {limit:,} that one machine may hold, and {beyond[0]} can't be judged "
            "in pieces: it compares every group with the whole. Raise region_limit, or require other models"
        )
    return _in_pieces(work, frame, manifest, (name, names, quasi), rows, limit)


def _shown(manifest: Mapping[str, Any], columns: Sequence[str]) -> list[str]:
    bounds: list[str] = []
    for one in manifest["columns"]:
        bounds += [value for value in (one.get("bounds") or {}).values() if isinstance(value, str)]
    return [one for one in columns if one in bounds or any(known["name"] == one for known in manifest["columns"])]


def _is_sensitive(manifest: Mapping[str, Any], name: str) -> bool:
    return any(one["name"] == name and one["role"] == "sensitive" for one in manifest["columns"])


def _demand(found: Mapping[str, Any], holds: bool) -> None:
    if found["unproved"]:
        raise Bug(f"{found['unproved'][0]['model']} can't be proved from the files; nothing was published")
    if found["unprovable"] or not holds:
        broken = [one["model"] for one in found["guarantees"] if not one["holds"]] or ["a promise"]
        raise Bug(f"the files do not keep {broken[0]}; nothing was published")


def _in_pieces(
    work: Work,
    frame: DataFrame,
    manifest: Mapping[str, Any],
    named: tuple[str, list[str], list[str]],
    rows: int,
    limit: int,
) -> Proof:
    """Each group stands in one piece with all its rows, and a model that asks of groups by themselves holds where it holds in all pieces."""
    from pyspark.sql import functions as F  # noqa: N812

    name, names, quasi = named
    pieces = -(-2 * rows // limit)
    mark = free_name("piece", frame.columns)
    marked = frame.select(*map(column, names)).withColumn(mark, F.pmod(F.xxhash64(*map(column, quasi)), F.lit(pieces)))
    judge = _Judge(json.dumps(manifest), name, names, quasi)
    schema = "groups long, people long, rows long, found string, error string"
    # A bare function: Spark looks for type hints, and takes no object that can be called.
    judged = work.run(lambda: marked.groupBy(column(mark)).applyInArrow(lambda rows: judge(rows), schema).collect())
    errors = [one.error for one in judged if one.error]
    if errors:
        raise Bug(f"{errors[0]}; nothing was published")
    if sum(one.rows for one in judged) != rows or sum(one.people for one in judged) != manifest["people"]:
        raise Bug("the cluster judged other rows than it counted; nothing was published")
    found = [json.loads(one.found) for one in judged]
    groups = sum(one.groups for one in judged)
    return Proof(None, _joined(found, groups), groups)


def _joined(found: Sequence[Mapping[str, Any]], groups: int) -> dict[str, Any]:
    """What pieces show together; a level is that of the worst piece."""
    whole = dict(found[0])
    whole["rows"] = sum(one["rows"] for one in found)
    whole["groups"] = groups
    for key in ("k", "smallest_group"):
        known = [one[key] for one in found if one[key] is not None]
        whole[key] = min(known) if known else None
    whole["guarantees"] = [
        _worst(list(of_model)) for of_model in zip(*(one["guarantees"] for one in found), strict=True)
    ]
    return whole


def _worst(verdicts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    # Shares are better the smaller they are, sizes and numbers of values the larger.
    upper = ("alpha", "c", "t", "delta")
    achieved: dict[str, Any] = {}
    for key in verdicts[0]["achieved"]:
        known = [one["achieved"][key] for one in verdicts]
        numbers = [one for one in known if isinstance(one, (int, float))]
        if numbers and len(numbers) == len(known):
            achieved[key] = max(numbers) if key in upper else min(numbers)
    return {**verdicts[0], "achieved": achieved, "holds": all(one["holds"] for one in verdicts)}


class _Judge:
    """What an executor does with a piece."""

    def __init__(self, manifest: str, name: str, names: list[str], quasi: list[str]) -> None:
        self._manifest, self._name, self._names, self._quasi = manifest, name, names, quasi

    def __call__(self, table: pa.Table) -> pa.Table:
        import pyarrow as pa
        import pyarrow.compute as pc

        from .. import Error

        keys = [one for one in self._names if one != self._name]
        rows = table.select([*keys, self._name])
        groups = rows.select(self._quasi).group_by(self._quasi).aggregate([]).num_rows
        people = pc.sum(rows.column(self._name)).as_py()
        outcome: dict[str, Any] = {"groups": groups, "people": people, "rows": rows.num_rows, "found": "", "error": ""}
        try:
            distinct(rows, keys)
            stated = {"people": people, "groups": groups, "suppressed": 0}
            release = counted_release(json.loads(self._manifest), rows, **stated)
            text, holds = native.verify(release, None, native.Call())
            found = json.loads(text)
            _demand(found, holds)
            outcome["found"] = text
        except Error as error:
            outcome["error"] = str(error)
        return pa.Table.from_pylist([outcome])
