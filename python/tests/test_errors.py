"""Errors have codes, hints and the library's own text; hostile input is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import moretta as mo

PEOPLE = {"age": [34, 36, 51, 57], "disease": ["flu", "gout", "flu", "gout"]}


def publish(frame: Any, **more: Any) -> mo.Release:
    parts: dict[str, Any] = {"quasi": "age", "sensitive": "disease", "require": mo.KAnonymity(2), **more}
    return mo.publish(frame, **parts)


def test_a_column_that_is_not_named_raises() -> None:
    frame = pl.DataFrame({**PEOPLE, "name": list("abcd")})
    with pytest.raises(mo.WrongInput) as raised:
        publish(frame)
    assert raised.value.code == "unnamed-column" and "name" in raised.value.message
    assert publish(frame, rest="drop").table().columns == ["age", "disease"]
    assert "name" in publish(frame, rest="insensitive").table().columns
    with pytest.raises(mo.WrongInput, match="rest is 'keep'"):
        publish(frame, rest="keep")


def test_a_column_that_is_not_there_raises() -> None:
    with pytest.raises(mo.WrongInput) as raised:
        publish(pl.DataFrame(PEOPLE), quasi=["age", "zip"])
    assert raised.value.code == "unknown-attribute" and "zip" in str(raised.value)


def test_data_that_cannot_meet_the_policy_is_refused() -> None:
    with pytest.raises(mo.Refused) as raised:
        publish(pl.DataFrame(PEOPLE), require=mo.KAnonymity(5))
    assert raised.value.code == "promise-impossible" and not isinstance(raised.value, mo.WrongInput)


def test_an_error_is_a_value_error_with_everything_about_it(tmp_path: Path) -> None:
    (tmp_path / "policy.toml").write_text('[data]\nsource = "x.csv"\n[attributes]\nage = { role = "quassi" }\n')
    with pytest.raises(ValueError) as raised:
        mo.Policy.load(tmp_path / "policy.toml")
    error = raised.value
    assert isinstance(error, mo.WrongInput) and error.line == 4 and error.file == str(tmp_path / "policy.toml")
    assert error.hint is not None and "quasi" in error.hint


def test_a_file_that_is_not_there() -> None:
    with pytest.raises(mo.MachineFailed) as raised:
        publish("nowhere.csv")
    assert raised.value.code == "file-not-found"


def test_a_folder_that_exists_is_not_replaced_unasked(tmp_path: Path) -> None:
    release = publish(pl.DataFrame(PEOPLE))
    release.save(tmp_path / "out")
    with pytest.raises(mo.WrongInput) as raised:
        release.save(tmp_path / "out")
    assert raised.value.code == "output-exists"
    release.save(tmp_path / "out", replace=True)
    assert mo.open(tmp_path / "out").check().holds


def test_a_release_that_was_changed_is_noticed(tmp_path: Path) -> None:
    publish(pl.DataFrame(PEOPLE)).save(tmp_path / "out")
    data = tmp_path / "out" / "release" / "data.csv"
    data.write_text(data.read_text().replace("flu", "flo", 1))
    with pytest.raises(mo.Error) as raised:
        mo.open(tmp_path / "out").check()
    assert raised.value.code == "release-damaged"


def test_what_is_no_table_is_refused() -> None:
    for thing in (3, [1, 2], {"age": [1]}, object()):
        with pytest.raises(TypeError, match="is no table"):
            publish(thing)
    with pytest.raises(mo.WrongInput):
        publish(pa.array([1, 2]))


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame(),
        pl.DataFrame({"age": [], "disease": []}),
        pl.DataFrame(PEOPLE)[:0],
        pd.DataFrame(PEOPLE)[:0],
        pa.table(PEOPLE)[:0],
    ],
)
def test_no_rows(frame: Any) -> None:
    with pytest.raises(mo.Error) as raised:
        publish(frame)
    assert raised.value.code in ("no-rows-left", "unknown-attribute", "table-unreadable")


def test_two_columns_of_one_name() -> None:
    with pytest.raises(mo.WrongInput, match="age"):
        publish(pd.DataFrame([[1, 2, "flu"]], columns=["age", "age", "disease"]))
    with pytest.raises(mo.WrongInput, match="age"):
        publish(
            pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array(["flu"])], names=["age", "age", "disease"])
        )


def test_columns_whose_names_are_no_texts() -> None:
    with pytest.raises(mo.WrongInput, match="must be a text"):
        publish(pd.DataFrame({0: [1], "disease": ["flu"]}))


def test_nested_types_are_refused_by_name() -> None:
    nested = [pl.Series("age", [[1], [2], [3], [4]]), pl.Series("age", [{"a": 1}] * 4)]
    for column in nested:
        with pytest.raises(mo.WrongInput) as raised:
            publish(pl.DataFrame(PEOPLE).with_columns(column))
        assert '"age"' in str(raised.value)


def test_objects_of_several_types() -> None:
    with pytest.raises(mo.WrongInput, match="can't become Arrow"):
        publish(pd.DataFrame({"age": [1, "two", object(), 4], "disease": PEOPLE["disease"]}))


def test_a_stream_that_fails_in_the_middle() -> None:
    schema = pa.schema({"age": pa.int64(), "disease": pa.string()})

    def batches() -> Any:
        yield pa.record_batch([pa.array([1, 2]), pa.array(["flu", "gout"])], schema=schema)
        raise RuntimeError("the database went away")

    with pytest.raises(mo.WrongInput, match="went away"):
        publish(pa.RecordBatchReader.from_batches(schema, batches()))


def test_a_stream_can_be_taken_once() -> None:
    class Once:
        """Hands out the same capsule twice."""

        def __init__(self) -> None:
            self.capsule = pa.table(PEOPLE).__arrow_c_stream__()

        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return self.capsule

    once = Once()
    assert publish(once).check().holds
    with pytest.raises(mo.Error):
        publish(once)


def test_a_capsule_of_another_name_is_refused() -> None:
    class Wrong:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return pa.schema({"a": pa.int64()}).__arrow_c_schema__()

    class NoCapsule:
        def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
            return 7

    for thing in (Wrong(), NoCapsule()):
        with pytest.raises((ValueError, TypeError)):
            publish(thing)


def test_questions_that_cannot_be_read() -> None:
    release = publish(pl.DataFrame(PEOPLE))
    with pytest.raises(mo.WrongInput) as raised:
        release.query("SELEC COUNT(*)")
    assert raised.value.code == "query-unreadable"
    with pytest.raises(mo.WrongInput):
        release.query("SELECT COUNT(*) WHERE height > 3")


def test_a_promise_that_is_broken_raises_on_demand() -> None:
    table = pl.DataFrame({"age": ["a", "a", "b"], "disease": ["flu", "gout", "flu"]})
    levels = mo.check(table, quasi="age", sensitive="disease", require=mo.KAnonymity(2))
    assert not levels.holds
    with pytest.raises(mo.PromiseBroken, match="k-anonymity"):
        levels.demand()


def test_a_policy_and_keywords_exclude_each_other() -> None:
    with pytest.raises(mo.WrongInput, match="leave out quasi"):
        mo.publish(pl.DataFrame(PEOPLE), mo.Policy(quasi="age", sensitive="disease"), quasi="age")
    with pytest.raises(TypeError, match="qausi"):
        publish(pl.DataFrame(PEOPLE), qausi="age")
    with pytest.raises(mo.WrongInput, match="two roles"):
        publish(pl.DataFrame(PEOPLE), sensitive=["disease", "age"])


def test_seeds() -> None:
    frame = pl.DataFrame(PEOPLE)
    for seed in (7, "7", "0x7", 2**127):
        assert publish(frame, seed=seed).check().holds
    for seed in (-1, 2**128, "seven"):
        with pytest.raises(mo.WrongInput):
            publish(frame, seed=seed)
