"""pyCANON, ANJANA and anonypy beside moretta: seconds, and what each answers."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import loss
import pandas as pd
from page import say, show

import moretta as mo

T = TypeVar("T")
K = 10


def timed(work: Callable[[], T], times: int = 3) -> tuple[float, T]:
    """The best of some times, at most half a minute; the peers, which take long, are run once."""
    best, begun = float("inf"), time.perf_counter()
    while True:
        start = time.perf_counter()
        found = work()
        best = min(best, time.perf_counter() - start)
        times -= 1
        if times <= 0 or time.perf_counter() - begun > 30:
            return best, found


def peer(name: str) -> Any | None:
    """A peer's module, if it is installed."""
    try:
        return import_module(name)
    except ImportError:
        say(f"skipped: {name} is not installed")
        return None


def check(table: pd.DataFrame, quasi: list[str], sensitive: str) -> None:
    """All levels of an anonymized table: one call of ours, seven of pyCANON's."""
    anonymized = mo.publish(
        table, quasi=quasi, sensitive=sensitive, require=[mo.KAnonymity(K), mo.DistinctLDiversity(2)], seed=1
    ).table()
    ours, levels = timed(lambda: mo.check(anonymized, quasi=quasi, sensitive=sensitive))
    of = levels.sensitive[sensitive]
    rows: list[tuple[object, ...]] = [("level", "moretta", "pyCANON")]
    pycanon = peer("pycanon.anonymity")
    if pycanon is None:
        return
    calls: dict[str, tuple[object, Callable[[], object]]] = {
        "k-anonymity: k": (levels.k, lambda: pycanon.k_anonymity(anonymized, quasi)),
        "distinct l-diversity: l": (of.distinct_l, lambda: pycanon.l_diversity(anonymized, quasi, [sensitive])),
        "entropy l-diversity: l": (of.entropy_l, lambda: pycanon.entropy_l_diversity(anonymized, quasi, [sensitive])),
        "recursive (c, l)-diversity": (
            dict(of.recursive),
            lambda: pycanon.recursive_c_l_diversity(anonymized, quasi, [sensitive]),
        ),
        "alpha": (of.alpha, lambda: pycanon.alpha_k_anonymity(anonymized, quasi, [sensitive])),
        "t-closeness, equal distance: t": (of.t["equal"], lambda: pycanon.t_closeness(anonymized, quasi, [sensitive])),
        "delta-disclosure: delta": (of.delta, lambda: pycanon.delta_disclosure(anonymized, quasi, [sensitive])),
    }
    theirs = 0.0
    for name, (answer, call) in calls.items():
        seconds, found = timed(call, 1)
        theirs += seconds
        rows.append((name, answer, found))
    rows.append(("seconds", ours, theirs))
    say(f"Check of all levels, {levels.groups:,} groups: {theirs / ours:,.0f} times as fast as pyCANON.")
    say()
    show(rows)


def publish(table: pd.DataFrame, quasi: list[str], sensitive: str, hierarchies: Path) -> None:
    """The same promise, k-anonymity, from frame to frame: without hierarchies beside anonypy, with the same hierarchies beside ANJANA."""
    levels = {name: pd.read_csv(hierarchies / f"adult_{name}.csv", header=None) for name in quasi}
    leaves = {name: loss.leaves_of(one) for name, one in levels.items()}
    rows: list[tuple[object, ...]] = [("", "seconds", "loss", "left out", "k by our check")]

    def add(name: str, seconds: float, published: pd.DataFrame, under: dict[str, dict[str, int]]) -> None:
        # What tools add of their own, as an index, is no attribute.
        texts = published[[*quasi, sensitive]].astype({name: str for name in quasi})
        lost = loss.of_table(table, texts, quasi, under)
        rows.append((name, seconds, lost, len(table) - len(texts), mo.check(texts, quasi=quasi, sensitive=sensitive).k))

    def ours(method: str, **more: Any) -> Callable[[], pd.DataFrame]:
        def work() -> pd.DataFrame:
            table_of: pd.DataFrame = mo.publish(
                table, quasi=quasi, sensitive=sensitive, require=mo.KAnonymity(K), method=method, seed=1, **more
            ).table()
            return table_of

        return work

    add("moretta, least-loss, sets and intervals", *timed(ours("least-loss")), {})
    add("moretta, mondrian, sets and intervals", *timed(ours("mondrian")), {})
    if (anonypy := peer("anonypy")) is not None:
        add("anonypy, k-anonymity", *timed(lambda: _anonypy(anonypy, table, quasi, sensitive), 1), {})
    trees = {name: mo.hierarchy.rows(one.astype(str).to_numpy().tolist()) for name, one in levels.items()}
    add("moretta, least-loss, hierarchies", *timed(ours("least-loss", hierarchies=trees)), leaves)
    add("moretta, full-domain, hierarchies", *timed(ours("full-domain", hierarchies=trees, suppression=0.05)), leaves)
    if (anjana := peer("anjana.anonymity")) is not None:
        add("ANJANA, k-anonymity, hierarchies", *timed(lambda: _anjana(anjana, table, quasi, levels), 1), leaves)
    say(f"Publish with k = {K}; up to 5 % may be left out where a tool can do that.")
    say()
    show(rows)


def _anonypy(anonypy: Any, table: pd.DataFrame, quasi: list[str], sensitive: str) -> pd.DataFrame:
    # Texts must be categories there. It counts people who share everything; a row for each is made of that.
    frame = table.copy()
    for name in frame.columns:
        if name != "age":
            frame[name] = frame[name].astype("category")
    found = pd.DataFrame(anonypy.Preserver(frame, quasi, sensitive).anonymize_k_anonymity(k=K))
    found[quasi] = found[quasi].map(lambda label: label[0] if isinstance(label, list) else label)
    return found.loc[found.index.repeat(found["count"])].drop(columns="count").reset_index(drop=True)


def _anjana(anjana: Any, table: pd.DataFrame, quasi: list[str], levels: dict[str, pd.DataFrame]) -> pd.DataFrame:
    hierarchies = {name: {level: one[level].to_numpy() for level in one} for name, one in levels.items()}
    found: pd.DataFrame = anjana.k_anonymity(table, [], quasi, K, 5, hierarchies)
    return found
