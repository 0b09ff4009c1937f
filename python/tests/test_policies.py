"""Policies, models, methods, hierarchies: everything in the catalogue can be said in Python, and is checked by the library."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import moretta as mo

EXAMPLES: list[mo.Model] = [
    mo.KAnonymity(5),
    mo.BucketSize(5),
    mo.CondensedK(5),
    mo.UncertainKAnonymity(5.0),
    mo.UncertainKAnonymity([{"where": "age >= 80", "k": 20}, {"k": 10}]),
    mo.DistinctLDiversity(2),
    mo.ProbabilisticLDiversity(2.5, attribute="disease"),
    mo.EntropyLDiversity(2.5),
    mo.RecursiveLDiversity(3.0, 2),
    mo.LDiverseSlicing(2.0),
    mo.MatchingLDiversity(2, 0.9, max_items=2, fuzzy=True),
    mo.TCloseness(0.2, distance="equal"),
    mo.TCloseness(0.2, "ordered", order="value"),
    mo.TCloseness(0.2, "kernel-js", bandwidth=0.5),
    mo.NTCloseness(1000, 0.1, "equal"),
    mo.BTPrivacy([(0.3, 0.25), (math.inf, 0.25)], distance="js"),
    mo.DeltaDisclosure(1.5),
    mo.AlphaKAnonymity(0.5, 5, values=["HIV"]),
    mo.PSensitive(2, 5),
    mo.PPlusSensitive(2, 4),
    mo.PAlphaSensitive(2, 1.0, 4),
    mo.AlphaBetaPrivacy(0.5, 0.5, presence="group"),
    mo.PPrivate("uniform"),
    mo.PPrivate(mo.TCloseness(0.15, "ordered"), max_denominator=16),
]


def test_every_model_and_method_of_the_catalogue_has_a_class() -> None:
    entries = mo.catalogue()
    assert {one.name for one in EXAMPLES} == {one.name for one in entries if one.kind == "model"}
    assert {type(one) for one in EXAMPLES} == set(mo.models.ALL)
    made = [mo.methods.Slicing(2) if kind is mo.methods.Slicing else kind() for kind in mo.methods.ALL]  # type: ignore[call-arg]
    assert {one.name for one in made} == {one.name for one in entries if one.kind == "method"}
    assert {one.kind for one in entries} == {"model", "method", "attack", "cost", "term"}


@pytest.mark.parametrize("model", EXAMPLES, ids=repr)
def test_a_model_is_what_a_policy_states(model: mo.Model) -> None:
    assert mo.Model(model.name, **model.parameters) == model
    assert mo.explain(model.name).text.startswith("#")


@pytest.mark.parametrize(
    "make",
    [
        lambda: mo.KAnonymity(0),
        lambda: mo.KAnonymity(2.5),  # type: ignore[arg-type]
        lambda: mo.KAnonymity("five"),  # type: ignore[arg-type]
        lambda: mo.TCloseness(-0.1, "equal"),
        lambda: mo.TCloseness(0.1, "euclidean"),  # type: ignore[arg-type]
        lambda: mo.TCloseness(math.nan, "equal"),
        lambda: mo.EntropyLDiversity(0.5),
        lambda: mo.Model("k-anonimity", k=5),
        lambda: mo.methods.Mondrian(recoding="cubes"),  # type: ignore[arg-type]
        lambda: mo.methods.LeastLoss(suppression=1.5),
        lambda: mo.Method("least-los"),
        lambda: mo.Method("least-loss", k=5),
    ],
)
def test_wrong_parameters_raise_where_they_are_written(make: Any) -> None:
    with pytest.raises(mo.WrongInput) as raised:
        make()
    assert raised.value.code in ("wrong-parameter", "unknown-model", "unknown-method", "unknown-key")


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    assert mo.KAnonymity(numpy.int64(5)) == mo.KAnonymity(5)


def test_a_policy_and_its_toml() -> None:
    policy = mo.Policy(
        identifier="name",
        quasi=[mo.Attribute("age", type="integer"), "zip"],
        sensitive=mo.Attribute("disease", categories=[["HIV"], ["flu", "gout"]]),
        drop=["note"],
        hierarchies={"age": mo.hierarchy.intervals([5, 10]), "zip": mo.hierarchy.mask()},
        types={"zip": "text"},
        require=[mo.KAnonymity(5), mo.PPlusSensitive(2, 5)],
        method=mo.methods.Mondrian(),
        suppression=0.1,
        where="age >= 18",
        missing="keep",
        missing_values=["?"],
        accept={"belief": 0.5},
        format="parquet",
    )
    again = mo.Policy.from_toml(policy.to_toml())
    assert again == policy and again.to_dict() == mo.Policy.from_dict(policy.to_dict()).to_dict()
    assert policy.roles == {
        "name": "identifier",
        "age": "quasi",
        "zip": "quasi",
        "disease": "sensitive",
        "note": "drop",
    }
    assert "mondrian" in repr(policy)


def test_an_identifier_may_have_a_pseudonym() -> None:
    policy = mo.Policy(identifier=mo.Attribute("id", pseudonym=True), quasi="age", require=mo.KAnonymity(2))
    assert policy.to_dict()["attributes"]["id"] == {"role": "identifier", "pseudonym": True}
    assert mo.Policy.from_toml(policy.to_toml()) == policy
    with pytest.raises(mo.WrongInput, match="only an identifier"):
        mo.Policy(quasi=mo.Attribute("age", pseudonym=True), require=mo.KAnonymity(2))


def test_a_policy_file_with_overrides(patients: Path) -> None:
    policy = mo.Policy.load(patients / "policy.toml", set=["require.0.k=10"])
    release = mo.publish(patients / "patients.csv", policy, seed=1)
    assert release.check().k is not None and release.check().k >= 10  # type: ignore[operator]


def test_hierarchies_by_call_frame_and_file_are_the_same(patients: Path, frame: pl.DataFrame) -> None:
    path = patients / "hierarchies" / "profession.csv"
    lines = [line.split(",") for line in path.read_text().splitlines()]
    of_frame = pl.DataFrame(lines, schema=["value", "group", "class", "root"], orient="row")
    made = [mo.hierarchy.rows(lines), mo.hierarchy.frame(of_frame), mo.hierarchy.file(path)]
    tables = [
        mo.publish(
            frame,
            quasi=mo.Attribute("profession", hierarchy=one),
            sensitive="diagnosis",
            rest="drop",
            require=mo.KAnonymity(20),
            seed=3,
        ).table()
        for one in made
    ]
    assert tables[0].equals(tables[1]) and tables[0].equals(tables[2])
    parents = [{row[i]: row[i + 1] for row in lines} for i in range(2)]
    assert mo.hierarchy.levels(parents) == made[0]


def test_previews(frame: pl.DataFrame) -> None:
    ages = mo.hierarchy.intervals([10, 20]).preview(frame, "age")
    assert [sum(people for _, people in level) for level in ages.levels] == [600] * len(ages.levels)
    with pytest.raises(mo.WrongInput) as raised:
        mo.hierarchy.mask().preview(frame, "no such column")
    assert raised.value.code == "unknown-attribute"


METHODS: list[tuple[mo.Method, list[mo.Model]]] = [
    (mo.methods.LeastLoss(), [mo.KAnonymity(5)]),
    (mo.methods.Mondrian(), [mo.KAnonymity(5), mo.DistinctLDiversity(2)]),
    (mo.methods.Mondrian(recoding="bucketize"), [mo.BucketSize(5)]),
    (mo.methods.FullDomain(suppression=0.1), [mo.KAnonymity(5)]),
    (mo.methods.TopDown(), [mo.KAnonymity(5)]),
    (mo.methods.Clustering(), [mo.KAnonymity(5)]),
    (mo.methods.Anatomy(), [mo.DistinctLDiversity(3)]),
    (mo.methods.Transparent(), [mo.DistinctLDiversity(3)]),
    (mo.methods.Transparent(recoding="bucketize"), [mo.ProbabilisticLDiversity(2)]),
    (mo.methods.Ambiguity(suppression=0.5), [mo.AlphaBetaPrivacy(0.9, 0.5)]),
    (mo.methods.Injector(), [mo.MatchingLDiversity(2, 0.95)]),
    (mo.methods.Slicing(2), [mo.LDiverseSlicing(2.0)]),
    (mo.methods.Distribution(groups=["sex"]), [mo.PPrivate("table")]),
    (mo.methods.Uncertain(categorical="drop"), [mo.UncertainKAnonymity(3.0)]),
    (mo.methods.Condensation(categorical="drop"), [mo.CondensedK(5)]),
]


@pytest.mark.parametrize(("method", "models"), METHODS, ids=lambda one: getattr(one, "name", ""))
def test_every_method_publishes_what_its_check_proves(
    frame: pl.DataFrame, method: mo.Method, models: list[mo.Model]
) -> None:
    people = frame.select("age", "sex", "diagnosis")[:300]
    by_age, by_sex = mo.hierarchy.balanced(2), mo.hierarchy.rows([["female", "*"], ["male", "*"]])
    attributes = [mo.Attribute("age", hierarchy=by_age), mo.Attribute("sex", hierarchy=by_sex)]
    release = mo.publish(people, quasi=attributes, sensitive="diagnosis", require=models, method=method, seed=5)
    assert release.report is not None and release.report.method == method.name == release.method
    assert all(one.holds for one in release.report.guarantees)
    assert release.check(people).demand().holds
    assert release.tables and all(len(table.columns) > 0 for table in release.tables.values())
    assert release.query("SELECT COUNT(*)").rows
    assert method.name in release._repr_html_()
