# pyright: reportMissingImports=false
"""Files of Parquet as they say themselves how many rows they hold, which no engine is asked about."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlparse

from .._errors import Bug, WrongInput
from ._session import Work

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 20
_LOOK = 0.05  # seconds between two looks at a folder that is to go
_PATIENCE = 15.0  # seconds after which it stays

# A file, its rows, its bytes, the SHA-256 of these.
Print = tuple[str, int, int, str]


def local(uri: str) -> str | None:
    """The path of a file that stands in a folder; ``None`` for another store."""
    parsed = urlparse(uri)
    if parsed.scheme == "file":
        return unquote(parsed.path)
    return uri if "://" not in uri else None


def folder_for(out: str | os.PathLike[str]) -> str:
    """The output folder, which driver and executors must see under the same path."""
    path = local(os.fspath(out))
    if path is None:
        raise WrongInput(
            f"{os.fspath(out)!r} is no folder: a release appears whole or not at all, by renaming, which object stores can't do. "
            "Publish into a folder that driver and executors share (NFS, a mounted volume), and copy its release/ from there"
        )
    return os.path.abspath(path)


def footer_rows(work: Work, uris: Sequence[str]) -> int:
    """The rows of files, by their own footers."""
    found = _on_executors(work, uris, _footers)
    return sum(rows for _, rows, _, _ in found)


def prints(work: Work, paths: Sequence[str]) -> dict[str, Print]:
    """What identifies files, read again from disk."""
    return {one[0]: one for one in _on_executors(work, paths, _whole)}


def _on_executors(work: Work, uris: Sequence[str], read: Any) -> list[Print]:
    import pyarrow as pa

    if not uris:
        raise WrongInput("the table has no file", code="table-unreadable")
    wanted = pa.table({"uri": list(uris)})
    frame = work.spark.createDataFrame(wanted).repartition(min(len(uris), 64))
    schema = "uri string, rows long, bytes long, sha256 string"
    rows = work.run(lambda: frame.mapInArrow(read, schema).collect())
    found = [(row.uri, row.rows, row.bytes, row.sha256) for row in rows]
    if sorted(one[0] for one in found) != sorted(uris):
        raise Bug(f"{len(found):,} of {len(uris):,} files were looked at; nothing was published", code="bug")
    return found


def _footers(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for batch in batches:
        for uri in batch.column(0).to_pylist():
            filesystem, path = _opened(uri)
            with filesystem.open_input_file(path) as file:
                rows = pq.read_metadata(file).num_rows
            yield pa.RecordBatch.from_pylist([{"uri": uri, "rows": rows, "bytes": 0, "sha256": ""}])


def _whole(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for batch in batches:
        for path in batch.column(0).to_pylist():
            rows = pq.read_metadata(path).num_rows
            length, digest = fingerprint(path)
            yield pa.RecordBatch.from_pylist([{"uri": path, "rows": rows, "bytes": length, "sha256": digest}])


def _opened(uri: str) -> tuple[Any, str]:
    from pyarrow import fs

    path = local(uri)
    if path is not None:
        return fs.LocalFileSystem(), path
    # Hadoop's names of a store are not those of its own protocol.
    for theirs, own in (("s3a://", "s3://"), ("s3n://", "s3://")):
        if uri.startswith(theirs):
            uri = own + uri[len(theirs) :]
    filesystem, path = fs.FileSystem.from_uri(uri)
    return filesystem, path


def fingerprint(path: str) -> tuple[int, str]:
    """The length of a file, and its SHA-256."""
    digest, length = hashlib.sha256(), 0
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            length += len(block)
    return length, digest.hexdigest()


def remove(folder: str, away: float = 0.0) -> None:
    """Removes a folder into which a task may still write that nobody waits for; it has to stay away for so many seconds."""
    begun = seen = time.monotonic()
    while time.monotonic() < begun + _PATIENCE:
        if os.path.lexists(folder):
            shutil.rmtree(folder, ignore_errors=True)
            seen = time.monotonic()
        if not os.path.lexists(folder) and time.monotonic() >= seen + away:
            return
        time.sleep(_LOOK)
    raise Bug("a folder with counts of people can't be removed: tasks that nobody waits for write into it", code="bug")


def parts_in(folder: str) -> list[str]:
    """The Parquet files that Spark has left in a folder."""
    if not os.path.isfile(os.path.join(folder, "_SUCCESS")):
        raise Bug("Spark has not finished writing what it was asked to write; nothing was published", code="bug")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".parquet") and name[0] not in "._")
    return [os.path.join(folder, name) for name in names]


def read_back(folder: str) -> pa.Table:
    """The table that Spark has left in a folder."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    # Where there is no row, there may be no file: Spark writes at least one, for the schema.
    return pa.concat_tables([pq.read_table(path, partitioning=None) for path in parts_in(folder)])
