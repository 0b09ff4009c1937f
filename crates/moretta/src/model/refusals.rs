//! Parameters that are wrong whatever the data: refused before any data is read, with what would be right.

use crate::error::{Error, Fault};
use crate::testkit::tables::{ATTRIBUTES, parse};

fn refused_in(attributes: &str, model: &str) -> Error {
    let error = parse(attributes, &[model.to_owned()]).expect_err(model);
    assert_eq!(error.fault(), Fault::Input, "{error}");
    assert!(error.place().line.is_some() && error.advice().is_some_and(|help| !help.is_empty()), "{error}");
    error
}

#[test]
fn numbers_out_of_range() {
    for (model, message, help) in [
        ("model = \"distinct-l-diversity\", l = 0", "`l` is 0", "at least 1"),
        ("model = \"distinct-l-diversity\", l = 2.5", "`l` is 2.5", "whole number"),
        ("model = \"probabilistic-l-diversity\", l = 0.99", "`l` is 0.99", "at least 1"),
        ("model = \"entropy-l-diversity\", l = 0", "`l` is 0", "at least 1"),
        ("model = \"entropy-l-diversity\", l = nan", "`l` is NaN", "at least 1"),
        ("model = \"recursive-l-diversity\", c = 0, l = 2", "`c` is 0", "above 0"),
        ("model = \"recursive-l-diversity\", c = 1, l = 0", "`l` is 0", "at least 1"),
        ("model = \"alpha-k-anonymity\", alpha = 0, k = 2", "`alpha` is 0", "above 0"),
        ("model = \"alpha-k-anonymity\", alpha = 1.01, k = 2", "`alpha` is 1.01", "at most 1"),
        ("model = \"alpha-k-anonymity\", alpha = 0.5, k = 0", "`k` is 0", "at least 1"),
        ("model = \"alpha-k-anonymity\", alpha = 0.5, k = 2, values = []", "`values` is empty", "bound all"),
        ("model = \"alpha-k-anonymity\", alpha = 0.5, k = 2, values = [\"aa\"]", "of which attribute", "attribute = "),
        ("model = \"p-sensitive\", p = 0, k = 2", "`p` is 0", "at least 1"),
        ("model = \"p-sensitive\", p = 2, k = 0", "`k` is 0", "at least 1"),
        ("model = \"p-plus-sensitive\", p = 6, k = 2, attribute = \"disease\"", "only 5 categories", "from 1 to 5"),
        ("model = \"p-plus-sensitive\", p = 0, k = 2", "`p` is 0", "at least 1"),
        ("model = \"p-alpha-sensitive\", p = 2, alpha = -1, k = 2", "`alpha` is -1", "at least 0"),
        ("model = \"t-closeness\", distance = \"equal\", t = 1.1", "`t` is 1.1", "from 0 to 1"),
        ("model = \"t-closeness\", distance = \"js\", t = 0.7", "`t` is 0.7", "ln 2"),
        ("model = \"t-closeness\", distance = \"kl\", t = -0.1", "`t` is -0.1", "from 0 up"),
        ("model = \"t-closeness\", distance = \"equal\", t = 1e-25", "beyond 19 decimals", "round it"),
        ("model = \"n-t-closeness\", n = 0, distance = \"equal\", t = 0.1", "`n` is 0", "at least 1"),
        ("model = \"delta-disclosure\", delta = 0", "`delta` is 0", "above 0"),
    ] {
        let error = refused_in(ATTRIBUTES, model);
        assert!(error.message().contains(message), "{error}");
        assert!(error.advice().is_some_and(|advice| advice.contains(help)), "{error}");
    }
    assert!(parse(ATTRIBUTES, &["model = \"t-closeness\", distance = \"kl\", t = 3".to_owned()]).is_ok());
}

#[test]
fn distances_that_do_not_fit() {
    for (model, message) in [
        ("model = \"t-closeness\", t = 0.1, distance = \"euclid\"", "no distance \"euclid\""),
        ("model = \"t-closeness\", t = 0.1", "`distance` is missing"),
        ("model = \"t-closeness\", t = 0.1, distance = \"equal\", order = \"rank\"", "`order` means nothing"),
        ("model = \"t-closeness\", t = 0.1, distance = \"js\", bandwidth = 1", "`bandwidth` means nothing"),
        ("model = \"t-closeness\", t = 0.1, distance = \"kernel-js\"", "`bandwidth` is missing"),
        ("model = \"t-closeness\", t = 0.1, distance = \"kernel-js\", bandwidth = 0", "`bandwidth` is 0"),
        ("model = \"t-closeness\", t = 0.1, distance = \"ordered\"", "\"disease\" have no order"),
        ("model = \"t-closeness\", t = 0.1, distance = \"hierarchical\"", "\"salary\" has no hierarchy"),
        (
            "model = \"n-t-closeness\", n = 5, t = 0.1, distance = \"hierarchical\", attribute = \"salary\"",
            "no hierarchy",
        ),
    ] {
        let error = refused_in(ATTRIBUTES, model);
        assert!(error.message().contains(message), "{error}");
    }
}

#[test]
fn attributes_that_are_not_there_or_not_sensitive() {
    let model = |attribute: &str| format!("model = \"distinct-l-diversity\", l = 2, attribute = \"{attribute}\"");
    let error = refused_in(ATTRIBUTES, &model("diseas"));
    assert_eq!(error.advice(), Some("did you mean `disease`?"));
    let error = refused_in(ATTRIBUTES, &model("group"));
    assert!(error.message().contains("quasi-identifier; an attribute has one role"), "{error}");
    assert_eq!(error.advice(), Some("the sensitive attributes are: disease, salary"));

    let base = "[data]\nsource = \"t.csv\"\n[attributes]\nq = { role = \"quasi\" }\nv = { role = \"insensitive\" }";
    let error = refused_in(base, "model = \"delta-disclosure\", delta = 1");
    assert!(error.message().contains("no sensitive attribute"), "{error}");
    let plain = format!("{base}\ns = {{ role = \"sensitive\" }}");
    let error = refused_in(&plain, "model = \"distinct-l-diversity\", l = 2, attribute = \"v\"");
    assert!(error.message().contains("its role is \"insensitive\""), "{error}");
    for model in
        ["model = \"p-plus-sensitive\", p = 2, k = 2", "model = \"p-alpha-sensitive\", p = 2, alpha = 1, k = 2"]
    {
        let error = refused_in(&plain, model);
        assert!(error.message().contains("\"s\" has no categories"), "{error}");
    }
}
