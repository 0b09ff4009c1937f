"""The publication methods, by which a release is made: ``mo.publish(..., method=mo.methods.Mondrian())``, or by name, ``method="mondrian"``.

>>> import moretta as mo
>>> mo.methods.FullDomain(objective="gcp", suppression=0.04)
FullDomain(objective='gcp', suppression=0.04)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from . import _moretta as native
from ._json import dumps, stated


class Method:
    """A method with its parameters. There is a class for each method of the library; a method from elsewhere is named.

    ``suppression`` is the share of people that it may leave out, from 0 to 1.
    """

    def __init__(self, name: str, /, **parameters: object) -> None:
        self.name = name
        """What policies call it."""
        self.parameters: dict[str, object] = stated(**parameters)
        """Its parameters, called as in a policy."""
        native.check_method(dumps(self.to_dict()))

    def to_dict(self) -> dict[str, object]:
        """As a policy states it."""
        return {"name": self.name, **self.parameters}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash(dumps(self.to_dict()))

    def __repr__(self) -> str:
        words = [repr(self.name)] if type(self) is Method else []
        words += [f"{name}={value!r}" for name, value in self.parameters.items()]
        return f"{type(self).__name__}({', '.join(words)})"


class LeastLoss(Method):
    """Generalization with the least loss of several algorithms; groups may overlap."""

    def __init__(self, *, suppression: float | None = None) -> None:
        super().__init__("least-loss", suppression=suppression)


class Mondrian(Method):
    """Generalization by the algorithm of LeFevre, DeWitt and Ramakrishnan, or the same groups as buckets."""

    def __init__(
        self, *, recoding: Literal["generalize", "bucketize"] | None = None, suppression: float | None = None
    ) -> None:
        super().__init__("mondrian", recoding=recoding, suppression=suppression)


class FullDomain(Method):
    """Every value of an attribute is generalized to the same level."""

    def __init__(
        self,
        *,
        objective: Literal["loss", "gcp", "dm", "height", "entropy"] | None = None,
        search: Literal["optimal", "minimal", "heuristic"] | None = None,
        nodes: int | None = None,
        suppression: float | None = None,
    ) -> None:
        super().__init__("full-domain", objective=objective, search=search, nodes=nodes, suppression=suppression)


class TopDown(Method):
    """Local recoding from the top of the hierarchies down."""

    def __init__(self, *, suppression: float | None = None) -> None:
        super().__init__("top-down", suppression=suppression)


class Clustering(Method):
    """Local recoding of clusters of similar people."""

    def __init__(self, *, suppression: float | None = None) -> None:
        super().__init__("clustering", suppression=suppression)


class Anatomy(Method):
    """Exact quasi-identifiers, with the sensitive values of buckets apart."""

    def __init__(self, *, suppression: float | None = None) -> None:
        super().__init__("anatomy", suppression=suppression)


class Transparent(Method):
    """Groups whose promise holds although the adversary knows the program; generalized, or as buckets."""

    def __init__(self, *, recoding: Literal["generalize", "bucketize"] | None = None) -> None:
        super().__init__("transparent", recoding=recoding)


class Ambiguity(Method):
    """Auxiliary tables of values, so that presence and association are hidden."""

    def __init__(self, *, suppression: float | None = None) -> None:
        super().__init__("ambiguity", suppression=suppression)


class Injector(Method):
    """Buckets whose people may have many values, whatever the rules exclude that hold in the table."""

    def __init__(self, *, suppression: float | None = None) -> None:
        super().__init__("injector", suppression=suppression)


class Slicing(Method):
    """Attributes in columns whose values are shuffled against each other within buckets."""

    def __init__(
        self,
        columns: int | Sequence[Sequence[str]],
        *,
        sensitive_column: int | None = None,
        bins: int | None = None,
        column_k: int | None = None,
        bucket_size: int | None = None,
        suppression: float | None = None,
    ) -> None:
        super().__init__(
            "slicing",
            columns=columns,
            sensitive_column=sensitive_column,
            bins=bins,
            column_k=column_k,
            bucket_size=bucket_size,
            suppression=suppression,
        )


class Distribution(Method):
    """Sensitive values generalized until they seem to follow the distribution that was chosen."""

    def __init__(
        self,
        *,
        groups: Sequence[str] | Mapping[str, object] | None = None,
        grouping: Literal["sa-only", "qi-sa"] | None = None,
        arity: int | None = None,
        fakes: float | None = None,
    ) -> None:
        super().__init__("distribution", groups=groups, grouping=grouping, arity=arity, fakes=fakes)


class Uncertain(Method):
    """Records published as probability densities."""

    def __init__(
        self,
        *,
        family: Literal["gaussian", "uniform"] | None = None,
        scaling: Literal["global", "local", "rotated"] | None = None,
        scale: Literal["grid", "exact"] | None = None,
        categorical: Literal["keep", "drop", "one-hot"] | None = None,
        range: Literal["rounded", "exact", "none"] | None = None,
    ) -> None:
        super().__init__("uncertain", family=family, scaling=scaling, scale=scale, categorical=categorical, range=range)


class Condensation(Method):
    """Records drawn from the moments of groups."""

    def __init__(self, *, categorical: Literal["drop", "one-hot"] | None = None) -> None:
        super().__init__("condensation", categorical=categorical)


ALL: tuple[type[Method], ...] = (
    LeastLoss,
    Mondrian,
    FullDomain,
    TopDown,
    Clustering,
    Anatomy,
    Transparent,
    Ambiguity,
    Injector,
    Slicing,
    Distribution,
    Uncertain,
    Condensation,
)
