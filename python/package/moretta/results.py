"""What calls find: promises and levels. Each result has its JSON, which is that of the command line: ``to_dict()``."""

from __future__ import annotations

import copy
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from . import _html
from ._errors import PromiseBroken

Json = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Result:
    """What a call found."""

    json: Json = field(repr=False, compare=False)

    def to_dict(self) -> dict[str, Any]:
        """The result as the command line's ``--json`` has it, without the version of its shape."""
        return {name: copy.deepcopy(value) for name, value in self.json.items() if name != "schema"}


@dataclass(frozen=True)
class Verdict:
    """The judgement about a promise."""

    model: str
    """The model."""
    promised: Mapping[str, Any]
    """Its parameters."""
    achieved: Mapping[str, Any]
    """What is reached; ``None`` where it is infinite."""
    holds: bool
    """Whether the promise holds."""
    proved_from: str
    """What it was proved from: files, or files and original."""

    @classmethod
    def of(cls, json: Json) -> Verdict:
        """A verdict of the library."""
        return cls(json["model"], json["promised"], json["achieved"], json["holds"], json["proved_from"])

    def __str__(self) -> str:
        sign = "holds" if self.holds else "BROKEN"
        return (
            f"{self.model}: {_html.spelled(dict(self.promised))}; reached {_html.spelled(dict(self.achieved))}: {sign}"
        )


def verdicts(json: Json) -> list[Verdict]:
    """The judgements of a result."""
    return [Verdict.of(one) for one in json["guarantees"]]


def verdict_table(found: Sequence[Verdict]) -> str:
    """Judgements as a table."""
    rows = [[one.model, dict(one.promised), dict(one.achieved), one.holds] for one in found]
    return _html.table(["promise", "required", "reached", "holds"], rows)


def demand(found: Sequence[Verdict], others: Sequence[str] = ()) -> None:
    """Raises where a promise does not hold."""
    broken = [str(one) for one in found if not one.holds] + list(others)
    if broken:
        raise PromiseBroken("; ".join(broken), code="promise-broken")


@dataclass(frozen=True)
class AttributeLevels:
    """The levels that the groups of a table reach in one sensitive attribute: those of the worst group for each."""

    distinct_l: int
    probabilistic_l: float
    entropy_l: float
    recursive: Mapping[int, float]
    """For each l that holds with some c, what c must exceed."""
    alpha: float
    p: int
    p_plus: int | None
    weight: float | None
    t: Mapping[str, float]
    """The distance from the whole, for each distance that the attribute has."""
    delta: float

    @classmethod
    def of(cls, json: Json) -> AttributeLevels:
        """The levels of the library, where ``None`` is infinite."""
        return cls(
            distinct_l=json["distinct_l"],
            probabilistic_l=_level(json["probabilistic_l"]),
            entropy_l=_level(json["entropy_l"]),
            recursive={int(l): _level(c) for l, c in json["recursive"].items()},
            alpha=_level(json["alpha"]),
            p=json["p"],
            p_plus=json.get("p_plus"),
            weight=json.get("weight"),
            t={name: _level(t) for name, t in json["t"].items()},
            delta=_level(json["delta"]),
        )


def _level(level: float | None) -> float:
    return math.inf if level is None else level


@dataclass(frozen=True, kw_only=True)
class Levels(Result):
    """The levels that a table reaches which any tool has anonymized."""

    rows: int
    """The people in it."""
    groups: int
    """People who share all quasi-identifiers are a group."""
    k: int
    """The people of the smallest group."""
    sensitive: Mapping[str, AttributeLevels]
    """The levels of each sensitive attribute."""
    class_sizes: Mapping[str, float]
    """How large groups are: min, median, mean, max, and how many people are alone in theirs."""
    worst: Sequence[Mapping[str, Any]] = field(repr=False)
    """For each level, the groups that reach no more."""
    guarantees: list[Verdict]
    """The judgement about each promise that was required."""
    unproved: Sequence[str]
    """Promises that speak of a release and its original, so that no table can be judged by them."""

    @classmethod
    def of(cls, json: Json) -> Levels:
        """Levels of the library."""
        return cls(
            json=json,
            rows=json["rows"],
            groups=json["groups"],
            k=json["k"],
            sensitive={name: AttributeLevels.of(one) for name, one in json["sensitive"].items()},
            class_sizes=json["class_sizes"],
            worst=json["worst"],
            guarantees=verdicts(json),
            unproved=json.get("unproved", []),
        )

    @property
    def holds(self) -> bool:
        """Whether every promise holds that was required and could be judged."""
        return all(one.holds for one in self.guarantees)

    def demand(self) -> Levels:
        """Raises `PromiseBroken` where a promise does not hold; else the levels themselves."""
        demand(self.guarantees)
        return self

    def _repr_html_(self) -> str:
        names = ["distinct_l", "probabilistic_l", "entropy_l", "alpha", "delta"]
        rows = [[name, *(getattr(of, one) for one in names), dict(of.t)] for name, of in self.sensitive.items()]
        page = _html.heading(f"{self.rows:,} people in {self.groups:,} groups: k = {self.k:,}")
        page += _html.table(["sensitive", "distinct l", "probabilistic l", "entropy l", "alpha", "delta", "t"], rows)
        return page + (verdict_table(self.guarantees) if self.guarantees else "")


@dataclass(frozen=True, kw_only=True)
class Verification(Result):
    """What a recipient can verify of a release, or a steward who has the original."""

    rows: int
    """The people in the release."""
    groups: int
    """Its groups."""
    k: int | None
    """The k of k-anonymity, where people publish the same quasi-identifiers."""
    smallest_group: int | None
    """The people of the smallest group."""
    suppressed: int
    """The people that were left out."""
    files: Mapping[str, str]
    """The files, with the SHA-256 that each has and the manifest states."""
    guarantees: list[Verdict]
    """The judgement about each promise that could be judged."""
    unproved: Sequence[Mapping[str, Any]]
    """Promises that can only be judged beside the original, which was not given."""
    unprovable: Sequence[Mapping[str, Any]]
    """Promises that no release of this kind can keep in their own words."""
    holds: bool
    """Whether every promise holds that could be judged, and none is claimed that such a release can't keep."""

    @classmethod
    def of(cls, json: Json, holds: bool) -> Verification:
        """A verification of the library."""
        return cls(
            json=json,
            rows=json["rows"],
            groups=json["groups"],
            k=json["k"],
            smallest_group=json["smallest_group"],
            suppressed=json["suppressed"],
            files={one["file"]: one["sha256"] for one in json["files"]},
            guarantees=verdicts(json),
            unproved=json["unproved"],
            unprovable=json["unprovable"],
            holds=holds,
        )

    def demand(self) -> Verification:
        """Raises `PromiseBroken` where a promise does not hold; else the verification itself."""
        demand(self.guarantees, [str(one) for one in self.unprovable])
        return self

    def _repr_html_(self) -> str:
        size = f": k = {self.k:,}" if self.k is not None else ""
        return _html.heading(f"{self.rows:,} people in {self.groups:,} groups{size}") + verdict_table(self.guarantees)


@dataclass(frozen=True, kw_only=True)
class Report(Result):
    """What was published, what it promises, what it costs."""

    method: str
    rows_in: int
    rows_out: int
    suppressed: int
    groups: int
    guarantees: list[Verdict]
    utility: Mapping[str, Any]
    """What it costs: loss, gcp, dm, association and more; ``None`` where a cost has no meaning."""
    warnings: Sequence[str]
    """What a steward should look at."""
    seconds: Mapping[str, float]
    """Where the time went."""

    @classmethod
    def of(cls, json: Json) -> Report:
        """A report of the library."""
        return cls(
            json=json,
            method=json["method"],
            rows_in=json["rows_in"],
            rows_out=json["rows_out"],
            suppressed=json["suppressed"],
            groups=json["groups"],
            guarantees=verdicts(json),
            utility=json["utility"],
            warnings=json["warnings"],
            seconds=json["seconds"],
        )

    @property
    def loss(self) -> float | None:
        """The share of each value's precision that is gone, from 0 to 1; ``None`` where nothing is generalized."""
        loss: float | None = self.utility["loss"]
        return loss

    @property
    def bound(self) -> float | None:
        """What no release under these promises and hierarchies can lose less than, where that was asked for and proved."""
        bound: float | None = self.json.get("bound")
        return bound

    def _repr_html_(self) -> str:
        costs = [[name, cost] for name, cost in self.utility.items() if isinstance(cost, (int, float))]
        page = _html.heading(f"{self.rows_out:,} people in {self.groups:,} groups with {self.method}")
        return page + verdict_table(self.guarantees) + _html.table(["cost", ""], costs)
