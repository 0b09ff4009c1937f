"""Releases that a cluster counts and writes have the rows of those that one machine makes."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import moretta as mo
import moretta.spark as ms

from .conftest import ROWS, rows_of, smallest_group

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DATA = Path(os.environ.get("MORETTA_DATA", Path(__file__).resolve().parents[4] / "shared" / "data"))


ADULT = ["age", "sex", "race", "workclass", "marital_status", "education", "native_country"]
HIERARCHIES = {
    "age": mo.hierarchy.intervals([5, 10, 20, 80]),
    "zip": mo.hierarchy.intervals([5, 10, 40]),
    "sex": mo.hierarchy.levels({"f": "*", "m": "*"}),
}


def people(rows: int, seed: int = 1) -> pa.Table:
    """People whose values depend on each other, some of which lack one."""
    import numpy as np

    draw = np.random.default_rng(seed)
    age = draw.integers(18, 90, rows)
    sex = np.where(draw.random(rows) < 0.5, "f", "m")
    zipcode = draw.integers(10_000, 10_040, rows)
    disease = np.array(["flu", "gout", "ulcer", "cold", "asthma", "mumps"])[(age // 15 + draw.integers(0, 3, rows)) % 6]
    ages = pa.array(age.tolist(), pa.int32(), mask=draw.random(rows) < 0.01)
    return pa.table({"age": ages, "sex": sex.tolist(), "zip": zipcode.tolist(), "disease": disease.tolist()})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("people") / "people.parquet"
    pq.write_table(people(4_000), file)
    return file


def policy(**parts: Any) -> mo.Policy:
    stated: dict[str, Any] = {"quasi": ["age", "sex", "zip"], "sensitive": "disease", "method": "least-loss"}
    return mo.Policy(**{**stated, **parts})


@pytest.mark.parametrize(
    ("method", "require", "more"),
    [
        pytest.param("least-loss", [mo.KAnonymity(5)], {}, marks=pytest.mark.core),
        ("least-loss", [mo.KAnonymity(5), mo.TCloseness(0.3, distance="equal")], {}),
        ("mondrian", [mo.KAnonymity(4), mo.DistinctLDiversity(3)], {}),
        pytest.param("mondrian", [mo.NTCloseness(100, 0.2, distance="equal")], {}, marks=pytest.mark.core),
        ("top-down", [mo.KAnonymity(5), mo.EntropyLDiversity(2)], {"suppression": 0.05}),
        ("clustering", [mo.KAnonymity(5)], {}),
        ("full-domain", [mo.KAnonymity(5)], {"suppression": 0.02, "missing": "keep", "hierarchies": HIERARCHIES}),
    ],
)
def test_the_rows_are_those_of_one_machine(
    spark: SparkSession, table: Path, tmp_path: Path, method: str, require: list[mo.Model], more: dict[str, Any]
) -> None:
    stated = policy(method=method, require=require, **more)
    alone = mo.publish(pq.read_table(table), stated, seed=7)
    made = ms.publish(str(table), stated, out=tmp_path / "out", spark=spark, seed=7, rows_per_part=1_500)
    assert rows_of(made).equals(rows_of(alone))
    assert made.report is not None and alone.report is not None
    assert made.report.suppressed == alone.report.suppressed and made.report.rows_in == alone.report.rows_in
    assert [one.achieved for one in made.report.guarantees] == [one.achieved for one in alone.report.guarantees]
    opened = mo.open(tmp_path / "out")
    assert opened.check().holds and rows_of(opened).equals(rows_of(alone))


@pytest.mark.core
def test_what_stands_in_the_folder(spark: SparkSession, table: Path, tmp_path: Path, command_line: Any) -> None:
    stated = policy(require=mo.KAnonymity(5))
    out = tmp_path / "out"
    made = ms.publish(str(table), stated, out=out, spark=spark, seed=3, rows_per_part=1_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out"]
    assert sorted(path.name for path in out.iterdir()) == ["private", "release"]
    parts = sorted(path.name for path in (out / "release" / "data.parquet").iterdir())
    assert parts == [f"part-{number:06d}.parquet" for number in range(4)]
    manifest = json.loads((out / "release" / "manifest.json").read_text())
    assert [one["name"] for one in manifest["columns"]] == ["age", "sex", "zip", "disease"]
    assert sum(part["rows"] for part in manifest["tables"][0]["parts"]) == manifest["people"] == made.people
    private = out / "private"
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert all(stat.S_IMODE(file.stat().st_mode) == 0o600 for file in private.iterdir())
    assert (private / "seed.txt").read_text().strip().endswith("3")
    # The order of the rows is that of what they publish, as one machine writes them.
    alone = mo.publish(pq.read_table(table), stated, seed=3)
    whole = pa.concat_tables([pq.read_table(out / "release" / "data.parquet" / part) for part in parts])
    assert whole.to_pylist() == pa.table(alone.arrow["data"]).to_pylist()
    assert smallest_group(out, ["age", "sex", "zip"]) >= 5
    # The command line of somebody who got the folder.
    assert command_line("check", out)["guarantees"][0]["holds"]
    lost = out / "release" / "data.parquet" / parts[1]
    kept = lost.read_bytes()
    lost.write_bytes(kept[:-1] + bytes([kept[-1] ^ 1]))
    with pytest.raises(mo.Refused, match="not the one that was published"):
        mo.open(out)
    lost.write_bytes(kept)
    (lost.parent / "part-x.parquet").write_bytes(kept)
    with pytest.raises(mo.Refused, match="names no such part"):
        mo.open(out)


def test_a_frame_is_settled_first_and_weights_stay_weights(spark: SparkSession, tmp_path: Path) -> None:
    import numpy as np

    table = people(2_000)
    heavy = table.append_column("copies", pa.array(np.random.default_rng(2).integers(0, 4, 2_000)))
    stated = policy(require=mo.KAnonymity(9), weight="copies")
    frame = spark.createDataFrame(heavy).repartition(3)
    made = ms.publish(frame, stated, out=tmp_path / "out", spark=spark, seed=5)
    alone = mo.publish(heavy, stated, seed=5)
    assert rows_of(made).equals(rows_of(alone))
    assert made.report is not None and made.people == alone.people


@pytest.mark.core
def test_adult(spark: SparkSession, tmp_path: Path) -> None:
    file = DATA / "adult.parquet"
    if not file.is_file():
        pytest.skip("the Adult data set is not there")
    names = pq.read_schema(file).names
    quasi, sensitive = [name for name in ADULT if name in names], "occupation"
    rest = [name for name in names if name not in quasi and name != sensitive]
    stated = mo.Policy(quasi=quasi, sensitive=sensitive, drop=rest, method="mondrian", require=mo.KAnonymity(10))
    made = ms.publish(str(file), stated, out=tmp_path / "out", spark=spark, seed=7)
    assert rows_of(made).equals(rows_of(mo.publish(file, stated, seed=7)))


def test_census(spark: SparkSession, census: Path, tmp_path: Path) -> None:
    columns = {name: "drop" for name in pq.read_schema(census).names}
    roles = _census_roles(columns)
    made = ms.publish(str(census), roles, out=tmp_path / "out", spark=spark, seed=7)
    alone = mo.publish(pq.read_table(census), roles, seed=7)
    assert made.people == ROWS and rows_of(made).equals(rows_of(alone))


def _census_roles(columns: dict[str, str]) -> mo.Policy:
    names = list(columns)
    quasi, sensitive = names[:4], names[-1]
    return mo.Policy(
        quasi=quasi,
        sensitive=sensitive,
        drop=names[4:-1],
        method="mondrian",
        require=[mo.KAnonymity(10), mo.DistinctLDiversity(2)],
    )


def test_a_thousand_tiny_files_and_one_large_key(spark: SparkSession, tmp_path: Path) -> None:
    # Nine of ten people are alike.
    table = people(3_000)
    alike = pa.table(
        {
            "age": pa.array([40] * 27_000, pa.int32()),
            "sex": ["f"] * 27_000,
            "zip": [10_000] * 27_000,
            "disease": ["flu"] * 27_000,
        }
    )
    whole = pa.concat_tables([table, alike])
    folder = tmp_path / "tiny"
    folder.mkdir()
    files = int(os.environ.get("MORETTA_SPARK_FILES", "300"))
    for number in range(files):
        pq.write_table(whole.take(pa.array(range(number, whole.num_rows, files))), folder / f"{number:04d}.parquet")
    stated = policy(require=mo.KAnonymity(5))
    made = ms.publish(str(folder), stated, out=tmp_path / "out", spark=spark, seed=7, rows_per_part=4_000)
    assert rows_of(made).equals(rows_of(mo.publish(whole, stated, seed=7)))


@pytest.mark.parametrize(
    "require",
    [
        [mo.KAnonymity(5), mo.DistinctLDiversity(2)],
        pytest.param([mo.KAnonymity(5), mo.TCloseness(0.5, distance="equal")], marks=pytest.mark.core),
    ],
)
def test_regions_keep_the_promise_of_the_whole(
    spark: SparkSession, table: Path, tmp_path: Path, require: list[mo.Model]
) -> None:
    stated = policy(require=require)
    out = tmp_path / "out"
    made = ms.publish(str(table), stated, out=out, spark=spark, seed=7, region_limit=2_000, rows_per_part=1_500)
    alone = mo.publish(pq.read_table(table), stated, seed=7)
    assert made.report is not None and alone.report is not None
    assert made.report.to_dict()["regions"] > 1
    assert made.people == alone.people
    assert smallest_group(out, ["age", "sex", "zip"]) >= 5
    checked = mo.open(out).check()
    assert checked.holds
    original = pq.read_table(table).drop_null()
    kept = pq.read_table(out / "release" / "data.parquet", partitioning=None)
    assert sorted(kept.column("disease").to_pylist()) == sorted(original.column("disease").to_pylist())
    # In which region somebody stands, the order does not tell: rows are sorted by what they publish.
    names = kept.column_names
    spelled = [tuple(str(row[name]) for name in names) for row in kept.to_pylist()]
    assert spelled == sorted(spelled)


def test_pieces_judge_what_the_whole_does(
    spark: SparkSession, table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from moretta.spark import _prove

    stated = policy(require=[mo.KAnonymity(5), mo.DistinctLDiversity(2)])
    whole = ms.publish(str(table), stated, out=tmp_path / "whole", spark=spark, seed=7, region_limit=2_000)
    prove: Any = _prove.prove
    monkeypatch.setattr(_prove, "prove", lambda *arguments: prove(*arguments[:-1], 500))
    pieces = ms.publish(str(table), stated, out=tmp_path / "pieces", spark=spark, seed=7, region_limit=2_000)
    assert rows_of(pieces).equals(rows_of(whole))
    assert pieces.report is not None and whole.report is not None
    assert pieces.report.guarantees == whole.report.guarantees and pieces.report.groups == whole.report.groups


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ({"method": "anatomy", "require": mo.DistinctLDiversity(2)}, "anatomy"),
        ({"method": mo.Method("slicing", columns=2), "require": mo.LDiverseSlicing(2)}, "slicing"),
        ({"insensitive": "zip", "quasi": ["age", "sex"]}, "insensitive"),
        ({"person": "zip", "quasi": ["age", "sex"]}, "person"),
        ({"where": "age > 30"}, "where"),
        ({"missing": "drop-any"}, "drop-any"),
    ],
)
def test_what_counts_do_not_tell_is_refused_by_name(
    spark: SparkSession, table: Path, tmp_path: Path, parts: dict[str, Any], words: str
) -> None:
    stated = policy(**{"require": mo.KAnonymity(5), **parts})
    with pytest.raises(mo.WrongInput, match=words):
        ms.publish(str(table), stated, out=tmp_path / "out", spark=spark)
    assert not list(tmp_path.iterdir())


def test_regions_refuse_by_name(spark: SparkSession, table: Path, tmp_path: Path) -> None:
    for parts, words in (
        ({"require": mo.NTCloseness(100, 0.3, distance="equal"), "method": "mondrian"}, "n-t-closeness"),
        ({"require": mo.KAnonymity(5), "suppression": 0.1}, "suppression"),
    ):
        with pytest.raises(mo.WrongInput, match=words):
            ms.publish(str(table), policy(**parts), out=tmp_path / "out", spark=spark, region_limit=1_000)
    with pytest.raises(mo.WrongInput, match="does not name the column 'zip'"):
        ms.publish(
            str(table),
            out=tmp_path / "out",
            spark=spark,
            quasi=["age", "sex"],
            sensitive="disease",
            require=mo.KAnonymity(2),
        )
    assert not list(tmp_path.iterdir())


def test_check_and_audit(spark: SparkSession, table: Path, tmp_path: Path) -> None:
    stated = policy(require=mo.KAnonymity(5))
    out = tmp_path / "out"
    made = ms.publish(str(table), stated, out=out, spark=spark, seed=7)
    labels: Any = {"quasi": ["age", "sex", "zip"], "sensitive": "disease"}
    parts = str(out / "release" / "data.parquet")
    levels = ms.check(parts, spark=spark, require=mo.KAnonymity(5), **labels)
    assert isinstance(levels, mo.Levels)
    assert levels.holds and levels == mo.check(pq.read_table(parts), require=mo.KAnonymity(5), **labels)
    verified = ms.check(out, spark=spark)
    assert isinstance(verified, mo.Verification) and verified.holds and verified.rows == made.people
    found = ms.audit(out, str(table), stated, spark=spark)
    alone = mo.publish(pq.read_table(table), stated, seed=7).audit(pq.read_table(table))
    assert found.grade == alone.grade
