"""The calls of the package."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from . import _call, _frames
from . import _moretta as native
from ._call import Progress, Rest, Seed
from ._errors import WrongInput
from ._frames import FrameLike, Kind
from ._json import dumps
from .answers import Answer
from .attacks import Audit, Knowledge
from .comparison import Candidate, Comparison
from .inspection import Inspection
from .methods import Method
from .models import Model
from .policy import Policy, Roles, chosen
from .release import Release, Table, attack, chosen_attacks
from .results import Levels

if TYPE_CHECKING:
    from typing_extensions import Unpack

PolicyLike = Policy | str | os.PathLike[str] | None


def publish(
    data: FrameLike | None = None,
    policy: PolicyLike = None,
    *,
    rest: Rest = "raise",
    seed: Seed | None = None,
    folder: str | os.PathLike[str] | None = None,
    replace: bool = False,
    pseudonym_key: str | os.PathLike[str] | None = None,
    memory: int | None = None,
    bound: bool = False,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    **parts: Unpack[Roles],
) -> Release:
    """Makes a release of a table and proves its promise from the bytes of its files.

    The table is a frame or a file; without one, the table that the policy names. What it is and what is promised, a policy says, or keywords:
    the roles ``quasi``, ``sensitive``, ``identifier``, ``insensitive``, ``person``, ``weight``, ``group``, ``unclassified`` and ``drop``;
    ``require``, ``method`` (``"least-loss"`` unless stated), ``suppression``, ``hierarchies``, ``types``, ``where``, ``missing``,
    ``missing_values``, ``accept`` and ``format``.

    A column that is not named raises, unless ``rest`` says what the others are: ``"drop"`` or ``"insensitive"``. A forgotten column is how
    people get hurt. The release is made in memory, or in a folder as it is written, which takes less memory. A seed is for repeating
    experiments: whoever knows it can test a guess of the whole table. Releases with the same ``pseudonym_key``, a file, can be linked.

    ``memory`` is how many bytes the call should do with; half of the machine's without it. ``bound=True`` also proves what no release under
    these promises and hierarchies can lose less than, `Report.bound`, which takes up to a minute. The release depends on neither.

    >>> import moretta as mo
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [34, 36, 38, 51, 57, 58], "sex": list("FFFMMM"),
    ...                        "disease": ["flu", "gout", "flu", "gout", "flu", "flu"]})
    >>> release = mo.publish(people, quasi=["age", "sex"], sensitive="disease",
    ...                      require=[mo.KAnonymity(3), mo.TCloseness(0.4, distance="equal")], seed=7)
    >>> release
    Release(6 people, generalized by least-loss, promises k-anonymity, t-closeness)
    >>> release.table()["age"].to_list()
    ['[34, 38]', '[34, 38]', '[34, 38]', '[51, 58]', '[51, 58]', '[51, 58]']
    """
    stated = chosen(policy, parts, "least-loss")
    call = _call.make(seed, threads, progress, cancel, memory, bound)
    frame = None if data is None else _frames.take(data)
    if frame is not None:
        stated = stated.covering(frame.names, rest)
    if pseudonym_key is not None:
        stated = stated.with_pseudonym_key(pseudonym_key)
    if frame is None:
        made = native.publish_named(stated._native, folder, replace, call)
    else:
        made = native.publish(stated._native, frame, folder, replace, call)
    release = Release(made, Kind.of(data), stated)
    for warning in release.report.warnings if release.report is not None else ():
        _call.logger.warning(warning)
    return release


def open(folder: str | os.PathLike[str], *, policy: PolicyLike = None) -> Release:
    """The release in a folder, whoever made it: this package or the command line. The policy says what the columns of its original are."""
    made = native.Release.open(folder, _call.make(progress=False))
    return Release(made, Kind("arrow"), None if policy is None else chosen(policy, {}))


def check(
    data: FrameLike,
    policy: PolicyLike = None,
    *,
    rest: Rest = "raise",
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    **parts: Unpack[Roles],
) -> Levels:
    """All levels that a table reaches which any tool has anonymized, and the judgement about what is required of it.

    Quasi-identifiers are labels: ``[20, 52]`` is a value like any other. ``rest="drop"`` does not look at columns that are not named; a
    quasi-identifier that is forgotten makes every level look better than it is.

    >>> import moretta as mo
    >>> import polars as pl
    >>> table = pl.DataFrame({"age": ["<30"] * 4 + [">40"] * 4, "disease": ["HIV", "HIV", "flu", "flu"] + ["flu", "gout", "HIV", "cold"]})
    >>> levels = mo.check(table, quasi="age", sensitive="disease", require=mo.KAnonymity(5))
    >>> levels.k, levels.sensitive["disease"].distinct_l, levels.holds
    (4, 2, False)
    """
    frame = _frames.take(data)
    stated = chosen(policy, parts).covering(frame.names, rest)
    text = native.levels(frame, stated._native, _call.make(None, threads, progress, cancel))
    return Levels.of(json.loads(text))


def audit(
    target: Release | FrameLike,
    original: FrameLike | Table | None = None,
    policy: PolicyLike = None,
    *,
    rest: Rest = "raise",
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
    **parts: Unpack[Roles],
) -> Audit:
    """Attacks a release, or a table that any tool made from an original, and compares what adversaries reach with what was promised.

    ``only`` names the attacks that are made, ``skip`` those that are not; `Audit.skipped` lists them.

    >>> import moretta as mo
    >>> import polars as pl
    >>> people = pl.DataFrame({"age": [34, 36, 51, 57], "disease": ["flu", "flu", "flu", "gout"]})
    >>> other = pl.DataFrame({"age": ["30-39", "30-39", "50-59", "50-59"], "disease": ["flu", "flu", "flu", "gout"]})
    >>> mo.audit(other, people, quasi="age", sensitive="disease").grade
    'red'
    """
    if isinstance(target, Release):
        return target.audit(
            original,
            public=public,
            population=population,
            knowledge=knowledge,
            only=only,
            skip=skip,
            name_people_in=name_people_in,
            seed=seed,
            threads=threads,
            progress=progress,
            cancel=cancel,
        )
    if original is None:
        raise WrongInput("a table of another tool is attacked beside its original")
    table = original if isinstance(original, Table) else Table(original, policy, rest=rest, **parts)
    call = _call.make(seed, threads, progress, cancel)
    return attack(
        _frames.take(target),
        table._native,
        public,
        population,
        knowledge,
        chosen_attacks(only, skip),
        name_people_in,
        call,
    )


def query(release: Release | str | os.PathLike[str], sql: str, original: FrameLike | Table | None = None) -> Answer:
    """Answers a question from a release, or from the folder of one: `Release.query`."""
    asked = release if isinstance(release, Release) else open(release)
    return asked.query(sql, original)


def inspect(
    data: FrameLike,
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
) -> Inspection:
    """Looks at a table: what its columns hold, which roles they may have, how far they tell people apart.

    >>> import moretta as mo
    >>> import polars as pl
    >>> people = pl.DataFrame({"name": ["Ann", "Bo", "Cy"], "age": [34, 36, 51]})
    >>> [(column.name, column.role) for column in mo.inspect(people).columns]
    [('name', 'identifier'), ('age', 'quasi')]
    """
    frame = _frames.take(data, delimiter, encoding)
    return Inspection.of(native.inspect(frame, _call.make(None, threads, progress, cancel)))


def rules(
    data: FrameLike | Table,
    policy: PolicyLike = None,
    *,
    rest: Rest = "raise",
    min_expectation: float = 0.9,
    min_confidence: float = 1.0,
    max_items: int = 1,
    fuzzy: bool = False,
    **parts: Unpack[Roles],
) -> list[dict[str, Any]]:
    """What can be excluded about people by rules that hold in a table, for each sensitive attribute."""
    table = data if isinstance(data, Table) else Table(data, policy, rest=rest, **parts)
    mining = (min_expectation, min_confidence, max_items, fuzzy)
    found: list[dict[str, Any]] = json.loads(native.rules(table._native, mining, _call.make()))
    return found


def compare(
    data: FrameLike | Table,
    grid: Sequence[Candidate],
    policy: PolicyLike = None,
    *,
    rest: Rest = "raise",
    known_program: bool = False,
    seed: Seed | None = None,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
    **parts: Unpack[Roles],
) -> Comparison:
    """Publishes a table in every way of a grid, in memory, and measures what each tells about people and costs analysts.

    A candidate is a method with the promises that it is to keep: ``[("least-loss", mo.KAnonymity(k)) for k in (5, 10, 20)]``.
    """
    table = data if isinstance(data, Table) else Table(data, policy, rest=rest, **parts)
    candidates = [
        (
            method if isinstance(method, Method) else Method(method),
            [models] if isinstance(models, Model) else list(models),
        )
        for method, models in grid
    ]
    spelled = [(dumps(method.to_dict()), [dumps(one.to_dict()) for one in models]) for method, models in candidates]
    found = native.compare(table._native, spelled, known_program, _call.make(seed, threads, progress, cancel))
    return Comparison(found, table.policy, candidates)


def compare_plan(
    plan: str | os.PathLike[str],
    *,
    data: str | os.PathLike[str] | None = None,
    out: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    threads: int = 0,
    progress: Progress = None,
    cancel: native.CancelToken | None = None,
) -> Comparison:
    """Carries out a plan in a file, as ``moretta compare`` does; finished points are kept in a folder, where it goes on if interrupted."""
    return Comparison(native.compare_plan(plan, data, out, seed, _call.make(None, threads, progress, cancel)), None, [])


@dataclass(frozen=True)
class Entry:
    """A privacy model, a method or an attack."""

    kind: str
    name: str
    summary: str
    paper: str


@dataclass(frozen=True)
class Page:
    """What a model, a method or an attack protects, and what it does not."""

    name: str
    text: str
    """The page, as Markdown."""

    def __str__(self) -> str:
        return self.text

    def _repr_markdown_(self) -> str:
        return self.text


def catalogue() -> list[Entry]:
    """All models, methods and attacks.

    >>> import moretta as mo
    >>> [entry.name for entry in mo.catalogue() if entry.kind == "model"][0]
    'k-anonymity'
    """
    return [Entry(one["kind"], one["name"], one["summary"], one["paper"]) for one in json.loads(native.catalogue())]


def explain(name: str) -> Page:
    """What a model, a method or an attack protects, what it does not, its parameters, its cost and its paper.

    >>> import moretta as mo
    >>> print(str(mo.explain("k-anonymity")).splitlines()[0])
    # k-anonymity
    """
    return Page(name, json.loads(native.explain(name))["page"])
