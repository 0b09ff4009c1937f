"""The privacy models, to be required of a release: ``mo.publish(..., require=[mo.KAnonymity(5)])``.

A constructor refuses parameters that are out of range, with the library's own words. What a model protects, and what it does not, its page
says: ``mo.explain("k-anonymity")``.

>>> import moretta as mo
>>> mo.TCloseness(0.2, distance="equal")
TCloseness(t=0.2, distance='equal')
>>> mo.TCloseness(1.5, distance="equal")
Traceback (most recent call last):
moretta._errors.WrongInput: ...
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from . import _moretta as native
from ._json import dumps, stated

Distance: TypeAlias = Literal["ordered", "equal", "hierarchical", "js", "kl", "variational", "kernel-js"]
"""A distance between distributions of sensitive values."""


class Model:
    """A privacy model with its parameters. There is a class for each model of the library; a model from elsewhere is named.

    >>> import moretta as mo
    >>> mo.Model("k-anonymity", k=5) == mo.KAnonymity(5)
    True
    """

    def __init__(self, name: str, /, **parameters: object) -> None:
        self.name = name
        """What policies call it."""
        self.parameters: dict[str, object] = stated(**parameters)
        """Its parameters, called as in a policy."""
        native.check_model(dumps(self.to_dict()))

    def to_dict(self) -> dict[str, object]:
        """As a policy states it."""
        return {"model": self.name, **self.parameters}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Model) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(dumps(self.to_dict()))

    def __repr__(self) -> str:
        words = [repr(self.name)] if type(self) is Model else []
        words += [f"{name}={value!r}" for name, value in self.parameters.items()]
        return f"{type(self).__name__}({', '.join(words)})"


class KAnonymity(Model):
    """Every person's quasi-identifiers are published alike for at least k people: a promise of generalized releases."""

    def __init__(self, k: int) -> None:
        super().__init__("k-anonymity", k=k)


class BucketSize(Model):
    """Every bucket holds at least k people. It says nothing about how many different values it has."""

    def __init__(self, k: int) -> None:
        super().__init__("bucket-size", k=k)


class CondensedK(Model):
    """Each record is drawn from the moments of at least k people: a promise of condensed releases."""

    def __init__(self, k: int) -> None:
        super().__init__("condensed-k", k=k)


class UncertainKAnonymity(Model):
    """Of each density, k people are expected to fit it at least as well as its owner: a promise of uncertain releases.

    ``k`` is a number, the attribute that holds it for each record, or rules of which the first that is true decides:
    ``[{"where": "age >= 80", "k": 20}, {"k": 10}]``.
    """

    def __init__(self, k: float | str | Sequence[Mapping[str, object]]) -> None:
        super().__init__("uncertain-k-anonymity", k=k)


class DistinctLDiversity(Model):
    """Every group has at least l different sensitive values."""

    def __init__(self, l: int, *, attribute: str | None = None) -> None:
        super().__init__("distinct-l-diversity", l=l, attribute=attribute)


class ProbabilisticLDiversity(Model):
    """No sensitive value is that of more than 1/l of a group."""

    def __init__(self, l: float, *, attribute: str | None = None) -> None:
        super().__init__("probabilistic-l-diversity", l=l, attribute=attribute)


class EntropyLDiversity(Model):
    """The entropy of a group's sensitive values is at least ln l."""

    def __init__(self, l: float, *, attribute: str | None = None) -> None:
        super().__init__("entropy-l-diversity", l=l, attribute=attribute)


class RecursiveLDiversity(Model):
    """The most frequent value of a group is less than c times as frequent as all but the l - 1 most frequent ones together."""

    def __init__(self, c: float, l: int, *, attribute: str | None = None) -> None:
        super().__init__("recursive-l-diversity", c=c, l=l, attribute=attribute)


class LDiverseSlicing(Model):
    """Nobody's value is believed with more than 1/l: a promise of sliced releases."""

    def __init__(self, l: float, *, attribute: str | None = None) -> None:
        super().__init__("l-diverse-slicing", l=l, attribute=attribute)


class MatchingLDiversity(Model):
    """Everybody may have at least l values, whatever the negative rules exclude that hold in the table with at least this expectation."""

    def __init__(
        self,
        l: int,
        min_expectation: float,
        *,
        max_items: int | None = None,
        fuzzy: bool | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__(
            "matching-l-diversity",
            l=l,
            min_expectation=min_expectation,
            max_items=max_items,
            fuzzy=fuzzy,
            attribute=attribute,
        )


class TCloseness(Model):
    """The distribution of sensitive values in every group is within t of that in the table."""

    def __init__(
        self,
        t: float,
        distance: Distance,
        *,
        order: Literal["rank", "value"] | None = None,
        bandwidth: float | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__("t-closeness", t=t, distance=distance, order=order, bandwidth=bandwidth, attribute=attribute)


class NTCloseness(Model):
    """The distribution in every group is within t of that in some part of the table that holds it and at least n people."""

    def __init__(
        self,
        n: int,
        t: float,
        distance: Distance,
        *,
        order: Literal["rank", "value"] | None = None,
        bandwidth: float | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__(
            "n-t-closeness", n=n, t=t, distance=distance, order=order, bandwidth=bandwidth, attribute=attribute
        )


class BTPrivacy(Model):
    """The release moves the belief of adversaries who know the table's patterns by at most t, about anybody.

    Each adversary of the skyline is a pair of a bandwidth, which says how sharply she knows the patterns (``math.inf`` for the distribution of
    the whole table alone), and what she may learn at most.
    """

    def __init__(
        self,
        skyline: Sequence[tuple[float | Mapping[str, float], float]],
        *,
        distance: Distance | None = None,
        smoothing: float | None = None,
        order: Literal["rank", "value"] | None = None,
        distances: Mapping[str, Mapping[str, object]] | None = None,
        inference: Literal["exact", "omega"] | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__(
            "b-t-privacy",
            skyline=[{"bandwidth": _bandwidth(bandwidth), "t": t} for bandwidth, t in skyline],
            distance=distance,
            smoothing=smoothing,
            order=order,
            distances=distances,
            inference=inference,
            attribute=attribute,
        )


def _bandwidth(bandwidth: float | Mapping[str, float]) -> object:
    if isinstance(bandwidth, Mapping):
        return {name: _bandwidth(one) for name, one in bandwidth.items()}
    return "inf" if math.isinf(bandwidth) else bandwidth


class DeltaDisclosure(Model):
    """No value is more than e^delta times as frequent in a group as in the table, or less than 1/e^delta times."""

    def __init__(self, delta: float, *, attribute: str | None = None) -> None:
        super().__init__("delta-disclosure", delta=delta, attribute=attribute)


class AlphaKAnonymity(Model):
    """k-anonymity, and no sensitive value (or none of ``values``) is that of more than alpha of a group."""

    def __init__(
        self, alpha: float, k: int, *, values: Sequence[str] | None = None, attribute: str | None = None
    ) -> None:
        super().__init__("alpha-k-anonymity", alpha=alpha, k=k, values=values, attribute=attribute)


class PSensitive(Model):
    """k-anonymity, and every group has at least p different sensitive values."""

    def __init__(self, p: int, k: int, *, attribute: str | None = None) -> None:
        super().__init__("p-sensitive", p=p, k=k, attribute=attribute)


class PPlusSensitive(Model):
    """k-anonymity, and the values of every group come from at least p categories. The attribute needs categories."""

    def __init__(self, p: int, k: int, *, attribute: str | None = None) -> None:
        super().__init__("p-plus-sensitive", p=p, k=k, attribute=attribute)


class PAlphaSensitive(Model):
    """k-anonymity, at least p different values, and a total weight of at least alpha in every group. The attribute needs categories."""

    def __init__(self, p: int, alpha: float, k: int, *, attribute: str | None = None) -> None:
        super().__init__("p-alpha-sensitive", p=p, alpha=alpha, k=k, attribute=attribute)


class AlphaBetaPrivacy(Model):
    """Nobody's presence is believed with more than alpha, and nobody's sensitive value with more than beta: a promise of ambiguous releases."""

    def __init__(
        self,
        alpha: float,
        beta: float,
        *,
        presence: Literal["combined", "group"] | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__("alpha-beta-privacy", alpha=alpha, beta=beta, presence=presence, attribute=attribute)


class PPrivate(Model):
    """What can be believed of anybody's value in a group is a distribution that the steward chose: a promise of distribution releases.

    ``target`` is ``"uniform"``, ``"table"``, ``"group"``, ``{"normal": {"mean": 40, "variance": 9}}``, ``{"zipf": 1.2}``, or another promise
    that the nearest distribution is to keep: ``mo.TCloseness(0.15, "ordered")``.
    """

    def __init__(
        self,
        target: str | Mapping[str, object] | Model,
        *,
        max_denominator: int | None = None,
        attribute: str | None = None,
    ) -> None:
        wish = target.to_dict() if isinstance(target, Model) else target
        super().__init__("p-private", target=wish, max_denominator=max_denominator, attribute=attribute)


ALL: tuple[type[Model], ...] = (
    KAnonymity,
    BucketSize,
    CondensedK,
    UncertainKAnonymity,
    DistinctLDiversity,
    ProbabilisticLDiversity,
    EntropyLDiversity,
    RecursiveLDiversity,
    LDiverseSlicing,
    MatchingLDiversity,
    TCloseness,
    NTCloseness,
    BTPrivacy,
    DeltaDisclosure,
    AlphaKAnonymity,
    PSensitive,
    PPlusSensitive,
    PAlphaSensitive,
    AlphaBetaPrivacy,
    PPrivate,
)
