"""Releases: published here, or opened from a folder."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from . import _call, _frames, _html
from . import _moretta as native
from ._call import Progress, Rest, Seed
from ._errors import WrongInput
from ._frames import FrameLike, Kind
from .answers import Answer, QueryErrors
from .attacks import Audit, Knowledge
from .policy import Policy, Roles, chosen
from .results import Report, Verification, verdict_table

if TYPE_CHECKING:
    from typing_extensions import Unpack

MANY = 50_000
"""A release of more people is not attacked only to be shown."""


class Table:
    """A table read as a policy says, encoded and counted once: for who publishes, compares or attacks it more than once.

    >>> import moretta as mo
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [34, 36, 51, 57], "disease": ["flu", "gout", "flu", "gout"]})
    >>> mo.Table(people, quasi="age", sensitive="disease").people
    4
    """

    def __init__(
        self,
        data: FrameLike | None,
        policy: Policy | str | os.PathLike[str] | None = None,
        *,
        rest: Rest = "raise",
        threads: int = 0,
        progress: Progress = None,
        **parts: Unpack[Roles],
    ) -> None:
        stated = chosen(policy, parts)
        call = _call.make(None, threads, progress)
        if data is None:
            self.policy = stated
            self._native = native.Table.named(stated._native, call)
        else:
            frame = _frames.take(data)
            self.policy = stated.covering(frame.names, rest)
            self._native = native.Table.read(frame, self.policy._native, call)
        self.kind = Kind.of(data)

    @property
    def rows(self) -> int:
        """How many rows are considered: those that the filter and the rule for missing values leave."""
        return self._native.rows

    @property
    def people(self) -> int:
        """How many people these stand for: rows, or the sum of their weights."""
        return self._native.people

    def __repr__(self) -> str:
        return f"Table({self.rows:,} rows, {self.policy!r})"


Original: TypeAlias = "FrameLike | Table"
"""The original of a release: a frame, or one that was read before."""


class Release:
    """A release. What is asked of it is answered from its files, and from nothing else.

    >>> import moretta as mo
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [34, 36, 51, 57], "disease": ["flu", "gout", "flu", "gout"]})
    >>> release = mo.publish(people, quasi="age", sensitive="disease", require=mo.KAnonymity(2), seed=7)
    >>> release.table()["age"].to_list()
    ['[34, 36]', '[34, 36]', '[51, 57]', '[51, 57]']
    >>> release.check().holds
    True
    >>> print(release.query("SELECT COUNT(*) WHERE age < 40 AND disease = 'flu'"))
     1 [1, 1]
    """

    def __init__(self, made: native.Release, kind: Kind, policy: Policy | None) -> None:
        self._native = made
        self._kind = kind
        self._audit: Audit | None = None
        self.policy = policy
        """The policy of its original, where that is known."""

    @property
    def kind(self) -> str:
        """Its kind: which tables it has, and how they are read."""
        return self._native.kind

    @property
    def method(self) -> str:
        """The method that made it."""
        return self._native.method

    @property
    def unit(self) -> str:
        """What it counts as one: people, or rows of which several may belong to one person."""
        return self._native.unit

    @property
    def people(self) -> int:
        """The people in it."""
        return self._native.people

    @cached_property
    def report(self) -> Report | None:
        """What publishing reported; ``None`` for a release that was opened."""
        text = self._native.report
        return None if text is None else Report.of(json.loads(text))

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What it says of itself: kind, method, promises, the meaning of every column."""
        manifest: dict[str, Any] = json.loads(self._native.manifest())
        return manifest

    @cached_property
    def arrow(self) -> dict[str, native.ArrowTable]:
        """Its tables, by name, for whatever has the Arrow PyCapsule interface. The metadata of each field say what its values mean."""
        return dict(self._native.tables(_call.make(progress=False)))

    @property
    def tables(self) -> dict[str, Any]:
        """Its tables, by name, as the kind of frame that was published."""
        return {name: self._kind.give(table) for name, table in self.arrow.items()}

    def table(self, name: str | None = None) -> Any:
        """A table as the kind of frame that was published: the first one, or that of a name."""
        arrow = self.arrow
        if name is None:
            name = next(iter(arrow))
        if name not in arrow:
            raise WrongInput(f"the release has no table {name!r}: {', '.join(arrow)}")
        return self._kind.give(arrow[name])

    def check(
        self,
        original: Original | None = None,
        *,
        threads: int = 0,
        progress: Progress = None,
        cancel: native.CancelToken | None = None,
    ) -> Verification:
        """Verifies it: hashes, structure, counts, and every promise that can be proved from its files, and from the original where given."""
        call = _call.make(None, threads, progress, cancel)
        text, holds = native.verify(self._native, self._original(original), call)
        return Verification.of(json.loads(text), holds)

    def audit(
        self,
        original: Original | None = None,
        *,
        public: FrameLike | None = None,
        population: int | None = None,
        knowledge: Knowledge | None = None,
        only: Sequence[str] = (),
        skip: Sequence[str] = (),
        name_people_in: str | os.PathLike[str] | None = None,
        seed: Seed = 1,
        threads: int = 0,
        progress: Progress = None,
        cancel: native.CancelToken | None = None,
    ) -> Audit:
        """Attacks it in every way that its files, and what is known beside them, allow.

        ``only`` names the attacks that are made, ``skip`` those that are not; `Audit.skipped` lists them.
        ``public`` is a table of the population with the same quasi-identifiers, ``population`` how many people it has. The people who are hit
        worst are named in files of the folder ``name_people_in``, which is not given away.
        """
        found = attack(
            self._native,
            self._original(original),
            public,
            population,
            knowledge,
            chosen_attacks(only, skip),
            name_people_in,
            _call.make(seed, threads, progress, cancel),
        )
        self._audit = found
        return found

    def query(
        self,
        sql: str,
        original: Original | None = None,
        *,
        threads: int = 0,
        progress: Progress = None,
        cancel: native.CancelToken | None = None,
    ) -> Answer:
        """Answers a question with an estimate, and bounds that no original which fits the files can leave; beside the truth where given.

        ``SELECT COUNT(*), AVG(age) WHERE age >= 50 AND disease = 'flu' GROUP BY sex``
        """
        text = self._native.query(sql, self._original(original), _call.make(None, threads, progress, cancel))
        return Answer.of(sql, json.loads(text))

    def query_errors(
        self,
        original: Original,
        *,
        dimension: int = 4,
        selectivity: float = 0.05,
        queries: int = 1000,
        groups: bool = False,
        seed: int = 1,
        threads: int = 0,
        progress: Progress = None,
    ) -> QueryErrors:
        """Asks random count queries, for ranges or for single groups, and measures how far off the answers are."""
        table = self._original(original)
        assert table is not None
        workload = (dimension, selectivity, queries, seed)
        text = self._native.errors(table, workload, groups, _call.make(None, threads, progress))
        return QueryErrors.of(json.loads(text))

    def save(self, folder: str | os.PathLike[str], *, replace: bool = False) -> None:
        """Puts it into a folder: ``release/`` may be given away, ``private/`` must not. Both appear whole or not at all."""
        self._native.save(folder, replace, _call.make(progress=False))

    def to_sql(self, dialect: Literal["common", "postgresql", "sqlite", "duckdb"] = "common") -> str:
        """A script that loads its tables into a database: of SQL that all understand, or for one, whose types hold every value as it is."""
        return self._native.to_sql(dialect, _call.make(progress=False))

    def _original(self, original: Original | None) -> native.Table | None:
        if original is None:
            return None
        if isinstance(original, Table):
            return original._native
        if self.policy is None:
            raise WrongInput(
                "what the original's columns are, a policy says: open the release with one, mo.open(folder, policy=…), or pass a mo.Table"
            )
        return native.Table.read(_frames.take(original), self.policy._native, _call.make(progress=False))

    def __repr__(self) -> str:
        models = ", ".join(one["model"] for one in self.manifest.get("guarantees", []))
        return f"Release({self.people:,} {self.unit}, {self.kind} by {self.method}, promises {models or 'nothing'})"

    def _repr_html_(self) -> str:
        page = _html.heading(f"{self.people:,} {self.unit}, {self.kind} by {self.method}")
        report = self.report
        page += verdict_table(report.guarantees if report is not None else self.check().guarantees)
        if report is not None:
            costs = [[name, cost] for name, cost in report.utility.items() if isinstance(cost, (int, float))]
            page += _html.heading("What it costs") + _html.table(["cost", ""], costs)
        found = self._audit
        if found is None and self.people <= MANY:
            found = self.audit(progress=False)
        if found is None:
            return page + "<p>Not attacked yet: <code>release.audit(original)</code>.</p>"
        return page + _html.heading("What adversaries reach") + found._repr_html_()


def chosen_attacks(only: Sequence[str], skip: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """The attacks that are made, or those that are not."""
    if isinstance(only, str) or isinstance(skip, str):
        raise WrongInput("only and skip are lists of names", code="wrong-parameter")
    if only and skip:
        raise WrongInput("either only or skip: whatever is not named is left out, or made", code="wrong-parameter")
    return list(only), list(skip)


def attack(
    target: native.Release | native.Frame,
    original: native.Table | None,
    public: FrameLike | None,
    population: int | None,
    knowledge: Knowledge | None,
    choice: tuple[Sequence[str], Sequence[str]],
    name_people_in: str | os.PathLike[str] | None,
    call: native.Call,
) -> Audit:
    """Attacks a release, or a table of another tool."""
    text, aside = native.audit(
        target,
        original,
        None if public is None else _frames.take(public),
        population,
        (knowledge or Knowledge())._native(),
        choice,
        name_people_in,
        call,
    )
    found = Audit.of(json.loads(text), json.loads(aside))
    for doubt in found.doubts:
        _call.logger.warning(doubt)
    return found
