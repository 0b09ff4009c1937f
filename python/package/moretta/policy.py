"""Policies: what a table is, what is promised about its release, and how the release is made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, cast

from . import _moretta as native
from ._call import Rest
from ._errors import WrongInput
from ._json import dumps, stated
from .hierarchy import Hierarchy
from .methods import Method
from .models import Model

if TYPE_CHECKING:
    from typing_extensions import Unpack

Type: TypeAlias = Literal["integer", "number", "text", "code", "date", "timestamp", "boolean"]
"""The type of an attribute."""


@dataclass(frozen=True, repr=False)
class Attribute:
    """An attribute: its name, and what is not the default about it.

    >>> import moretta as mo
    >>> mo.Attribute("zip", type="text", hierarchy=mo.hierarchy.mask("right"))
    Attribute(name='zip', type='text', hierarchy=Hierarchy({'mask': 'right'}))
    """

    name: str
    """The column."""
    type: Type | None = None
    """Its type; found out if not stated."""
    hierarchy: Hierarchy | None = None
    """How its values are generalized; as their type suggests if not stated."""
    categories: Sequence[Sequence[str]] | None = field(default=None)
    """Categories of its values, the most sensitive first."""
    pseudonym: bool = field(default=False, repr=False)
    """Whether an identifier is published under a keyed pseudonym."""
    format: str | None = None
    """How texts spell days, if not as 1994-03-07: ``%d.%m.%Y``."""
    importance: float | None = None
    """How much its loss weighs in what methods minimize, where others have 1; the loss that is reported is weighed by nothing."""
    max_level: int | None = None
    """The level of its hierarchy above which it is never generalized."""
    suppress_cells: bool = False
    """Whether a value that may not be told is ``*``, instead of something coarser than ``max_level``, or than itself."""
    linked: str | None = None
    """The finer column as which it is generalized."""

    def __repr__(self) -> str:
        """The attribute, with what is not the default about it."""
        rest = [(one.name, getattr(self, one.name)) for one in fields(self) if getattr(self, one.name) != one.default]
        return f"Attribute({', '.join(f'{key}={value!r}' for key, value in rest)})"


Names: TypeAlias = "str | Attribute | Iterable[str | Attribute]"
"""A column, or several: names, or attributes that say more."""


class Roles(TypedDict, total=False):
    """What a policy states, as keywords of calls."""

    identifier: Names
    """Names a person; never published. One that occurs twice is refused."""
    person: Names
    """Names the person that a row belongs to, where several rows may belong to one: promises then count people."""
    quasi: Names
    """Helps to recognize a person."""
    sensitive: Names
    """Must not be learned about a person."""
    insensitive: Names
    """Published as it is."""
    weight: Names
    """How many people a row stands for."""
    group: Names
    """Rows that share its value form a group."""
    unclassified: Names
    """Neither quasi nor sensitive, for methods that need no such distinction."""
    drop: Names
    """Not published."""
    hierarchies: Mapping[str, Hierarchy]
    """How the values of columns are generalized."""
    types: Mapping[str, Type]
    """The types of columns, where they are not what the frame says."""
    require: Model | Sequence[Model]
    """What is promised. All promises hold together."""
    method: str | Method
    """How the release is made."""
    suppression: float
    """The share of people that the method may leave out, from 0 to 1."""
    where: str
    """Only rows that satisfy a condition, such as ``age >= 18``."""
    missing: Literal["drop", "drop-any", "keep", "error"]
    """What becomes of rows that lack a value; they are left out if nothing is stated."""
    missing_values: Sequence[str]
    """Texts that stand for a missing value, beside the empty one."""
    accept: Mapping[str, float]
    """The most that attacks may reach, whatever was promised."""
    format: Literal["csv", "parquet", "xlsx"]
    """The format of the files."""
    intervals: Literal["text", "bounds"]
    """How generalized numbers and days are written: as texts, or as typed columns of their ends."""
    release: Mapping[str, str]
    """What recipients are told of the data: title, contact, licence, citation."""


_ROLES = ("identifier", "person", "weight", "quasi", "sensitive", "insensitive", "group", "unclassified", "drop")


class Policy:
    """A policy, checked as far as it can be without data.

    >>> import moretta as mo
    >>> policy = mo.Policy(quasi=["age", "zip"], sensitive="disease", require=mo.KAnonymity(5), method="least-loss")
    >>> mo.Policy.from_toml(policy.to_toml()) == policy
    True
    """

    def __init__(self, **parts: Unpack[Roles]) -> None:
        self._folder = Path(".")
        self._native = native.Policy.from_json(dumps(_tree(parts)), self._folder)

    @classmethod
    def _of(cls, made: native.Policy, folder: Path) -> Policy:
        policy = cls.__new__(cls)
        policy._native, policy._folder = made, folder
        return policy

    @classmethod
    def from_toml(cls, text: str, *, folder: str | os.PathLike[str] = ".") -> Policy:
        """The text of a policy file; the hierarchies that it names are files in a folder."""
        return cls._of(native.Policy.from_toml(text, folder), Path(folder))

    @classmethod
    def load(cls, path: str | os.PathLike[str], *, set: Sequence[str] = ()) -> Policy:
        """A policy file, which names its table; its paths are relative to its folder. ``set`` overrides, as in ``require.0.k=10``."""
        return cls._of(native.Policy.load(path, list(set)), Path(path).parent)

    @classmethod
    def from_dict(cls, tree: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".") -> Policy:
        """The tables and keys of a policy file."""
        return cls._of(native.Policy.from_json(dumps(tree), folder), Path(folder))

    def with_pseudonym_key(self, file: str | os.PathLike[str]) -> Policy:
        """The same with the key of its pseudonyms from a file."""
        return Policy._of(self._native.with_pseudonym_key(file), self._folder)

    def to_toml(self) -> str:
        """The policy as a file states it."""
        return self._native.to_toml()

    def to_dict(self) -> dict[str, Any]:
        """The tables and keys of the policy's file."""
        return cast("dict[str, Any]", json.loads(self._native.to_json()))

    @property
    def roles(self) -> dict[str, str]:
        """The role of each attribute."""
        return {name: attribute["role"] for name, attribute in self.to_dict()["attributes"].items()}

    def covering(self, columns: Iterable[str], rest: Rest) -> Policy:
        """The same policy where columns that it does not name have a role too."""
        if rest not in ("raise", "drop", "insensitive"):
            raise WrongInput(f"rest is {rest!r}: 'raise', 'drop' or 'insensitive'", code="wrong-parameter")
        roles = self.roles
        unnamed = [column for column in columns if column not in roles]
        if rest == "raise" or not unnamed:
            return self
        tree = self.to_dict()
        tree["attributes"].update({column: {"role": rest} for column in unnamed})
        return Policy.from_dict(tree, folder=self._folder)

    def replacing(self, method: Method | str, require: Sequence[Model]) -> Policy:
        """The same policy with another method and other promises."""
        tree = self.to_dict()
        tree["require"] = [model.to_dict() for model in require]
        tree["method"] = _method(method).to_dict()
        return Policy.from_dict(tree, folder=self._folder)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Policy) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        tree = self.to_dict()
        roles: dict[str, list[str]] = {}
        for name, role in self.roles.items():
            roles.setdefault(role, []).append(name)
        words = [f"{role}={names!r}" for role, names in roles.items()]
        words += [f"require={[one['model'] for one in tree.get('require', [])]!r}"]
        words += [f"method={tree['method']['name']!r}"] if "method" in tree else []
        return f"Policy({', '.join(words)})"


def chosen(policy: Policy | str | os.PathLike[str] | None, parts: Roles, default_method: str | None = None) -> Policy:
    """The policy of a call: the one that was passed, or the one that its keywords state."""
    if policy is None:
        if default_method is not None:
            parts = {"method": default_method, **parts}  # type: ignore[typeddict-item, unused-ignore]
        return Policy(**parts)
    if parts:
        raise WrongInput(f"a policy states everything: leave out {', '.join(parts)}, or the policy")
    return policy if isinstance(policy, Policy) else Policy.load(policy)


def _tree(parts: Roles) -> dict[str, object]:
    """The tables and keys of a policy file."""
    unknown = [name for name in parts if name not in Roles.__annotations__]
    if unknown:
        raise TypeError(f"there is no keyword {unknown[0]!r}: {', '.join(Roles.__annotations__)}")
    data = stated(missing=parts.get("missing"), missing_values=parts.get("missing_values"), where=parts.get("where"))
    tree: dict[str, object] = {"data": data} if data else {}
    tree["attributes"] = _attributes(parts)
    required = parts.get("require", ())
    models = [required] if isinstance(required, Model) else list(required)
    if models:
        tree["require"] = [model.to_dict() for model in models]
    if "method" in parts:
        tree["method"] = {**_method(parts["method"]).to_dict(), **stated(suppression=parts.get("suppression"))}
    output = stated(format=parts.get("format"), intervals=parts.get("intervals"))
    if output:
        tree["output"] = output
    if "accept" in parts:
        tree["accept"] = dict(parts["accept"])
    if "release" in parts:
        tree["release"] = dict(parts["release"])
    return tree


def _method(method: str | Method) -> Method:
    return method if isinstance(method, Method) else Method(method)


def _attributes(parts: Roles) -> dict[str, object]:
    hierarchies, types = dict(parts.get("hierarchies", {})), dict(parts.get("types", {}))
    attributes: dict[str, object] = {}
    for role in _ROLES:
        for attribute in _listed(cast("Names", parts.get(role, ()))):
            name = attribute.name
            if name in attributes:
                raise WrongInput(f"the column {name!r} has two roles", code="wrong-parameter")
            hierarchy = hierarchies.pop(name, attribute.hierarchy)
            attributes[name] = {
                "role": role,
                **stated(
                    type=types.pop(name, attribute.type),
                    format=attribute.format,
                    hierarchy=hierarchy.to_dict() if hierarchy is not None else None,
                    categories=attribute.categories,
                    pseudonym=attribute.pseudonym or None,
                    importance=attribute.importance,
                    max_level=attribute.max_level,
                    suppress_cells=attribute.suppress_cells or None,
                    linked=attribute.linked,
                ),
            }
    for name in (*hierarchies, *types):
        raise WrongInput(f"the column {name!r} has no role", code="unknown-attribute")
    return attributes


def _listed(names: Names) -> list[Attribute]:
    listed = [names] if isinstance(names, (str, Attribute)) else list(names)
    return [one if isinstance(one, Attribute) else Attribute(one) for one in listed]
