"""Files of SPSS, Stata and SAS, with the labels of coded values.

The readers of pyreadstat do the work (``pip install moretta[statistics]``); what they give is made fit to be published: labels in place of
codes, whole numbers as such, one column a variable.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import WrongInput

if TYPE_CHECKING:
    import pandas as pd

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}
"""The reader of pyreadstat for the ending of a file's name."""

_EXACT = 2.0**53


def is_statistics(path: object) -> bool:
    """Whether a path is that of a file of SPSS, Stata or SAS, by the ending of its name."""
    return isinstance(path, (str, os.PathLike)) and Path(path).suffix.lower() in READERS


def read_statistics(
    path: str | os.PathLike[str],
    *,
    labels: bool | Iterable[str] = True,
    catalog: str | os.PathLike[str] | None = None,
    columns: Sequence[str] | None = None,
) -> pd.DataFrame:
    """The table of a file of SPSS (.sav, .zsav, .por), Stata (.dta) or SAS (.sas7bdat, .xpt) as a pandas frame.

    A column all of whose values have labels becomes a column of labels, in the order of their codes; two codes with one label stay two
    values. Where only some values have labels, as 998 "refused" among amounts, the column keeps its codes, and a warning says so. ``labels``
    may also list the columns that become labels whatever lacks one, or be False for codes alone. What the file declares as missing is missing.
    Numbers that are all whole become whole numbers.

    ``catalog`` is the file in which SAS keeps its labels (.sas7bcat). ``frame.attrs["labels"]`` holds the labels of every column,
    ``frame.attrs["questions"]`` what the file says of each.

    >>> frame = mo.read_statistics("survey.sav")                                      # doctest: +SKIP
    >>> release = mo.publish(frame, quasi=["age", "region"], require=mo.KAnonymity(5))  # doctest: +SKIP
    """
    ending = Path(path).suffix.lower()
    if ending not in READERS:
        known = ", ".join(READERS)
        raise WrongInput(
            f"{os.fspath(path)!r} is no file of SPSS, Stata or SAS by its name, which ends in one of {known}"
        )
    try:
        import pandas  # noqa: F401
        import pyreadstat
    except ImportError as lacking:
        raise WrongInput(
            f"files of SPSS, Stata and SAS are read by pyreadstat and pandas, and {lacking.name} is not installed: "
            "pip install moretta[statistics]"
        ) from None
    options: dict[str, Any] = {} if columns is None else {"usecols": list(columns)}
    if catalog is not None:
        if ending != ".sas7bdat":
            raise WrongInput("`catalog` is for .sas7bdat, whose labels stand in a file of their own")
        options["catalog_file"] = os.fspath(catalog)
    if not Path(path).is_file():
        raise WrongInput(f"there is no file {os.fspath(path)!r}")
    try:
        read: Any = getattr(pyreadstat, READERS[ending])
        frame: pd.DataFrame
        frame, meta = read(os.fspath(path), **options)
    except (pyreadstat.ReadstatError, pyreadstat.PyreadstatError, ValueError) as error:
        raise WrongInput(f"{os.fspath(path)!r} can't be read: {error}", code="table-unreadable") from error
    stated: Mapping[str, Mapping[Any, str]] = meta.variable_value_labels or {}
    forced = set() if isinstance(labels, bool) else set(labels)
    if unknown := sorted(forced - set(frame.columns)):
        raise WrongInput(f"there is no column {unknown[0]!r} in {os.fspath(path)!r}")
    for name in frame.columns:
        of_column = stated.get(name)
        if of_column and labels is not False and (labels is True or name in forced):
            frame[name] = _labelled(frame[name], of_column, name, name in forced)
        frame[name] = _whole(frame[name])
    frame.attrs["labels"] = {name: dict(of_column) for name, of_column in stated.items() if name in frame.columns}
    frame.attrs["questions"] = {name: text for name, text in meta.column_names_to_labels.items() if text}
    return frame


def _labelled(column: pd.Series[Any], labels: Mapping[Any, str], name: str, forced: bool) -> pd.Series[Any]:
    """A column of codes as labels, if every code has one or the caller wants it so."""
    import pandas as pd

    present = sorted(column.dropna().unique(), key=lambda code: (isinstance(code, str), code))
    bare = [code for code in present if code not in labels]
    if bare and not forced:
        some = ", ".join(f"{_spelled(code)} {label!r}" for code, label in labels.items() if code in set(present))
        if some:
            warnings.warn(
                f"{name}: only some of its values have labels ({some}), so it keeps its codes; make them missing, "
                f"or ask for labels=[{name!r}]",
                stacklevel=3,
            )
        return column
    shown = [labels.get(code, _spelled(code)) for code in present]
    # Two codes with one label are two values: nobody but the publisher may take them together.
    texts = [
        f"{text} ({_spelled(code)})" if shown.count(text) > 1 else text
        for code, text in zip(present, shown, strict=True)
    ]
    by_code = dict(zip(present, texts, strict=True))
    named = column.map(lambda code: by_code.get(code), na_action="ignore")
    return pd.Series(pd.Categorical(named, categories=texts, ordered=True), index=column.index, name=name)


def _spelled(code: Any) -> str:
    """A code as people write it: 3 and not 3.0."""
    return str(int(code)) if isinstance(code, float) and code.is_integer() else str(code)


def _whole(column: pd.Series[Any]) -> pd.Series[Any]:
    """Numbers that are all whole as whole numbers: these files know none."""
    if column.dtype.kind != "f":
        return column
    known = column.dropna()
    if known.empty or not ((known % 1 == 0) & (known.abs() <= _EXACT)).all():
        return column
    return column.astype("Int64")
