# pyright: reportMissingImports=false
"""Planning in regions, where the cells are too many for one machine.

A region is a range of combinations of the first attributes by which the table is cut, and everybody in it. Each keeps the promise by itself,
as one single group, so that a plan exists for each; executors make these plans, each by the same library. This keeps the promise of the whole:

- k, the ℓ-diversities, α and the p-sensitive family ask of a group something about its own people alone. A group of the release is a group of
  one region, or the union of groups of several that publish the same; unions keep these promises.
- t-closeness and δ-disclosure compare a group with the distribution of the whole table, which every executor gets. With that fixed, the
  distance of a union is at most the largest distance of its parts, and the share of a value lies between its shares in the parts.

Whatever else a model looks at (other groups, the members of a group, larger parts of the table) does not stand in one region: such models
are refused by name. In any case the files are counted in the end, and judged as a whole.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _call
from .. import _moretta as native
from .._errors import Bug, Refused, WrongInput
from ..policy import Policy
from . import _write
from ._count import Cells, column, distinct, free_name
from ._prove import LOCAL
from ._session import Work

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

WITH_THE_WHOLE = frozenset({"t-closeness", "delta-disclosure"})
"""Models that compare a group with the whole table and with nothing else."""

_MOST_CUTS = 1_000_000  # combinations that the driver cuts by
_RUN = 1 << 17  # rows of a region that are handed over at once

_OUTCOME = (
    "region int, run int, manifest string, schema binary, arrow binary, people long, people_in long, people_out long, "
    "cells long, error string"
)
"""What an executor hands over of a region: its rows in runs, and beside the first all that is said of it."""


@dataclass(frozen=True)
class Planned:
    """A release in counted form that stands on the cluster."""

    folder: str
    schema: bytes
    """The columns of its rows, as Arrow spells them."""
    manifest: Mapping[str, Any]
    seed: str
    regions: int
    warnings: Sequence[str]

    def report(self, policy: Policy, cells: Cells) -> dict[str, Any]:
        """What publishing reports. What the release costs is measured on one machine only."""
        return {
            "schema": 3,
            "method": self.manifest["method"],
            "rows_in": self.manifest["people"],
            "rows_out": self.manifest["people"],
            "suppressed": 0,
            "groups": 0,
            "guarantees": [],
            "utility": dict.fromkeys(("loss", "gcp", "dm"), None),
            "left_out": {"filtered": 0, "missing": 0, "weightless": 0},
            "regions": self.regions,
            "warnings": list(self.warnings),
            "seconds": {},
        }


def arrow(table: object) -> pa.Table:
    """A table of the library as pyarrow has it."""
    import pyarrow as pa

    made: pa.Table = pa.table(table)
    return made


def refuse(policy: Policy) -> None:
    """Refuses what can't be planned in regions."""
    tree = policy.to_dict()
    for one in tree.get("require", []):
        if one["model"] not in LOCAL | WITH_THE_WHOLE:
            raise WrongInput(
                f"{one['model']} can't be kept in regions: it looks at more than a group and the whole table. Raise region_limit so that the "
                f"driver plans the whole, or require {', '.join(sorted(LOCAL | WITH_THE_WHOLE))}",
                code="model-unsupported",
            )
    if tree.get("method", {}).get("suppression", 0) > 0:
        raise WrongInput(
            "suppression is a share of the whole table, which no region knows: raise region_limit, or leave suppression out",
            code="wrong-parameter",
        )
    for name, attribute in tree["attributes"].items():
        if isinstance(attribute.get("hierarchy"), Mapping) and "frequency" in attribute["hierarchy"]:
            raise WrongInput(
                f"the hierarchy of {name!r} follows from how often values occur, which differs from region to region: state it, or raise "
                "region_limit",
                code="wrong-parameter",
            )


def plan(work: Work, cells: Cells, policy: Policy, seed: str, limit: int, scratch: str) -> Planned:
    """Cuts the table into regions, and has each planned by an executor."""
    refuse(policy)
    roles = policy.roles
    quasi = [name for name in cells.keys if roles[name] == "quasi"]
    sensitive = [name for name in cells.keys if roles[name] == "sensitive"]
    frame = _without_missing(cells.frame(work), policy, [*quasi, *sensitive])
    with work.stage("cutting into regions"):
        by, combinations = _cuts(work, frame, quasi, limit)
        region = free_name("region", [*cells.keys, cells.count])
        numbered, regions = _regions(work, frame, policy, cells, (by, sensitive, region), combinations, limit)
        whole = _whole(work, frame, sensitive, cells.count)
    _call.logger.debug("%d regions by %s", regions, ", ".join(by))
    made = _by_executors(work, frame, numbered, policy, cells, (by, region), whole, seed, scratch)
    schema = bytes(min(made, key=lambda one: one.region).schema)
    manifest = _manifest(made)
    warnings = [f"planned in {regions:,} regions by {', '.join(by)}: groups do not reach from one into another"]
    return Planned(os.path.join(scratch, "planned"), schema, manifest, seed, regions, warnings)


def _without_missing(frame: DataFrame, policy: Policy, names: Sequence[str]) -> DataFrame:
    """Only cells that lack nothing, unless missing is a value like any other."""
    from pyspark.sql import functions as F  # noqa: N812

    data = policy.to_dict().get("data", {})
    if data.get("missing", "drop") != "drop":
        return frame
    missing = ["", *data.get("missing_values", [])]
    for name, kind in frame.dtypes:
        if name in names and kind == "string":
            frame = frame.where(F.coalesce(~column(name).isin(missing), F.lit(False)))
    return frame.dropna(subset=list(names))


def _cuts(work: Work, frame: DataFrame, quasi: Sequence[str], limit: int) -> tuple[list[str], pa.Table]:
    """The fewest attributes of which no combination has more cells than a region may have, those with most values first."""
    from pyspark.sql import functions as F  # noqa: N812

    kinds = [F.countDistinct(column(name)).alias(f"n{at}") for at, name in enumerate(quasi)]
    found = work.run(lambda: frame.agg(*kinds).collect())[0]
    order = sorted(range(len(quasi)), key=lambda at: (-found[at], at))
    by: list[str] = []
    for at in order:
        by.append(quasi[at])
        counted = frame.groupBy(*map(column, by)).agg(F.count(F.lit(1)).alias("cells of it"))
        size = counted.agg(F.count(F.lit(1)), F.max("cells of it"))
        combinations, largest = work.run(lambda size=size: size.collect())[0]  # type: ignore[misc]
        if combinations > _MOST_CUTS:
            break
        if largest <= limit:
            return by, work.run(lambda counted=counted: counted.toArrow())  # type: ignore[misc]
    raise Refused(
        f"the table can't be cut into regions of at most {limit:,} cells by up to {_MOST_CUTS:,} combinations of {', '.join(by)}: "
        "raise region_limit"
    )


def _regions(
    work: Work,
    frame: DataFrame,
    policy: Policy,
    cells: Cells,
    named: tuple[list[str], list[str], str],
    combinations: pa.Table,
    limit: int,
) -> tuple[pa.Table, int]:
    """Numbers runs of combinations: each has at most so many cells, and keeps the promise as one group."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    by, sensitive, region = named
    combinations = combinations.sort_by([(name, "ascending") for name in by])
    numbers: list[int] = []
    held = 0
    for size in combinations.column(combinations.num_columns - 1).to_pylist():
        begins = not numbers or held + size > limit
        held = size if begins else held + size
        numbers.append((numbers[-1] if numbers else -1) + begins)
    numbered = combinations.select(by).append_column(region, pa.array(numbers, pa.int32()))
    sums = F.sum(column(cells.count)).cast("bigint").alias(cells.count)
    joined = _joined(work, frame, numbered, by)
    shares = work.run(lambda: joined.groupBy(*map(column, [region, *sensitive])).agg(sums).toArrow())
    regions = numbers[-1] + 1
    while not _keeps(shares, policy, sensitive, region, cells.count):
        if regions == 1:
            raise Refused("the whole table as one group does not keep the promise", code="promise-impossible")
        shares, numbers, regions = _fewer(shares, numbers, regions, region, cells.count)
        numbered = combinations.select(by).append_column(region, pa.array(numbers, pa.int32()))
    sizes: dict[int, int] = {}
    for number, size in zip(numbers, combinations.column(combinations.num_columns - 1).to_pylist(), strict=True):
        sizes[number] = sizes.get(number, 0) + size
    if max(sizes.values()) > 2 * limit:
        raise Refused(
            f"regions that keep the promise by themselves have up to {max(sizes.values()):,} cells, more than twice region_limit: raise it"
        )
    return numbered, regions


def _fewer(
    shares: pa.Table, numbers: list[int], regions: int, region: str, count: str
) -> tuple[pa.Table, list[int], int]:
    """The region with the fewest people joins the smaller of its neighbours."""
    import pyarrow as pa

    people = [0] * regions
    for number, some in zip(shares.column(region).to_pylist(), shares.column(count).to_pylist(), strict=True):
        people[number] += some
    least = min(range(regions), key=lambda at: (people[at], at))
    beside = [at for at in (least - 1, least + 1) if 0 <= at < regions]
    other = min(beside, key=lambda at: (people[at], at))
    gone = max(least, other)
    renumber = [at - (at >= gone) for at in range(regions)]
    index = shares.schema.get_field_index(region)
    moved = pa.array([renumber[at] for at in shares.column(region).to_pylist()], pa.int32())
    shares = shares.set_column(index, region, moved)
    keys = [name for name in shares.column_names if name != count]
    summed = shares.group_by(keys).aggregate([(count, "sum")])
    shares = summed.rename_columns([*keys, count] if summed.column_names[-1] != keys[-1] else [count, *keys])
    return shares, [renumber[at] for at in numbers], regions - 1


def _keeps(shares: pa.Table, policy: Policy, sensitive: Sequence[str], region: str, count: str) -> bool:
    """Whether every region keeps the promise as one single group."""
    import pyarrow as pa

    tree = policy.to_dict()
    attributes: dict[str, Any] = {region: {"role": "quasi", "type": "text"}}
    attributes |= {name: tree["attributes"][name] for name in sensitive}
    attributes[count] = {"role": "weight"}
    kept: dict[str, Any] = {key: tree[key] for key in ("data", "require") if key in tree}
    own = Policy.from_dict({**kept, "attributes": attributes}, folder=policy._folder)
    labels = pa.array([f"region {number}" for number in shares.column(region).to_pylist()])
    table = shares.set_column(shares.schema.get_field_index(region), region, labels)
    found = json.loads(native.levels(native.Frame.from_arrow(table), own._native, native.Call()))
    return all(one["holds"] for one in found["guarantees"])


def _joined(work: Work, frame: DataFrame, numbered: pa.Table, by: Sequence[str]) -> DataFrame:
    """The cells with the number of their region."""
    from pyspark.sql import functions as F  # noqa: N812

    other = work.spark.createDataFrame(numbered)
    renamed = {name: free_name(f"{name} of the region", frame.columns) for name in by}
    for name, new in renamed.items():
        other = other.withColumnRenamed(name, new)
    same = [column(name).eqNullSafe(column(new)) for name, new in renamed.items()]
    condition = same[0]
    for one in same[1:]:
        condition = condition & one
    return frame.join(F.broadcast(other), condition, "inner").drop(*renamed.values())


def _whole(work: Work, frame: DataFrame, sensitive: Sequence[str], count: str) -> bytes | None:
    """The people with each combination of sensitive values, in the whole table."""
    from pyspark.sql import functions as F  # noqa: N812

    if not sensitive:
        return None
    sums = F.sum(column(count)).cast("bigint").alias(count)
    found = work.run(lambda: frame.groupBy(*map(column, sensitive)).agg(sums).toArrow())
    return _write._serialized(found)


def _by_executors(
    work: Work,
    frame: DataFrame,
    numbered: pa.Table,
    policy: Policy,
    cells: Cells,
    named: tuple[list[str], str],
    whole: bytes | None,
    seed: str,
    scratch: str,
) -> list[Any]:
    """Has every region planned: its rows in counted form are left in files, and each file is written once."""
    from pyspark.sql import functions as F  # noqa: N812

    by, region = named
    regions = max(numbered.column(region).to_pylist()) + 1
    planner = _Planner(policy, [*cells.keys, cells.count], cells.count, whole, seed)
    folder = os.path.join(scratch, "planned")
    with work.stage("planning regions"):
        joined = _joined(work, frame, numbered, by).repartition(regions, column(region))
        # A bare function: Spark looks for type hints, and takes no object that can be called.
        planned = joined.groupBy(column(region)).applyInArrow(lambda key, cells: planner(key, cells), _OUTCOME)
        work.run(lambda: planned.write.parquet(folder))
        made = work.spark.read.parquet(folder).where("run = 0").drop("run", "arrow")
        told: list[Any] = work.run(made.collect)
        sums = [F.count(F.lit(1)), F.sum(column(cells.count)).cast("bigint")]
        expected = work.run(lambda: frame.agg(*sums).collect())[0]
    errors = sorted((one.region, one.error) for one in told if one.error)
    if errors:
        raise Refused(f"region {errors[0][0] + 1} of {regions:,} can't be planned: {errors[0][1]}")
    if sorted(one.region for one in told) != list(range(regions)):
        raise Bug(f"{len(told):,} regions of {regions:,} were planned; nothing was published")
    if (sum(one.cells for one in told), sum(one.people for one in told)) != (expected[0], expected[1]):
        raise Bug("the regions hold other cells than the table; nothing was published")
    return told


def _manifest(made: Sequence[Any]) -> dict[str, Any]:
    told = sorted(made, key=lambda one: one.region)
    if any(one.people_in != one.people_out for one in told):
        raise Bug("a region lost people; nothing was published")
    whole: dict[str, Any] = json.loads(native.joined_manifest([one.manifest for one in told]))
    if whole["people"] != sum(one.people_in for one in told):
        raise Bug("the regions do not publish everybody; nothing was published")
    return whole


def write(work: Work, planned: Planned, cells: Cells, stage: str, rows_per_part: int) -> list[_write.Part]:
    """Writes the rows of all regions, sorted by what they publish: in which region somebody stands, no order tells."""
    import pyarrow as pa
    from pyspark.sql import functions as F  # noqa: N812

    schema = pa.ipc.read_schema(pa.py_buffer(planned.schema))
    made = work.spark.read.parquet(planned.folder).select("arrow")
    rows = made.mapInArrow(_opened, _spark_schema(schema))
    keys = [name for name in schema.names if name != cells.count]
    sums = F.sum(column(cells.count)).cast("bigint").alias(cells.count)
    merged = rows.groupBy(*map(column, keys)).agg(sums).select(*map(column, schema.names))
    partitions = max(1, math.ceil(planned.manifest["people"] / rows_per_part))
    if cells.weighted:
        return _write.from_cluster(work, merged, schema, None, stage, rows_per_part, partitions)
    return _write.from_cluster(work, merged, schema, cells.count, stage, rows_per_part, partitions)


def _spark_schema(schema: pa.Schema) -> Any:
    from pyspark.sql.pandas.types import from_arrow_schema

    return from_arrow_schema(_signed(schema))


def _signed(schema: pa.Schema) -> pa.Schema:
    """The same columns for Spark, which knows no unsigned numbers. Whoever writes the rows gives them their types."""
    import pyarrow as pa

    def kind(own: pa.DataType) -> pa.DataType:
        return pa.int64() if pa.types.is_unsigned_integer(own) else own

    return pa.schema([(field.name, kind(field.type)) for field in schema])


def _opened(batches: Any) -> Any:
    import pyarrow as pa

    for batch in batches:
        for payload in batch.column(0):
            rows = pa.ipc.open_stream(payload.as_buffer()).read_all()
            yield from rows.cast(_signed(rows.schema)).to_batches()


def _outcome() -> pa.Schema:
    """What an executor hands over, as Arrow spells it."""
    import pyarrow as pa

    kinds = {"int": pa.int32(), "long": pa.int64(), "string": pa.string(), "binary": pa.binary()}
    fields = (field.split() for field in _OUTCOME.split(", "))
    return pa.schema([(name, kinds[kind]) for name, kind in fields])


class _Planner:
    """What an executor does with a region."""

    def __init__(self, policy: Policy, names: list[str], count: str, whole: bytes | None, seed: str) -> None:
        # The files that a policy names may stand with the driver alone.
        self._policy = json.dumps(policy.to_dict())
        self._folder = os.path.abspath(policy._folder)
        self._names, self._count, self._whole, self._seed = names, count, whole, seed

    def __call__(self, key: Any, table: pa.Table) -> pa.Table:
        import pyarrow as pa
        import pyarrow.compute as pc

        from .. import Error

        cells = table.select(self._names)
        outcome: dict[str, Any] = {
            "region": int(key[0].as_py()),
            "run": 0,
            "people": pc.sum(cells.column(self._count)).as_py(),
            "cells": cells.num_rows,
        }
        try:
            distinct(cells, self._names[:-1])
            told, rows = self._planned(cells)
        except Error as error:
            return pa.Table.from_pylist([outcome | {"error": str(error)}], _outcome())
        outcome |= told
        outcome["schema"] = rows.schema.serialize().to_pybytes()
        # A value of Spark has a limit, and so has what a task hands over at once.
        runs = [rows.slice(start, _RUN) for start in range(0, max(rows.num_rows, 1), _RUN)]
        batches = []
        for number, run in enumerate(runs):
            own = outcome if number == 0 else {"region": outcome["region"], "run": number}
            own = {**own, "arrow": _write._serialized(run)}
            batches.append(pa.RecordBatch.from_pylist([own], _outcome()))
        return pa.Table.from_batches(batches)

    def _planned(self, cells: pa.Table) -> tuple[dict[str, Any], pa.Table]:
        """What is told of a region, and its rows in counted form."""
        import pyarrow as pa

        policy = Policy.from_dict(json.loads(self._policy), folder=self._folder)
        call = native.Call(self._seed)
        counted = native.Counted.read(native.Frame.from_arrow(cells), self._count, policy._native, call)
        whole = None
        if self._whole is not None:
            whole = native.Frame.from_arrow(pa.ipc.open_stream(self._whole).read_all())
        manifest, rows = counted.recode(whole, self._count, call)
        people_out = json.loads(manifest)["people"]
        return {"manifest": manifest, "people_in": counted.people, "people_out": people_out}, arrow(rows)
