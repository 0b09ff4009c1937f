"""How the values of an attribute are generalized: ``mo.Attribute("age", hierarchy=mo.hierarchy.intervals([5, 10, 20]))``.

>>> import moretta as mo
>>> mo.hierarchy.mask("right")
Hierarchy({'mask': 'right'})
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from . import _call
from . import _moretta as native
from ._errors import WrongInput
from ._frames import FrameLike, take
from ._json import dumps


class Hierarchy:
    """A hierarchy as a policy states it."""

    def __init__(self, stated: Mapping[str, object] | str) -> None:
        self._stated = stated

    def to_dict(self) -> Mapping[str, object] | str:
        """As a policy states it: a table, or the name of a file."""
        return self._stated

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hierarchy) and self._stated == other._stated

    def __hash__(self) -> int:
        return hash(dumps(self._stated))

    def __repr__(self) -> str:
        text = repr(self._stated)
        return f"Hierarchy({text if len(text) <= 200 else text[:200] + '…'})"

    def preview(self, data: FrameLike, column: str) -> Preview:
        """What it does to the values of a column, with the people who have them.

        >>> import moretta as mo
        >>> import polars as pl
        >>> ages = pl.DataFrame({"age": [21, 22, 37]})
        >>> mo.hierarchy.intervals([10]).preview(ages, "age").levels[1]
        [('[20, 29]', 2), ('[30, 39]', 1)]
        """
        policy = native.Policy.from_json(
            dumps({"attributes": {column: {"role": "quasi", "hierarchy": self._stated}}}), "."
        )
        found = json.loads(native.hierarchy(take(data), column, policy, _call.make()))
        levels = [[(str(label), int(people)) for label, people in level["labels"]] for level in found["levels"]]
        return Preview(rows=[list(map(str, row)) for row in found["rows"]], levels=levels)


@dataclass(frozen=True)
class Preview:
    """A hierarchy over the values of a column."""

    rows: list[list[str]]
    """Each value with what it becomes level by level: the value first, the root last."""
    levels: list[list[tuple[str, int]]]
    """The labels of each level, with the people whose values they stand for."""


def intervals(widths: Sequence[float] | Literal["free"]) -> Hierarchy:
    """Intervals of these widths, each a multiple of the one before: 37 becomes [35, 39], [30, 39], [20, 39]. ``"free"`` for any ends.

    >>> import moretta as mo
    >>> mo.hierarchy.intervals([5, 10, 20])
    Hierarchy({'intervals': [5, 10, 20]})
    """
    return Hierarchy({"intervals": widths if isinstance(widths, str) else list(widths)})


def mask(side: Literal["left", "right"] = "right") -> Hierarchy:
    """Characters masked from one side: 20015 becomes 2001*, 200**, and so on."""
    return Hierarchy({"mask": side})


def cuts(points: Sequence[float] | Sequence[str] | Sequence[Sequence[float]] | Sequence[Sequence[str]]) -> Hierarchy:
    """Intervals between own cut points, or between those of each level: 37 becomes [18, 64] with [0, 18, 65].

    Dates are cut at days.

    >>> import moretta as mo
    >>> mo.hierarchy.cuts([0, 18, 65])
    Hierarchy({'cuts': [0, 18, 65]})
    >>> mo.hierarchy.cuts(["2020-01-01"])
    Hierarchy({'cuts': ['2020-01-01']})
    """
    return Hierarchy({"cuts": [point if isinstance(point, (int, float, str)) else list(point) for point in points]})


def ends(bottom: float | None = None, top: float | None = None) -> Hierarchy:
    """Numbers from ``top`` on taken together, and those below ``bottom``; the others stay as they are."""
    return Hierarchy({key: end for key, end in (("bottom", bottom), ("top", top)) if end is not None})


def rounded(to: float) -> Hierarchy:
    """What is rounded to the same multiple: 37 becomes [35, 44] with 10."""
    return Hierarchy({"round": to})


def prefixes(lengths: Sequence[int]) -> Hierarchy:
    """The beginnings of codes, longer ones first: E11.65 becomes E11* and E* with [3, 1]."""
    return Hierarchy({"prefixes": list(lengths)})


def codes(system: Literal["icd-10", "nuts", "nace", "iso-3166-2"]) -> Hierarchy:
    """Codes of a classification by their structure: E11.65 becomes E11.6*, E11* and E00-E90."""
    return Hierarchy({"codes": system})


def frequency(people: int | Sequence[int], *, sets: bool = False) -> Hierarchy:
    """Values of few people taken together, until each label stands for at least so many, level by level.

    With ``sets`` only methods that need a hierarchy use it; all others publish sets, which lose less.
    """
    stated: dict[str, object] = {"frequency": people if isinstance(people, int) else list(people)}
    return Hierarchy({**stated, "sets": True} if sets else stated)


def columns(names: str | Sequence[str]) -> Hierarchy:
    """What stands in other columns of the table, each coarser than the one before."""
    return Hierarchy({"columns": names if isinstance(names, str) else list(names)})


def balanced(fan_out: int = 2) -> Hierarchy:
    """A tree of this fan-out over the values in order."""
    return Hierarchy({"balanced": fan_out})


def dates(units: Sequence[Literal["hour", "day", "week", "month", "quarter", "year", "decade"]]) -> Hierarchy:
    """Units of the calendar, each a part of the next: hours and days of times, and a week only as the last."""
    return Hierarchy({"dates": list(units)})


def rows(rows: Iterable[Sequence[object]]) -> Hierarchy:
    """Each value with its ancestors, the value first and the root last.

    >>> import moretta as mo
    >>> jobs = mo.hierarchy.rows([["nurse", "health", "*"], ["baker", "trade", "*"]])
    """
    return Hierarchy({"rows": [[str(label) for label in row] for row in rows]})


def levels(parents: Mapping[Any, object] | Sequence[Mapping[Any, object]], root: str = "*") -> Hierarchy:
    """Each value with its parent, level by level: a mapping from values to parents, or one for each level. The root stands above all.

    >>> import moretta as mo
    >>> mo.hierarchy.levels({"nurse": "health", "baker": "trade"}) == mo.hierarchy.rows(
    ...     [["nurse", "health", "*"], ["baker", "trade", "*"]])
    True
    """
    steps = [parents] if isinstance(parents, Mapping) else list(parents)
    if not steps:
        raise WrongInput("a hierarchy needs a level", code="hierarchy-wrong")
    listed: list[list[object]] = []
    for value in steps[0]:
        row: list[object] = [value]
        for number, step in enumerate(steps):
            if row[-1] not in step:
                raise WrongInput(f"{row[-1]!r} has no parent at level {number + 1}", code="hierarchy-wrong")
            row.append(step[row[-1]])
        listed.append([*row, *([] if str(row[-1]) == root else [root])])
    return rows(listed)


def frame(data: FrameLike) -> Hierarchy:
    """A frame with a row for each value: its columns are the levels, the value first and the root last.

    >>> import moretta as mo
    >>> import polars as pl
    >>> jobs = pl.DataFrame({"job": ["nurse", "baker"], "field": ["health", "trade"], "all": ["*", "*"]})
    >>> mo.hierarchy.frame(jobs) == mo.hierarchy.rows([["nurse", "health", "*"], ["baker", "trade", "*"]])
    True
    """
    read = take(data)
    listed = read.texts()
    for number, row in enumerate(listed):
        if None in row:
            name = read.names[row.index(None)]
            raise WrongInput(f"row {number + 1} of the hierarchy lacks a label in {name!r}", code="hierarchy-wrong")
    return Hierarchy({"rows": listed})


def file(path: str | os.PathLike[str]) -> Hierarchy:
    """A file of CSV without a header: a line for each value, the value first and the root last."""
    return Hierarchy(os.fspath(path))
