# pyright: reportMissingImports=false
"""Writing on the executors: every row of a release in counted form as often as it counts.

A task may run twice: a slow one beside itself, one whose executor was lost once more. Each run writes under names of its own, into a folder
that is not published; the driver takes the files whose tasks have ended, once each, and removes the rest.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .._errors import Bug
from . import _files
from ._session import Work

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

TABLE = "data.parquet"
"""The folder of the parts."""

_BATCH = 1 << 17  # rows that are laid out at once

Part = tuple[str, int, int, str]
"""A part: its file, its rows, its bytes, their SHA-256."""

_REPORT = "part string, file string, rows long, bytes long, sha256 string"


def from_driver(work: Work, rows: pa.Table, count: str | None, stage: str, rows_per_part: int) -> list[Part]:
    """Writes the rows of a table that the driver holds, in their order."""
    import pyarrow as pa

    chunks = list(_chunks(rows, count, rows_per_part))
    payload = [_serialized(chunk) for chunk in chunks]
    schema = pa.schema([("part", pa.string()), ("rows", pa.large_binary())])
    table = pa.table({"part": [f"{n:06d}" for n in range(len(chunks))], "rows": payload}, schema)
    frame = work.spark.createDataFrame(table.cast(schema.set(1, pa.field("rows", pa.binary()))))
    frame = frame.repartitionByRange(max(1, len(chunks)), "part")
    write = _Writer(attempts(stage), count, _schema_of(rows.schema, count), rows_per_part)
    found = work.run(lambda: frame.mapInArrow(write.payloads, _REPORT).collect())
    reported = [(row.part, row.file, row.rows, row.bytes, row.sha256) for row in found]
    return _taken(stage, reported, [f"{n:06d}" for n in range(len(chunks))])


def from_cluster(
    work: Work, frame: DataFrame, schema: pa.Schema, count: str | None, stage: str, rows_per_part: int, partitions: int
) -> list[Part]:
    """Writes rows that stand on the cluster, sorted by what they publish."""
    from ._count import column

    sorted_by = [column(name) for name in schema.names]
    frame = frame.repartitionByRange(partitions, *sorted_by).sortWithinPartitions(*sorted_by)
    write = _Writer(attempts(stage), count, _schema_of(schema, count), rows_per_part)
    found = work.run(lambda: frame.mapInArrow(write.rows, _REPORT).collect())
    reported = [(row.part, row.file, row.rows, row.bytes, row.sha256) for row in found]
    return _taken(stage, reported, None)


def attempts(stage: str) -> str:
    """The folder into which all runs of all tasks write."""
    folder = os.path.join(stage, "attempts")
    os.makedirs(folder, exist_ok=True)
    return folder


def _taken(
    stage: str, reported: Sequence[tuple[str, str, int, int, str]], expected: Sequence[str] | None
) -> list[Part]:
    """Gives the files of tasks that have ended their names in the release, and forgets all others."""
    names = sorted(one[0] for one in reported)
    if len(set(names)) != len(names) or (expected is not None and names != list(expected)):
        raise Bug(f"{len(names):,} parts were written, and not the ones that were asked for; nothing was published")
    folder = os.path.join(stage, "release", TABLE)
    os.makedirs(folder)
    parts = []
    for number, (_, file, rows, length, digest) in enumerate(sorted(reported)):
        name = f"part-{number:06d}.parquet"
        # Who wrote it has closed it. A run that is alive still has other names, in a folder that goes.
        os.rename(os.path.join(attempts(stage), file), os.path.join(folder, name))
        parts.append((name, rows, length, digest))
    _files.remove(attempts(stage))
    return parts


def check_written(work: Work, stage: str, parts: Sequence[Part]) -> None:
    """Reads the parts again, on the executors: what stands there is what was said to be written."""
    folder = os.path.join(stage, "release", TABLE)
    found = _files.prints(work, [os.path.join(folder, part[0]) for part in parts])
    for name, rows, length, digest in parts:
        path = os.path.join(folder, name)
        if found[path] != (path, rows, length, digest):
            raise Bug(f"{name} is not what was written; nothing was published")


def _schema_of(schema: pa.Schema, count: str | None) -> pa.Schema:
    return schema if count is None else schema.remove(schema.get_field_index(count))


def _chunks(rows: pa.Table, count: str | None, size: int) -> Iterator[pa.Table]:
    """Runs of rows that stand for so many rows at most; one row may stand in several."""
    import numpy as np
    import pyarrow as pa

    if count is None:
        for start in range(0, max(rows.num_rows, 1), size):
            yield rows.slice(start, size)
        return
    ends = np.cumsum(rows.column(count).to_numpy().astype(np.int64))
    total = int(ends[-1]) if len(ends) else 0
    index = rows.schema.get_field_index(count)
    for start in range(0, max(total, 1), size):
        end = min(start + size, total)
        first, last = int(np.searchsorted(ends, start, "right")), int(np.searchsorted(ends, end, "left"))
        chunk = rows.slice(first, last + 1 - first)
        own = ends[first : last + 1]
        begins = np.concatenate([[ends[first - 1] if first else 0], own[:-1]]) if len(own) else own
        times = np.minimum(own, end) - np.maximum(begins, start)
        yield chunk.set_column(index, rows.schema.field(index), pa.array(times).cast(rows.schema.field(index).type))


def _serialized(rows: pa.Table) -> bytes:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, rows.schema) as writer:
        writer.write_table(rows)
    content: bytes = sink.getvalue().to_pybytes()
    return content


class _Writer:
    """What a task does; it travels to the executors."""

    def __init__(self, folder: str, count: str | None, schema: pa.Schema, rows_per_part: int) -> None:
        self._folder = folder
        self._count = count
        self._schema = schema.serialize().to_pybytes()
        self._rows_per_part = rows_per_part

    def payloads(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Each row is a part: its name, and its rows in counted form."""
        import pyarrow as pa

        for batch in batches:
            for name, payload in zip(batch.column(0).to_pylist(), batch.column(1), strict=True):
                rows = pa.ipc.open_stream(payload.as_buffer()).read_all()
                yield self._reported(name, self._laid_out(rows))

    def rows(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The rows of a partition, in their order; a part has a limit."""
        import pyarrow as pa
        from pyspark import TaskContext

        task = TaskContext.get()
        partition = task.partitionId() if task is not None else 0
        held = [batch for batch in batches if batch.num_rows]
        if not held:
            return
        chunks = _chunks(pa.Table.from_batches(held), self._count, self._rows_per_part)
        for number, chunk in enumerate(chunks):
            yield self._reported(f"{partition:06d}-{number:06d}", self._laid_out(chunk))

    def _laid_out(self, rows: pa.Table) -> Iterator[pa.Table]:
        """Every row as often as it counts."""
        import numpy as np
        import pyarrow as pa

        schema = pa.ipc.read_schema(pa.py_buffer(self._schema))
        if self._count is None:
            yield rows.select(schema.names).cast(schema)
            return
        times = rows.column(self._count).to_numpy().astype(np.int64)
        shown = rows.select(schema.names).cast(schema)
        ends = np.cumsum(times)
        total = int(ends[-1]) if len(ends) else 0
        for start in range(0, total, _BATCH):
            places = np.arange(start, min(start + _BATCH, total))
            yield shown.take(pa.array(np.searchsorted(ends, places, "right")))

    def _reported(self, part: str, tables: Iterator[pa.Table]) -> pa.RecordBatch:
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.ipc.read_schema(pa.py_buffer(self._schema))
        file = f"{part}-{uuid.uuid4().hex}.parquet"
        path = os.path.join(self._folder, file)
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for table in tables:
                writer.write_table(table)
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        rows = pq.read_metadata(path).num_rows
        length, digest = _files.fingerprint(path)
        report = {"part": part, "file": file, "rows": rows, "bytes": length, "sha256": digest}
        return pa.RecordBatch.from_pylist([report])
