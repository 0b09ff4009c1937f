"""What docs/coming-from.md says that we answer where other tools answer otherwise."""

from __future__ import annotations

import math

import polars as pl

import moretta as mo


def test_recursive_diversity_is_about_the_most_frequent_value() -> None:
    table = pl.DataFrame({"q": ["1"] * 6 + ["2"] * 6, "s": list("aaaabc") + list("abbccc")})
    # Of the first group 4 must be less than c times 2 (l = 2), and than c times 1 (l = 3).
    assert dict(mo.check(table, quasi="q", sensitive="s").sensitive["s"].recursive) == {2: 2, 3: 4}


def test_a_value_that_a_group_lacks_makes_delta_infinite() -> None:
    table = pl.DataFrame({"q": ["1"] * 4 + ["2"] * 4, "s": list("aabb") + list("ccbb")})
    assert math.isinf(mo.check(table, quasi="q", sensitive="s").sensitive["s"].delta)


def test_entropy_is_not_cut() -> None:
    table = pl.DataFrame({"q": ["1"] * 4, "s": list("aaab")})
    entropy = -(0.75 * math.log(0.75) + 0.25 * math.log(0.25))
    assert math.isclose(mo.check(table, quasi="q", sensitive="s").sensitive["s"].entropy_l, math.exp(entropy))


def test_somebody_whose_quasi_identifier_is_missing_is_somebody() -> None:
    table = pl.DataFrame({"q": ["1", "1", None], "s": ["a", "b", "c"]})
    assert mo.check(table, quasi="q", sensitive="s", missing="keep").k == 1
    assert mo.check(table, quasi="q", sensitive="s").k == 1
