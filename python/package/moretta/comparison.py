"""Many releases of one table on one plane: what each tells about people, and what it costs analysts."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _html
from . import _moretta as native
from ._errors import Refused
from .methods import Method
from .models import Model
from .policy import Policy
from .results import Json

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Candidate: TypeAlias = "tuple[str | Method, Model | Sequence[Model]]"
"""A method, and what it is to promise."""


@dataclass(frozen=True)
class Point:
    """A candidate that was published and measured, or why it can't be had."""

    method: str
    model: str
    parameters: Mapping[str, Any]
    p_loss: float | None
    """What the release tells about people, at worst."""
    u_loss: float | None
    """What it gets wrong about populations, on average."""
    query_error: float | None
    """How far off counts are, on average."""
    efficient: bool
    """Whether no other candidate loses less privacy without losing more utility."""
    refused: str | None
    """Why it can't be had."""
    json: Json = field(repr=False, compare=False)
    """All that was found."""

    @classmethod
    def of(cls, json: Json) -> Point:
        """A point of the library."""
        return cls(
            json["method"],
            json["model"],
            json["parameters"],
            json["p_loss"],
            json["u_loss"],
            json["query_error"],
            json["efficient"],
            json.get("refused"),
            json,
        )


class Comparison:
    """The privacy-utility frontier.

    >>> import moretta as mo
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [21, 22, 25, 34, 36, 38, 51, 57], "disease": ["flu", "gout"] * 4})
    >>> grid = [("least-loss", mo.KAnonymity(k)) for k in (2, 4)]
    >>> comparison = mo.compare(people, grid, quasi="age", sensitive="disease")
    >>> [point.parameters for point in comparison]
    [{'k': 2}, {'k': 4}]
    """

    def __init__(
        self,
        found: native.Comparison,
        policy: Policy | None,
        candidates: Sequence[tuple[str | Method, Sequence[Model]]],
    ) -> None:
        self._native = found
        self._policy = policy
        self._candidates = candidates
        shown = json.loads(found.to_json())
        self.points: list[Point] = [Point.of(one) for one in shown["points"]]
        """The candidates, in the order of the grid."""
        self.knee: int | None = shown["knee"]
        """The point where the frontier bends most."""
        self.removed: Mapping[str, Any] = shown["removed"]
        """The losses where all quasi-identifiers are removed."""
        self.original: Mapping[str, Any] = shown["original"]
        """The losses of the original itself."""

    def choose(self, **budgets: float) -> int:
        """The best point within budgets (``p_loss=0.2``, ``u_loss``, ``query_error``); the knee without one."""
        chosen = self._native.choose([f"{name}={most}" for name, most in budgets.items()])
        if chosen is None:
            raise Refused("no point is within the budget: allow more, or compare other points", code="data-refused")
        return chosen

    def policy(self, point: int | None = None, **budgets: float) -> Policy:
        """The policy of a point (of the best one within budgets if none is stated), ready for ``publish``."""
        index = self.choose(**budgets) if point is None else point
        text = self._native.policy_text(index)
        if text is not None:
            return Policy.from_toml(text)
        assert self._policy is not None
        method, models = self._candidates[index]
        return self._policy.replacing(method, models)

    def to_dict(self) -> dict[str, Any]:
        """The comparison as the command line's ``--json`` has it, without the version of its shape."""
        shown: dict[str, Any] = json.loads(self._native.to_json())
        return shown

    def to_csv(self) -> str:
        """All points as CSV."""
        return self._native.to_csv()

    def to_svg(self) -> str:
        """The frontier as a drawing."""
        return self._native.to_svg()

    def plot(self, ax: Axes | None = None) -> Axes | Svg:
        """The frontier: on axes of matplotlib where that is installed, else as an SVG that a notebook shows."""
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            return Svg(self.to_svg())
        axes = ax if ax is not None else plt.subplots()[1]
        series: dict[str, list[tuple[float, float]]] = {}
        frontier: list[tuple[float, float]] = []
        for point in self.points:
            if point.p_loss is not None and point.u_loss is not None:
                losses = (point.p_loss, point.u_loss)
                series.setdefault(f"{point.method}, {point.model}", []).append(losses)
                frontier += [losses] if point.efficient else []
        for name, points in series.items():
            axes.plot([p for p, _ in points], [u for _, u in points], "o", label=name)
        frontier.sort()
        axes.plot([p for p, _ in frontier], [u for _, u in frontier], "-", color="grey", label="frontier")
        axes.set_xlabel("privacy loss")
        axes.set_ylabel("utility loss")
        axes.legend()
        return axes

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __len__(self) -> int:
        return len(self.points)

    def __str__(self) -> str:
        return self._native.to_text(64, 16)

    def __repr__(self) -> str:
        return f"Comparison({len(self.points)} points, knee {self.knee})"

    def _repr_html_(self) -> str:
        rows = [
            [
                one.method,
                one.model,
                dict(one.parameters),
                one.p_loss,
                one.u_loss,
                one.query_error,
                one.efficient or None,
                one.refused,
            ]
            for one in self.points
        ]
        header = ["method", "model", "parameters", "P loss", "U loss", "query error", "efficient", "can't be had"]
        return self.to_svg() + _html.table(header, rows)


class Svg:
    """A drawing that notebooks show."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_svg_(self) -> str:
        return self.text
