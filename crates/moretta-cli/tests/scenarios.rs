//! The golden cases in `scenarios/`. After a change on purpose: `TRYCMD=overwrite cargo test --test scenarios`,
//! then review the difference.

#[test]
fn scenarios() {
    trycmd::TestCases::new().case("../../scenarios/*.md");
}
