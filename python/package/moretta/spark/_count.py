# pyright: reportMissingImports=false
"""Counting on the cluster, and what shows that nobody was lost or counted twice."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import _call
from .. import _moretta as native
from .._errors import Bug, Refused, WrongInput
from ..policy import Policy
from . import _files
from ._session import Work

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import Column, DataFrame

    SparkTable = DataFrame | str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_WHOLE_NUMBERS = ("tinyint", "smallint", "int", "bigint")


@dataclass(frozen=True)
class Cells:
    """The counted cells of a table, as files that Spark has written."""

    folder: str
    keys: list[str]
    """The columns by which it was counted."""
    count: str
    """The column with the people of each cell."""
    weighted: bool
    """Whether that is the policy's own column of weights."""
    cells: int
    rows: int
    """The rows of the source."""
    people: int
    """The people that these stand for."""

    def frame(self, work: Work) -> DataFrame:
        """The cells on the cluster."""
        return work.spark.read.parquet(self.folder).select(*map(column, [*self.keys, self.count]))

    def table(self) -> pa.Table:
        """The cells on the driver."""
        import pyarrow.compute as pc

        table = _files.read_back(self.folder).select([*self.keys, self.count])
        distinct(table, self.keys)
        read = pc.sum(table.column(self.count)).as_py() or 0
        if (table.num_rows, read) != (self.cells, self.people):
            raise Bug(f"{self.people:,} people were counted, and {read:,} stand in the counts; nothing was published")
        return table


def column(name: str) -> Column:
    """A column, whatever its name has in it."""
    from pyspark.sql import functions as F  # noqa: N812

    return F.col("`" + name.replace("`", "``") + "`")


def free_name(wanted: str, taken: Sequence[str]) -> str:
    """A name that no column has; Spark takes capitals for small letters."""
    lower = {name.lower() for name in taken}
    while wanted.lower() in lower:
        wanted += "_"
    return wanted


def distinct(table: pa.Table, keys: Sequence[str]) -> None:
    """Stops where a cell occurs twice, or counts nobody."""
    import pyarrow.compute as pc

    once = table.select(list(keys)).group_by(list(keys)).aggregate([]).num_rows
    if once != table.num_rows:
        raise Bug(
            f"{table.num_rows - once:,} cells were counted apart from others that are equal; nothing was published"
        )
    counts = table.column(table.num_columns - 1)
    if counts.null_count or (table.num_rows and pc.min(counts).as_py() < 0):
        raise Bug("a cell counts nobody; nothing was published")


def source(work: Work, data: SparkTable) -> tuple[DataFrame, list[str] | None]:
    """The frame, and its files where it is nothing but files."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if isinstance(data, (list, tuple)):
        frame = work.spark.read.parquet(*[os.fspath(path) for path in data])
        return frame, sorted(frame.inputFiles())
    frame_: Any = data
    return frame_, None


def covering(policy: Policy, columns: Sequence[str]) -> None:
    """Refuses a column that the policy does not name, and one that is not there."""
    roles = policy.roles
    for name in columns:
        if name not in roles:
            raise WrongInput(
                f"the policy does not name the column {name!r}: give it a role; rest='drop' leaves it out",
                code="unnamed-column",
            )
    for name in roles:
        if name not in columns:
            raise WrongInput(f"the table has no column {name!r}", code="unknown-attribute")


def count(work: Work, data: SparkTable, policy: Policy, scratch: str) -> Cells:
    """Counts a table by all that its release is planned from.

    What was counted is compared with what the files say of themselves. A frame that is more than files may be another one whenever it is
    looked at, so it becomes files first, and is counted when it does.
    """
    frame, files = source(work, data)
    covering(policy, frame.columns)
    weights = [name for name, role in policy.roles.items() if role == "weight"]
    people = free_name("people", frame.columns)
    rows = free_name("rows", [*frame.columns, people])
    keys = native.counted_columns(policy._native, people)
    identifiers = [name for name, role in policy.roles.items() if role == "identifier"]
    frame = frame.select(*map(column, [*keys, *weights, *identifiers]))
    if files is None:
        frame, files, expected = settled(work, frame, os.path.join(scratch, "rows"))
    else:
        with work.stage("looking at footers"):
            expected = _files.footer_rows(work, files)
    if expected == 0:
        raise WrongInput("the table has a header but no row", code="table-unreadable")
    _refuse_repeated(work, frame, identifiers)
    with work.stage("counting"):
        found = _cells(work, frame, keys, weights[0] if weights else None, (people, rows), scratch)
    if found[0] != expected:
        raise Bug(
            f"{found[0]:,} rows were counted, and the files hold {expected:,}: the cluster lost some or counted some twice; "
            "nothing was published"
        )
    counted, total = found
    folder = os.path.join(scratch, "cells")
    cells = _files.footer_rows(work, _files.parts_in(folder))
    name = weights[0] if weights else people
    _call.logger.debug("%d rows in %d cells", counted, cells)
    return Cells(folder, keys, name, bool(weights), cells, counted, total)


def settled(work: Work, frame: DataFrame, folder: str) -> tuple[DataFrame, list[str], int]:
    """A frame as files, counted before and after."""
    with work.stage("settling the frame"):
        before = work.run(frame.count)
        work.run(lambda: frame.write.parquet(folder))
        files = _files.parts_in(folder)
        written = _files.footer_rows(work, files)
        if written != before:
            raise Bug(
                f"the frame has {before:,} rows when it is counted, and {written:,} when it is written: it is not the same twice, or "
                "the cluster lost some; nothing was published. Write it into files, and publish these"
            )
    return work.spark.read.parquet(folder), files, written


def _cells(
    work: Work, frame: DataFrame, keys: list[str], weight: str | None, names: tuple[str, str], scratch: str
) -> tuple[int, int]:
    """Writes the cells; gives the rows and the people in them, as they stand in the files."""
    from pyspark.sql import functions as F  # noqa: N812

    people, rows = names
    sums = [F.count(F.lit(1)).alias(rows)]
    if weight is not None:
        check_weights(work, frame, weight)
        sums.append(F.sum(column(weight).cast("bigint")).alias(weight))
    counted = frame.groupBy(*map(column, keys)).agg(*sums)
    if weight is None:
        counted = counted.withColumnRenamed(rows, people)
    folder = os.path.join(scratch, "cells")
    work.run(lambda: counted.write.parquet(folder))
    written = work.spark.read.parquet(folder)
    of_rows, of_people = (people, people) if weight is None else (rows, weight)
    sums = [F.coalesce(F.sum(column(name)), F.lit(0)) for name in (of_rows, of_people)]
    found = work.run(lambda: written.agg(*sums).collect())[0]
    return int(found[0]), int(found[1])


def check_weights(work: Work, frame: DataFrame, weight: str) -> None:
    """Refuses weights that are no numbers of people."""
    from pyspark.sql import functions as F  # noqa: N812

    kind = dict(frame.dtypes)[weight]
    if kind not in _WHOLE_NUMBERS:
        raise WrongInput(f"the weights {weight!r} are {kind}: whole numbers of people", code="value-of-wrong-type")
    lacking = F.count(F.when(column(weight).isNull(), 1))
    below = F.count(F.when(column(weight) < 0, 1))
    found = work.run(lambda: frame.agg(lacking, below).collect())[0]
    if found[0]:
        raise WrongInput(f"{found[0]:,} rows lack a value in the weight column {weight!r}", code="missing-value")
    if found[1]:
        raise WrongInput(f"{found[1]:,} rows have a weight below 0 in {weight!r}", code="value-of-wrong-type")


def _refuse_repeated(work: Work, frame: DataFrame, identifiers: list[str]) -> None:
    """Refuses a table in which an identifier occurs twice, also in rows that are left out for what they lack."""
    from pyspark.sql import functions as F  # noqa: N812

    for name in identifiers:
        known = frame.where(column(name).isNotNull()).groupBy(column(name)).agg(F.count(F.lit(1)).alias("n"))
        repeated = known.where(F.col("n") > 1).agg(F.coalesce(F.sum("n"), F.lit(0)))
        with work.stage("looking for repeated identifiers"):
            times = int(work.run(lambda repeated=repeated: repeated.collect())[0][0])  # type: ignore[misc]
        if times:
            raise Refused(
                f"{times:,} rows share their identifier ({name!r}) with another row, so that rows are not people",
                code="repeated-identifier",
            )
