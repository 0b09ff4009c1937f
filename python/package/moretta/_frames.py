"""Frames that come in, and the same kind of frame that goes out."""

from __future__ import annotations

import os
import sys
from typing import Any, Protocol, TypeAlias, runtime_checkable

from . import _moretta as native
from ._errors import WrongInput
from ._statistics import is_statistics, read_statistics


@runtime_checkable
class ArrowStream(Protocol):
    """Whatever has the Arrow PyCapsule interface: pandas, polars, pyarrow, DuckDB, ADBC, Ibis."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


@runtime_checkable
class ArrowArray(Protocol):
    """A single record batch with the Arrow PyCapsule interface."""

    def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[object, object]: ...


FrameLike: TypeAlias = "ArrowStream | ArrowArray | str | os.PathLike[str]"
"""A table: a frame, or the path of a file: CSV, Parquet, a spreadsheet, or one of SPSS, Stata and SAS."""


def take(data: object, delimiter: str | None = None, encoding: str | None = None) -> native.Frame:
    """A table as the native module takes it."""
    if is_statistics(data):
        path: Any = data
        data = read_statistics(path)
    if isinstance(data, (str, os.PathLike)):
        return native.Frame.open(data, delimiter, encoding)
    if _is_a(data, "pandas", "DataFrame"):
        return native.Frame.from_arrow(_pandas_to_arrow(data))
    if _is_a(data, "polars", "LazyFrame"):
        lazy: Any = data
        return native.Frame.from_arrow(lazy.collect())
    if _is_a(data, "adbc_driver_manager.dbapi", "Cursor"):
        cursor: Any = data
        return native.Frame.from_arrow(cursor.fetch_record_batch())
    return native.Frame.from_arrow(data)


def _is_a(data: object, module: str, name: str) -> bool:
    """Whether something is an instance of a class, which is not imported for the question."""
    loaded = sys.modules.get(module)
    kind = getattr(loaded, name, None) if loaded is not None else None
    return isinstance(kind, type) and isinstance(data, kind)


def _pandas_to_arrow(frame: Any) -> object:
    # An index that has no name is no column; pandas' own export would make one of it.
    try:
        import pyarrow as pa
    except ImportError:
        raise WrongInput(
            "a pandas frame becomes Arrow by pyarrow, which is not installed: pip install pyarrow"
        ) from None
    names = [name for name in frame.index.names if name is not None]
    if not frame.columns.is_unique:
        twice = sorted({str(name) for name in frame.columns[frame.columns.duplicated()]})
        raise WrongInput(f"several columns are named {', '.join(map(repr, twice))}", code="table-unreadable")
    if not all(isinstance(name, str) for name in frame.columns):
        raise WrongInput("the name of a column must be a text", code="table-unreadable")
    try:
        return pa.Table.from_pandas(frame, preserve_index=bool(names))
    except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError) as error:
        raise WrongInput(f"the frame can't become Arrow: {error}", code="table-unreadable") from error


class Kind:
    """The kind of frame that came in, which is the kind that goes out."""

    def __init__(self, library: str) -> None:
        self.library = library

    @classmethod
    def of(cls, data: object) -> Kind:
        """The kind of a frame; Arrow for all that is neither pandas, polars nor pyarrow."""
        for module, names in (
            ("pandas", ["DataFrame"]),
            ("polars", ["DataFrame", "LazyFrame"]),
            ("pyarrow", ["Table", "RecordBatch"]),
        ):
            if any(_is_a(data, module, name) for name in names):
                return cls(module)
        return cls("arrow")

    def give(self, table: native.ArrowTable) -> Any:
        """A table as this kind."""
        if self.library == "pandas":
            return to_pandas(table)
        if self.library == "polars":
            return to_polars(table)
        if self.library == "pyarrow":
            return to_pyarrow(table)
        return table


def to_pyarrow(table: native.ArrowTable) -> Any:
    """A table of pyarrow."""
    import pyarrow as pa

    return pa.table(table)


def to_pandas(table: native.ArrowTable) -> Any:
    """A frame of pandas."""
    return to_pyarrow(table).to_pandas()


def to_polars(table: native.ArrowTable) -> Any:
    """A frame of polars."""
    import polars as pl

    return pl.DataFrame(table)
