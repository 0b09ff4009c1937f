"""Answers to questions: what is expected, and what is certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import _html
from ._errors import WrongInput
from .results import Json, Result

Number = float | str | None
"""A number, a day as it is spelled, or nothing: where there is nobody to speak of, or no bound."""


@dataclass(frozen=True)
class Estimate:
    """What is known about a number."""

    estimate: Number
    """What is expected by the reasoning of the method that made the release."""
    lower: Number
    """The least that any original has which fits the release; ``None`` where there is no bound."""
    upper: Number
    """The most; ``None`` where there is no bound."""
    trivial: bool
    """Whether the bounds say no more than could be said without the release."""
    may_be_empty: bool
    """Whether there may be nobody to speak of."""
    exact: Number = None
    """The truth, where the original was given."""
    relative_error: float | None = None
    """How far off the estimate is, by the truth."""

    @classmethod
    def of(cls, json: Json) -> Estimate:
        """An estimate of the library."""
        return cls(
            json["estimate"],
            json["lower"],
            json["upper"],
            json["trivial"],
            json["may_be_empty"],
            json.get("exact"),
            json.get("relative_error"),
        )


@dataclass(frozen=True)
class Row:
    """A row of an answer."""

    key: tuple[Any, ...]
    """The values by which the question groups."""
    estimates: Mapping[str, Estimate]
    """What is known about each thing asked for: ``COUNT(*)``."""


@dataclass(frozen=True, kw_only=True)
class Answer(Result):
    """The answer to a question: a row, or one for each value by which it groups."""

    sql: str
    """The question."""
    group_by: Sequence[str]
    """The attributes by which it groups."""
    rows: list[Row]
    """The rows."""
    unlisted: Estimate | None
    """How many may have keys that no row has, where anybody may."""

    @classmethod
    def of(cls, sql: str, json: Json) -> Answer:
        """An answer of the library."""
        grouped = "rows" in json
        rows = [_row(one) for one in (json["rows"] if grouped else [json])]
        unlisted = Estimate.of(json["unlisted"]) if "unlisted" in json else None
        return cls(json=json, sql=sql, group_by=json.get("group_by", []), rows=rows, unlisted=unlisted)

    def single(self) -> Estimate:
        """The one number that was asked for, of a question without GROUP BY."""
        if len(self.rows) == 1 and not self.group_by and len(self.rows[0].estimates) == 1:
            return next(iter(self.rows[0].estimates.values()))
        raise WrongInput("the answer has several numbers, or none: look at its rows")

    @property
    def estimate(self) -> Number:
        """What is expected, of a question for one number."""
        return self.single().estimate

    @property
    def lower(self) -> Number:
        """The least that is possible, of a question for one number."""
        return self.single().lower

    @property
    def upper(self) -> Number:
        """The most that is possible, of a question for one number."""
        return self.single().upper

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return "\n".join(
            " ".join(
                [*map(str, row.key), name, f"{_html.spelled(one.estimate)} [{_bound(one.lower)}, {_bound(one.upper)}]"]
            )
            for row in self.rows
            for name, one in row.estimates.items()
        )

    def _repr_html_(self) -> str:
        rows = [
            [*row.key, name, one.estimate, one.lower, one.upper, one.exact]
            for row in self.rows
            for name, one in row.estimates.items()
        ]
        return _html.table([*self.group_by, "answer", "estimate", "lower", "upper", "exact"], rows)


def _row(json: Json) -> Row:
    many = json.get("answers", {"": json})
    return Row(tuple(json.get("key", ())), {name: Estimate.of(one) for name, one in many.items()})


def _bound(bound: Number) -> str:
    return "?" if bound is None else _html.spelled(bound)


@dataclass(frozen=True, kw_only=True)
class QueryErrors(Result):
    """How far off the answers to random count queries are: the difference from the truth, by the truth."""

    mean: float
    median: float
    p95: float
    queries: int
    errors: Sequence[float]

    @classmethod
    def of(cls, json: Json) -> QueryErrors:
        """Errors that the library measured."""
        return cls(
            json=json,
            mean=json["mean"],
            median=json["median"],
            p95=json["p95"],
            queries=json["queries"],
            errors=json["errors"],
        )
