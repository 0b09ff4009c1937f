"""How calls are carried out: stopped, watched, logged, shown, from several threads."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import polars as pl
import pytest

import moretta as mo

LONG = """
import sys, time
import polars as pl
import moretta as mo

n = 300_000
people = pl.DataFrame({"age": [(i * 7919) % 97 for i in range(n)], "zip": [(i * 104729) % 9973 for i in range(n)],
                       "job": [str((i * 31) % 211) for i in range(n)], "disease": [str((i * 17) % 23) for i in range(n)]})
print("ready", flush=True)
try:
    mo.publish(people, quasi=["age", "zip", "job"], sensitive="disease", require=mo.KAnonymity(5), seed=1, folder=sys.argv[1])
except KeyboardInterrupt:
    print("interrupted", time.time(), flush=True)
    sys.exit(0)
print("published", flush=True)
sys.exit(1)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_control_c_stops_a_long_call_within_a_second_and_leaves_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", LONG, str(out)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        time.sleep(1.0)
        sent = time.time()
        os.kill(process.pid, signal.SIGINT)
        word, stopped = process.stdout.readline().split()
        assert word == "interrupted" and float(stopped) - sent < 1.0
        assert process.wait(20) == 0
    assert not out.exists() and list(tmp_path.iterdir()) == []


def large() -> pl.DataFrame:
    n = 100_000
    numbers = pl.int_range(n, eager=True)
    return pl.DataFrame({"age": numbers * 7919 % 97, "zip": numbers * 104729 % 9973, "disease": numbers % 23})


def test_a_token_stops_a_call_from_another_thread() -> None:
    token = mo.CancelToken()
    threading.Timer(0.3, token.cancel).start()
    with pytest.raises(mo.Cancelled) as raised:
        mo.publish(large(), quasi=["age", "zip"], sensitive="disease", require=mo.KAnonymity(5), cancel=token)
    assert raised.value.code == "cancelled" and token.cancelled


def test_what_a_watcher_raises_ends_the_call() -> None:
    class Enough(Exception):
        pass

    def watch(stage: str, share: float | None) -> None:
        raise Enough(stage)

    with pytest.raises(Enough):
        mo.publish(large(), quasi=["age", "zip"], sensitive="disease", require=mo.KAnonymity(5), progress=watch)


def test_a_watcher_is_told_of_stages() -> None:
    told: list[tuple[str, float | None]] = []
    people = large()[:30_000]
    mo.publish(
        people,
        quasi=["age", "zip"],
        sensitive="disease",
        require=mo.KAnonymity(5),
        progress=lambda *stage: told.append(stage),
    )
    assert told and all(share is None or 0 <= share <= 1 for _, share in told)


def test_the_interpreter_is_free_meanwhile() -> None:
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    mo.publish(large()[:30_000], quasi=["age", "zip"], sensitive="disease", require=mo.KAnonymity(5))
    stop.set()
    thread.join()
    gaps = [after - before for before, after in pairwise(ticks)]
    assert len(ticks) > 5 and max(gaps) < 0.5


def test_several_threads_and_numbers_of_threads_give_the_same_release(
    frame: pl.DataFrame, policy: mo.Policy, release: mo.Release
) -> None:
    with ThreadPoolExecutor(3) as pool:
        made = list(pool.map(lambda threads: mo.publish(frame, policy, seed=7, threads=threads), (1, 2, 3)))
    assert all(one.table().equals(release.table()) for one in made)


def test_warnings_and_stages_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    people = pl.DataFrame({"age": [34, 36, 51, 57], "disease": ["flu", "gout", "flu", "gout"]})
    with caplog.at_level(logging.DEBUG, logger="moretta"):
        mo.publish(people, quasi="age", sensitive="disease", require=mo.KAnonymity(2), seed=1)
    assert any(record.name == "moretta" and record.levelno == logging.DEBUG for record in caplog.records)


def test_a_bar_is_drawn_on_request_and_wiped(capsys: pytest.CaptureFixture[str]) -> None:
    from moretta import _call

    bar = _call._TerminalBar(sys.stderr)
    bar._begun -= 2
    bar("partitioning", 0.5)
    bar.close()
    drawn = capsys.readouterr().err
    assert "partitioning [################................]  50%" in drawn and drawn.endswith("\r")


def test_what_notebooks_show(release: mo.Release, frame: pl.DataFrame) -> None:
    page = release._repr_html_()
    assert "k-anonymity" in page and "What it costs" in page and "re-identification" in page
    assert "<table>" in release.check()._repr_html_()
    assert "<table>" in mo.inspect(frame)._repr_html_()
    assert "<table>" in release.query("SELECT COUNT(*) GROUP BY sex")._repr_html_()
    assert "&lt;b&gt;" in mo.check(pl.DataFrame({"q": ["1"], "<b>": ["x"]}), quasi="q", sensitive="<b>")._repr_html_()
    assert repr(release) == "Release(600 people, generalized by least-loss, promises k-anonymity)"


def test_plots(frame: pl.DataFrame, policy: mo.Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    comparison = mo.compare(frame, [("mondrian", mo.KAnonymity(k)) for k in (5, 20)], policy)
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    assert comparison.plot().get_xlabel() == "privacy loss"  # type: ignore[union-attr]
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    assert comparison.plot()._repr_svg_().startswith("<svg")  # type: ignore[union-attr]
    assert comparison.policy(p_loss=1.0).to_dict()["method"]["name"] == "mondrian"
    with pytest.raises(mo.Refused):
        comparison.choose(p_loss=0.0)


def test_a_table_is_read_once(frame: pl.DataFrame, policy: mo.Policy, release: mo.Release) -> None:
    table = mo.Table(frame, policy)
    assert (table.rows, table.people) == (600, 600)
    assert release.audit(table).to_dict() == release.audit(frame).to_dict()
    assert mo.audit(release, table).holds
    assert mo.query(release, "SELECT COUNT(*)").estimate == 600
