"""What adversaries find."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from . import _html
from ._errors import PromiseBroken, WrongInput
from .results import Json, Result


@dataclass(frozen=True)
class Knowledge:
    """What adversaries know beforehand.

    >>> import moretta as mo
    >>> mo.Knowledge(bandwidths=[0.2, float("inf")], reasoning="omega")
    Knowledge(rules=0.9, bandwidths=[0.2, inf], reasoning='omega')
    """

    rules: float = 0.9
    """The least expectation of the negative rules that they know, from 0 to 1."""
    bandwidths: Sequence[float] = (0.3,)
    """How sharply each adversary knows the table's patterns: the bandwidth of a kernel prior, above 0, or infinite."""
    reasoning: Literal["exact", "omega"] = "exact"
    """How beliefs are computed: exactly where that is feasible, or by the omega-estimate."""

    def __post_init__(self) -> None:
        if not 0 <= self.rules <= 1:
            raise WrongInput(f"rules is {self.rules}: from 0 to 1", code="wrong-parameter")
        if not self.bandwidths or any(math.isnan(one) or one <= 0 for one in self.bandwidths):
            raise WrongInput("bandwidths must be above 0, or infinite", code="wrong-parameter")
        if self.reasoning not in ("exact", "omega"):
            raise WrongInput(f"reasoning is {self.reasoning!r}: 'exact' or 'omega'", code="wrong-parameter")

    def _native(self) -> tuple[float, list[float], bool]:
        return self.rules, list(self.bandwidths), self.reasoning == "exact"


@dataclass(frozen=True)
class Victim:
    """A person of the original, and what happens to her. Never for a recipient's eyes."""

    row: int
    """The row of the original, counted from 1."""
    says: str
    """What the attack reaches."""


@dataclass(frozen=True)
class Finding:
    """Something that an attack measured."""

    attack: str
    """The attack."""
    measure: str
    """What was measured."""
    attribute: str | None
    """The sensitive attribute that it is about."""
    promised: float | None
    """The bound that was promised, if a promise speaks of it."""
    measured: float
    """The worst that was measured."""
    grade: str
    """How bad it is, whatever was promised: none, amber or red."""
    sentence: str
    """What was found."""
    hit: int
    """The people who are hit."""
    people: int
    """The people who were attacked."""
    holds: bool | None
    """Whether the promise holds as far as the attack tells."""
    adversary: str = field(repr=False)
    """What the adversary knows."""
    details: Mapping[str, Any] = field(repr=False)
    """More figures."""
    victims: Sequence[Victim] = field(repr=False)
    """The people who are hit worst."""

    @classmethod
    def of(cls, json: Json, victims: Sequence[Json]) -> Finding:
        """A finding of the library."""
        return cls(
            attack=json["name"],
            measure=json["measure"],
            attribute=json.get("attribute"),
            promised=json["promised"],
            measured=json["measured"],
            grade=json["grade"],
            sentence=json["sentence"],
            hit=json["hit"],
            people=json["people"],
            holds=json["holds"],
            adversary=json["adversary"],
            details=json.get("details", {}),
            victims=[Victim(one["row"], one["says"]) for one in victims],
        )


@dataclass(frozen=True, kw_only=True)
class Audit(Result):
    """What attacks found, and whether what was promised holds."""

    people: int
    """The people, or rows, who were attacked."""
    holds: bool
    """Whether nothing that was tested breaks a promise."""
    grade: str
    """The grade of the worst finding, whatever was promised: none, amber or red."""
    attacks: list[Finding]
    """The attacks that were run."""
    skipped: Mapping[str, str]
    """Those that were not, and why."""
    beyond_promise: list[Finding] = field(repr=False)
    """What was found beyond the promise, the worst first."""
    accepted: bool | None
    """Whether nothing reaches more than the policy accepts; ``None`` where it states nothing."""
    doubts: Sequence[str] = field(repr=False)
    """What could not be understood of the release, and what the policy binds and nothing measured."""

    @classmethod
    def of(cls, json: Json, aside: Json) -> Audit:
        """An audit of the library."""
        attacks = [Finding.of(one, victims) for one, victims in zip(json["attacks"], aside["victims"], strict=True)]
        unmeasured = [f"accept: {key} is set, and no attack on this release measures it" for key in aside["unmeasured"]]
        return cls(
            json=json,
            people=aside["people"],
            holds=json["holds"],
            grade=json["grade"],
            attacks=attacks,
            skipped={one["name"]: one["reason"] for one in json["skipped"]},
            beyond_promise=[attacks[index] for index in aside["beyond_promise"]],
            accepted=json.get("accepted"),
            doubts=[*aside["doubts"], *unmeasured],
        )

    def demand(self) -> Audit:
        """Raises `PromiseBroken` where a promise does not hold or the policy does not accept a finding; else the audit itself."""
        broken = [one.sentence for one in self.attacks if one.holds is False]
        broken += [f"not accepted: {one['sentence']}" for one in self.json.get("refused", [])]
        if broken:
            raise PromiseBroken("; ".join(broken), code="promise-broken")
        return self

    def _repr_html_(self) -> str:
        rows = [
            [one.attack, one.measure, one.promised, one.measured, one.hit, one.holds, one.grade] for one in self.attacks
        ]
        return _html.table(["attack", "measure", "promised", "measured", "hit", "holds", "grade"], rows)
