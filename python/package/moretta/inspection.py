"""A first look at a table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _html
from . import _moretta as native
from .hierarchy import Hierarchy
from .policy import Policy
from .results import Json, Result


@dataclass(frozen=True)
class Column:
    """A column: what it holds, and which role it may have."""

    name: str
    type: str
    distinct: int
    missing: int
    role: str
    """The role that is suggested."""
    reason: str
    """Why."""
    hierarchy: Hierarchy | None
    """How it may be generalized."""
    json: Json = field(repr=False, compare=False)
    """All that was found."""

    @classmethod
    def of(cls, json: Json) -> Column:
        """A column of the library."""
        suggested = json["suggestion"]
        hierarchy = None if suggested["hierarchy"] is None else Hierarchy(suggested["hierarchy"])
        return cls(
            json["name"],
            json["type"],
            json["distinct"],
            json["missing"],
            suggested["role"],
            suggested["reason"],
            hierarchy,
            json,
        )


@dataclass(frozen=True, kw_only=True)
class Inspection(Result):
    """What a first look at a table finds."""

    rows: int
    """Its rows."""
    people: int
    """The people they stand for."""
    columns: list[Column]
    """Its columns."""
    unique_share: float
    """The share of people who are alone in what the suggested quasi-identifiers say together."""
    uniqueness: Sequence[Mapping[str, Any]] = field(repr=False)
    """How far few columns tell people apart, the worst first."""
    found: native.Inspection = field(repr=False, compare=False)

    @classmethod
    def of(cls, found: native.Inspection) -> Inspection:
        """A look of the library."""
        shown = json.loads(found.to_json())
        return cls(
            json=shown,
            rows=shown["rows"],
            people=shown["people"],
            columns=[Column.of(one) for one in shown["columns"]],
            unique_share=shown["risk"]["unique_share"],
            uniqueness=shown["uniqueness"]["subsets"],
            found=found,
        )

    def suggested_toml(self, source: str = "table.csv") -> str:
        """A commented policy to start from, for a table of this name: what ``moretta init`` prints."""
        return self.found.suggested_policy(source)

    def suggested_policy(self, source: str = "table.csv") -> Policy:
        """The same as a policy. Look at it before anything is published: what a table is, no program knows.

        >>> import moretta as mo
        >>> import polars as pl
        >>> people = pl.DataFrame({"age": [34, 36, 51, 57], "disease": ["flu", "gout", "flu", "gout"]})
        >>> mo.inspect(people).suggested_policy().roles
        {'age': 'quasi', 'disease': 'sensitive'}
        """
        return Policy.from_toml(self.suggested_toml(source))

    def _repr_html_(self) -> str:
        rows = [[one.name, one.type, one.distinct, one.missing, one.role, one.reason] for one in self.columns]
        return _html.heading(f"{self.rows:,} rows") + _html.table(
            ["column", "type", "distinct", "missing", "suggested role", "because"], rows
        )
