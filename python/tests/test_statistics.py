"""Files of SPSS and Stata, written here by pyreadstat and pandas, with the labels of coded values."""

from __future__ import annotations

import datetime as dt
import warnings
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pyreadstat
import pytest

import moretta as mo

CODES: dict[str, list[Any]] = {
    "age": [34.0, 36.0, 38.0, 51.0, 57.0, 58.0],
    "sex": [1.0, 1.0, 1.0, 2.0, 2.0, 2.0],
    "zip": ["01067", "01069", "01067", "10115", "10117", "10115"],
    "disease": [1.0, 2.0, 1.0, 2.0, 1.0, 1.0],
}
LABELS: dict[str, dict[Any, str]] = {"sex": {1.0: "female", 2.0: "male"}, "disease": {1.0: "flu", 2.0: "gout"}}


def spss(folder: Path, columns: dict[str, list[Any]], labels: dict[str, dict[Any, str]], **more: Any) -> Path:
    """A small .sav file."""
    path = folder / "people.sav"
    # What it calls a frame is none of pandas' for pyright.
    frame: Any = pd.DataFrame(columns)
    pyreadstat.write_sav(frame, str(path), variable_value_labels=labels, **more)
    return path


def test_labels_stand_for_codes_and_whole_numbers_are_whole(tmp_path: Path) -> None:
    frame = mo.read_statistics(spss(tmp_path, CODES, LABELS, column_labels={"age": "Age in years"}))
    assert frame["sex"].tolist() == ["female"] * 3 + ["male"] * 3
    assert list(frame["disease"].cat.categories) == ["flu", "gout"]
    assert frame["age"].tolist() == [34, 36, 38, 51, 57, 58] and str(frame["age"].dtype) == "Int64"
    assert frame["zip"].tolist() == CODES["zip"]
    assert frame.attrs["labels"]["sex"] == LABELS["sex"]
    assert frame.attrs["questions"] == {"age": "Age in years"}
    codes = mo.read_statistics(tmp_path / "people.sav", labels=False)
    assert codes["sex"].tolist() == [1, 1, 1, 2, 2, 2]


def test_a_file_gives_the_release_of_its_frame(tmp_path: Path) -> None:
    plain = pl.DataFrame(
        {
            "age": [34, 36, 38, 51, 57, 58],
            "sex": ["female"] * 3 + ["male"] * 3,
            "zip": CODES["zip"],
            "disease": ["flu", "gout", "flu", "gout", "flu", "flu"],
        }
    )
    policy: dict[str, Any] = {
        "quasi": ["age", "sex", "zip"],
        "sensitive": "disease",
        "require": mo.KAnonymity(3),
        "seed": 7,
    }
    expected = pl.DataFrame(mo.publish(plain, **policy).arrow["data"])
    assert expected.equals(pl.DataFrame(mo.publish(spss(tmp_path, CODES, LABELS), **policy).arrow["data"]))
    stata = tmp_path / "people.dta"
    categories = {name: pd.Categorical(plain[name].to_list()) for name in ("sex", "disease")}
    pd.DataFrame({**plain.to_dict(as_series=False), **categories}).to_stata(stata, write_index=False)
    assert expected.equals(pl.DataFrame(mo.publish(stata, **policy).arrow["data"]))


def test_codes_of_which_only_some_have_labels_stay_and_are_told(tmp_path: Path) -> None:
    path = spss(tmp_path, {"income": [1200.0, 998.0, 2400.0]}, {"income": {998.0: "refused"}})
    with pytest.warns(UserWarning, match="998 'refused'"):
        assert mo.read_statistics(path)["income"].tolist() == [1200, 998, 2400]
    assert mo.read_statistics(path, labels=["income"])["income"].tolist() == ["1200", "refused", "2400"]
    declared = spss(
        tmp_path, {"income": [1200.0, 998.0]}, {"income": {998.0: "refused"}}, missing_ranges={"income": [998]}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert mo.read_statistics(declared)["income"].isna().tolist() == [False, True]


def test_two_codes_with_one_label_stay_two_values(tmp_path: Path) -> None:
    path = spss(tmp_path, {"grade": [1.0, 2.0, 3.0]}, {"grade": {1.0: "good", 2.0: "good", 3.0: "bad"}})
    assert mo.read_statistics(path)["grade"].tolist() == ["good (1)", "good (2)", "bad"]


def test_days_are_days(tmp_path: Path) -> None:
    path = spss(tmp_path, {"born": [dt.date(1994, 3, 7), dt.date(2001, 12, 31)]}, {})
    assert mo.read_statistics(path)["born"].tolist() == [dt.date(1994, 3, 7), dt.date(2001, 12, 31)]


def test_what_is_wrong_with_a_file_is_said(tmp_path: Path) -> None:
    damaged = tmp_path / "people.sav"
    damaged.write_bytes(b"$FL2 and nothing else")
    with pytest.raises(mo.WrongInput, match="can't be read"):
        mo.read_statistics(damaged)
    with pytest.raises(mo.WrongInput, match="no file of SPSS"):
        mo.read_statistics("people.csv")
    with pytest.raises(mo.WrongInput, match="there is no file"):
        mo.read_statistics(tmp_path / "none.dta")
    with pytest.raises(mo.WrongInput, match="sas7bdat"):
        mo.read_statistics(damaged, catalog="labels.sas7bcat")
    with pytest.raises(mo.WrongInput, match="no column 'sxe'"):
        mo.read_statistics(spss(tmp_path, CODES, LABELS), labels=["sxe"])
