"""What a cluster loses, or counts twice, is noticed: the result is right, or there is none."""

from __future__ import annotations

import os
import shutil
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import moretta as mo
import moretta.spark as ms
from moretta.spark import _count, _files, _prove, _regions, _write

from .conftest import kill_one, rows_of, wait_for_executors
from .test_publish import people, policy

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROUNDS = int(os.environ.get("MORETTA_SPARK_ROUNDS", "1"))


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    whole = people(20_000)
    for number in range(8):
        pq.write_table(whole.slice(number * 2_500, 2_500), folder / f"{number}.parquet")
    return folder


def _alone(table: Path) -> pa.Table:
    return pa.concat_tables([pq.read_table(file) for file in sorted(table.iterdir())])


@pytest.mark.parametrize("region_limit", [5_000_000, 5_000], ids=["driver", "regions"])
@pytest.mark.core
def test_an_executor_may_die_at_any_moment(spark: SparkSession, table: Path, tmp_path: Path, region_limit: int) -> None:
    stated = policy(require=mo.KAnonymity(5))
    options: dict[str, Any] = {"spark": spark, "seed": 7, "region_limit": region_limit, "rows_per_part": 3_000}
    whole = rows_of(ms.publish(str(table), stated, out=tmp_path / "whole", **options))
    stages = (
        ["counting", "writing", "proving"] if region_limit > 100_000 else ["counting", "planning regions", "writing"]
    )
    outcomes = []
    for round_ in range(ROUNDS):
        for stage in stages:
            wait_for_executors(spark)
            killed = threading.Event()

            delay = 0.3 + 0.5 * round_

            def watch(
                name: str, _: float | None, stage: str = stage, delay: float = delay, killed: threading.Event = killed
            ) -> None:
                if name == stage and not killed.is_set():
                    killed.set()
                    threading.Timer(delay, kill_one, [spark]).start()

            out = tmp_path / f"{stage} {round_}"
            try:
                made = ms.publish(str(table), stated, out=out, progress=watch, **options)
            except Exception as error:
                assert not out.exists(), "what failed left a release"
                outcomes.append((stage, type(error).__name__))
            else:
                assert rows_of(made).equals(whole)
                assert mo.open(out).check().holds
                outcomes.append((stage, "right"))
            assert killed.is_set()
            shutil.rmtree(out, ignore_errors=True)
    print(outcomes)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["whole"], "nothing half-written stays"


def _published(spark: SparkSession, table: Path, out: Path) -> None:
    ms.publish(str(table), policy(require=mo.KAnonymity(5)), out=out, spark=spark, seed=7, rows_per_part=5_000)


@pytest.mark.core
def test_counts_that_are_false_stop_everything(
    spark: SparkSession, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = _count._cells

    def changed(how: Any) -> Any:
        def counted(work: Any, frame: Any, keys: Any, weight: Any, names: Any, scratch: str) -> Any:
            found = cells(work, frame, keys, weight, names, scratch)
            folder = Path(scratch) / "cells"
            file = max(folder.glob("*.parquet"), key=lambda path: path.stat().st_size)
            before = pq.read_table(file)
            after = how(before)
            pq.write_table(after, file)
            for sums in folder.glob(".*.crc"):
                sums.unlink()
            more = pa.compute.sum(after.column("people")).as_py() - pa.compute.sum(before.column("people")).as_py()
            return found[0] + more, found[1] + more

        return counted

    def one_more(rows: pa.Table) -> pa.Table:
        counts = rows.column("people").to_pylist()
        return rows.set_column(rows.num_columns - 1, "people", pa.array([counts[0] + 1, *counts[1:]]))

    def one_less(rows: pa.Table) -> pa.Table:
        return rows.slice(1)

    def apart(rows: pa.Table) -> pa.Table:
        # The sum is right; one cell has become two.
        counts = rows.column("people").to_pylist()
        large = max(range(len(counts)), key=lambda at: counts[at])
        assert counts[large] > 1
        twin = rows.slice(large, 1).set_column(rows.num_columns - 1, "people", pa.array([1]))
        counts[large] -= 1
        return pa.concat_tables([rows.set_column(rows.num_columns - 1, "people", pa.array(counts)), twin])

    for how, words in ((one_more, "rows were counted"), (one_less, "rows were counted"), (apart, "counted apart")):
        monkeypatch.setattr(_count, "_cells", changed(how))
        with pytest.raises(mo.Bug, match=words):
            _published(spark, table, tmp_path / "out")
        assert not list(tmp_path.iterdir())


def test_files_that_are_not_what_was_planned_stop_everything(
    spark: SparkSession, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, check_written = _write._taken, _write.check_written

    def spoiled(how: Any) -> Any:
        def take(stage: str, reported: Any, expected: Any) -> Any:
            parts = taken(stage, reported, expected)
            return how(Path(stage) / "release" / _write.TABLE, parts)

        return take

    def twice(folder: Path, parts: Any) -> Any:
        # A task that ran twice, and both were taken.
        shutil.copy(folder / parts[0][0], folder / "part-999999.parquet")
        return [*parts, ("part-999999.parquet", *parts[0][1:])]

    def lost(folder: Path, parts: Any) -> Any:
        (folder / parts[-1][0]).unlink()
        return parts[:-1]

    def other(folder: Path, parts: Any) -> Any:
        # As many rows, but one person has become another.
        rows = pq.read_table(folder / parts[0][0])
        changed = pa.concat_tables([rows.slice(1), rows.slice(rows.num_rows - 1)])
        pq.write_table(changed, folder / parts[0][0])
        return parts

    def left(folder: Path, parts: Any) -> Any:
        shutil.copy(folder / parts[0][0], folder / "left over.parquet")
        return parts

    for how, words in (
        (twice, "not all people"),
        (lost, "not all people"),
        (other, "not what was written"),
        (left, "no part of the release"),
    ):
        monkeypatch.setattr(_write, "_taken", spoiled(how))
        with pytest.raises(mo.Bug, match=words):
            _published(spark, table, tmp_path / "out")
        assert not list(tmp_path.iterdir())

    # Where the files say of themselves what they are not, counting them tells.
    def unseen(folder: Path, parts: Any) -> Any:
        rows = pq.read_table(folder / parts[0][0])
        alone = rows.slice(0, 1).set_column(0, "age", pa.array(["[1, 2]"]))
        pq.write_table(pa.concat_tables([rows.slice(1), alone]), folder / parts[0][0])
        return parts

    monkeypatch.setattr(_write, "_taken", spoiled(unseen))
    monkeypatch.setattr(_write, "check_written", lambda *_: None)
    with pytest.raises(mo.Error):
        _published(spark, table, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    monkeypatch.setattr(_write, "check_written", check_written)

    # All sums are right, and so is the promise; one person has the disease of another.
    def swapped(folder: Path, parts: Any) -> Any:
        file, whole = folder / parts[0][0], pq.read_table(folder / parts[0][0])
        diseases = whole.column("disease").to_pylist()
        diseases[0] = next(one for one in diseases if one != diseases[0])
        pq.write_table(whole.set_column(whole.column_names.index("disease"), "disease", pa.array(diseases)), file)
        return [(parts[0][0], whole.num_rows, *_files.fingerprint(str(file))), *parts[1:]]

    monkeypatch.setattr(_write, "_taken", spoiled(swapped))
    with pytest.raises(mo.Bug, match="other rows than those that were planned"):
        _published(spark, table, tmp_path / "out")
    assert not list(tmp_path.iterdir())
    recount = _prove.recount
    monkeypatch.setattr(_write, "_taken", taken)
    monkeypatch.setattr(_prove, "recount", lambda work, told, paths, *rest: recount(work, told, paths[1:], *rest))
    with pytest.raises(mo.Error):
        _published(spark, table, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_regions_of_other_cells_stop_everything(
    spark: SparkSession, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    joined = _regions._joined
    whole = _alone(table).drop_null().group_by(["age", "sex", "zip", "disease"]).aggregate([])
    first, second = whole.slice(0, 2).to_pylist()

    def is_cell(cell: dict[str, Any]) -> Any:
        found = F.lit(True)
        for name, value in cell.items():
            found = found & (F.col(name) == F.lit(value))
        return F.coalesce(found, F.lit(False))

    def spoiled(how: Any) -> Any:
        return lambda *arguments: how(joined(*arguments))

    def twice(cells: Any) -> Any:
        return cells.where(~is_cell(first)).unionAll(cells.where(is_cell(second)))

    def lost(cells: Any) -> Any:
        return cells.where(~is_cell(first))

    def heavier(cells: Any) -> Any:
        return cells.withColumn("people", F.col("people") + F.when(is_cell(first), 1).otherwise(0))

    for how, words in ((twice, "counted apart"), (lost, "other cells"), (heavier, "other cells")):
        monkeypatch.setattr(_regions, "_joined", spoiled(how))
        with pytest.raises(mo.Error, match=words):
            ms.publish(
                str(table), policy(require=mo.KAnonymity(5)), out=tmp_path / "out", spark=spark, region_limit=5_000
            )
        assert not list(tmp_path.iterdir())


def test_a_frame_that_is_another_one_each_time_stops_everything(spark: SparkSession, tmp_path: Path) -> None:
    from pyspark.sql import functions as F  # noqa: N812

    frame = spark.createDataFrame(people(2_000)).where(F.rand() < 0.5)
    counts = {frame.count() for _ in range(4)}
    if len(counts) == 1:
        pytest.skip("Spark drew the same rows four times")
    stated = policy(require=mo.KAnonymity(5))
    outcomes = set()
    for _ in range(3):
        try:
            ms.publish(frame, stated, out=tmp_path / "out", spark=spark, seed=7)
            shutil.rmtree(tmp_path / "out")
            outcomes.add("one state")
        except mo.Bug as error:
            assert "not the same twice" in str(error)
            outcomes.add("refused")
    assert outcomes and not list(tmp_path.iterdir())


def test_an_identifier_that_occurs_twice_is_refused(spark: SparkSession, tmp_path: Path) -> None:
    table = people(200).append_column("name", pa.array([f"p{number // 2 * 2}" for number in range(200)]))
    stated = policy(require=mo.KAnonymity(5), identifier="name")
    with pytest.raises(mo.Refused, match="share their identifier"):
        ms.publish(spark.createDataFrame(table), stated, out=tmp_path / "out", spark=spark)
    assert not list(tmp_path.iterdir())


def test_a_token_stops_the_jobs(spark: SparkSession, table: Path, tmp_path: Path) -> None:
    token = mo.CancelToken()

    def stop(name: str, _: float | None) -> None:
        if name == "counting":
            token.cancel()

    begun = time.monotonic()
    with pytest.raises(mo.Cancelled):
        ms.publish(
            str(table), policy(require=mo.KAnonymity(5)), out=tmp_path / "out", spark=spark, progress=stop, cancel=token
        )
    assert time.monotonic() - begun < 60
    assert not list(tmp_path.iterdir())
    assert spark.range(10).count() == 10, "the session goes on"
