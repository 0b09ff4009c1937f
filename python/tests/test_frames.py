"""Frames of every kind come in, and the same kind goes out."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import adbc_driver_sqlite.dbapi as sqlite
import duckdb
import ibis
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import moretta as mo

POLICY: dict[str, Any] = {"quasi": ["age", "sex"], "sensitive": "disease", "require": mo.KAnonymity(3), "seed": 7}
PEOPLE: dict[str, list[Any]] = {
    "age": [34, 36, 38, 51, 57, 58],
    "sex": ["F", "F", "F", "M", "M", "M"],
    "disease": ["flu", "gout", "flu", "gout", "flu", "flu"],
}


def publish(frame: Any, **more: Any) -> mo.Release:
    return mo.publish(frame, **{**POLICY, **more})


@pytest.fixture(scope="module")
def expected() -> list[tuple[Any, ...]]:
    return rows(publish(pl.DataFrame(PEOPLE)))


def rows(release: mo.Release) -> list[tuple[Any, ...]]:
    return pl.DataFrame(release.arrow["data"]).rows()


def test_the_kind_that_came_in_goes_out(expected: list[tuple[Any, ...]]) -> None:
    polars, pandas, pyarrow = (
        publish(frame) for frame in (pl.DataFrame(PEOPLE), pd.DataFrame(PEOPLE), pa.table(PEOPLE))
    )
    assert isinstance(polars.table(), pl.DataFrame)
    assert isinstance(pandas.table(), pd.DataFrame)
    assert isinstance(pyarrow.table(), pa.Table)
    for release in (polars, pandas, pyarrow):
        assert rows(release) == expected
        assert list(release.tables) == ["data"]


def test_a_lazy_frame_a_batch_and_a_reader(expected: list[tuple[Any, ...]]) -> None:
    table = pa.table(PEOPLE)
    [batch] = table.to_batches()
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=2))
    for frame in (pl.DataFrame(PEOPLE).lazy(), batch, batch.to_struct_array(), reader):
        assert rows(publish(frame)) == expected


def test_duckdb(expected: list[tuple[Any, ...]]) -> None:
    people = pa.table(PEOPLE)
    release = publish(duckdb.sql("SELECT * FROM people"))
    assert people.num_rows == 6 and rows(release) == expected
    given = release.table()
    assert isinstance(given, mo.ArrowTable) and given.column_names[:2] == ["age", "sex"] and len(given) == 6
    counted: Any = duckdb.sql("SELECT COUNT(*) FROM given")
    assert counted.fetchall() == [(6,)]


def test_an_ibis_expression(expected: list[tuple[Any, ...]]) -> None:
    people: Any = ibis.memtable(pd.DataFrame(PEOPLE))
    assert rows(publish(people.mutate(sex=people.sex.upper()))) == expected


def test_an_adbc_cursor(expected: list[tuple[Any, ...]]) -> None:
    with sqlite.connect() as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("people", pa.table(PEOPLE))
        cursor.execute("SELECT * FROM people")
        assert rows(publish(cursor)) == expected


def test_files(tmp_path: Path, expected: list[tuple[Any, ...]]) -> None:
    pl.DataFrame(PEOPLE).write_csv(tmp_path / "people.csv")
    pl.DataFrame(PEOPLE).write_parquet(tmp_path / "people.parquet")
    assert rows(publish(tmp_path / "people.csv")) == expected
    assert rows(publish(str(tmp_path / "people.parquet"))) == expected


def test_pandas_categoricals_nullable_and_extension_types(expected: list[tuple[Any, ...]]) -> None:
    plain = pd.DataFrame(PEOPLE)
    frames = [
        plain.astype({"sex": "category", "disease": "category"}),
        plain.astype({"age": "Int64", "sex": "string"}),
        plain.convert_dtypes(dtype_backend="pyarrow"),
        plain.astype({"sex": object, "disease": object}),
    ]
    for frame in frames:
        assert rows(publish(frame)) == expected


def test_a_pandas_index_is_a_column_only_if_it_has_a_name(expected: list[tuple[Any, ...]]) -> None:
    shuffled = pd.DataFrame(PEOPLE, index=[10, 20, 30, 40, 50, 60])
    assert rows(publish(shuffled)) == expected
    named = shuffled.rename_axis("patient")
    with pytest.raises(mo.WrongInput, match="patient"):
        publish(named)
    assert rows(publish(named, identifier="patient")) == expected


def test_missing_values_of_every_kind() -> None:
    table = {**PEOPLE, "age": [34, None, 38, 51, 57, 58]}
    for frame in (pl.DataFrame(table), pd.DataFrame(table), pa.table(table)):
        release = publish(frame, require=mo.KAnonymity(2))
        assert release.report is not None and release.report.json["left_out"]["missing"] == 1
    nan = pl.DataFrame(PEOPLE).with_columns(pl.Series("age", [34.0, float("nan"), 38.0, 51.0, 57.0, 58.0]))
    with pytest.raises(mo.WrongInput, match="row 2 is not a finite number"):
        publish(nan)
    assert publish(nan.fill_nan(None), require=mo.KAnonymity(2)).check().holds


def test_dates_and_time_zones() -> None:
    days = [
        dt.date(2024, 1, 5),
        dt.date(2024, 1, 9),
        dt.date(2024, 1, 30),
        dt.date(2024, 7, 1),
        dt.date(2024, 7, 4),
        dt.date(2024, 8, 9),
    ]
    moments = [dt.datetime(day.year, day.month, day.day, 12, tzinfo=dt.timezone.utc) for day in days]
    parts: Any = {"quasi": ["day", "sex"]}
    by_day = publish(pl.DataFrame({**PEOPLE, "day": days}).drop("age"), **parts)
    assert by_day.check().holds
    aware = pd.DataFrame({**PEOPLE, "day": pd.to_datetime(moments).tz_convert("Europe/Vienna")}).drop(columns="age")
    assert publish(aware, **parts).check().holds
    zoned = (
        pl.DataFrame({**PEOPLE, "day": moments})
        .drop("age")
        .with_columns(pl.col("day").dt.convert_time_zone("Asia/Tokyo"))
    )
    assert publish(zoned, **parts).check().holds


def test_huge_integers() -> None:
    large = {**PEOPLE, "age": [2**63 - 1 - i for i in range(6)]}
    assert publish(pl.DataFrame(large)).check().holds
    unsigned = pl.DataFrame(PEOPLE).with_columns(pl.Series("age", [2**64 - 1 - i for i in range(6)], dtype=pl.UInt64))
    assert publish(unsigned).check().holds


def test_metadata_say_what_columns_mean() -> None:
    table = publish(pa.table(PEOPLE)).table()
    assert table.schema.field("age").metadata


def test_sliced_and_chunked_frames(frame: pl.DataFrame, policy: mo.Policy, release: mo.Release) -> None:
    parts = [frame[start : start + 77] for start in range(0, len(frame), 77)]
    chunked = pl.concat(parts, rechunk=False)
    assert chunked.n_chunks() > 1
    assert mo.publish(chunked, policy, seed=7).table().equals(release.table())
    padded = pa.concat_tables([frame[:13].to_arrow(), frame.to_arrow()]).slice(13)
    assert pl.DataFrame(mo.publish(padded, policy, seed=7).arrow["data"]).equals(release.table())


def test_intervals_come_as_typed_columns_and_days_in_their_own_format() -> None:
    days = ["07.03.1994", "9.3.1994", "08.03.1994", "01.12.2001", "31.12.2001", "05.12.2001"]
    people = pl.DataFrame({**PEOPLE, "born": days})
    quasi = [mo.Attribute("born", format="%d.%m.%Y"), "age", "sex"]
    bounds, text = publish(people, quasi=quasi, intervals="bounds"), publish(people, quasi=quasi)
    data = pl.DataFrame(bounds.arrow["data"])
    assert [data.schema[name] for name in ("age_low", "age_high", "born_low", "born_high")] == [
        pl.Int64,
        pl.Int64,
        pl.Date,
        pl.Date,
    ]
    assert data["born_high"].to_list() == [dt.date(1994, 3, 31)] * 3 + [dt.date(2001, 12, 31)] * 3
    question = "SELECT COUNT(*) WHERE age < 37 AND disease = 'flu'"
    assert str(bounds.query(question)) == str(text.query(question))
