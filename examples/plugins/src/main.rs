//! A model, a method and an attack that are added to moretta from outside, in one small program: `cargo run`.

mod attack;
mod method;
mod model;

use moretta::{Attacked, MethodSpec, Policy, Promise, Result, Run, files, plugin};

fn main() -> Result<()> {
    plugin::add_model(&model::ENTRY)?;
    plugin::add_method(&method::ENTRY)?;
    plugin::add_attack(&attack::ATTACK)?;

    // Policies name them like all others, whether they are built or read from a file.
    let built = Policy::builder()
        .quasi("age")
        .sensitive("disease")
        .require(Promise::new("balanced").with("most", 2))
        .method(MethodSpec::new("neighbours"))
        .build()?;
    let policy = Policy::parse(built.to_toml())?;

    let rows: String = (0..60).map(|n| format!("{},{}\n", 20 + n / 2, ["flu", "gout"][n % 2])).collect();
    let table = files::parse_csv(format!("age,disease\n{rows}"), policy.schema())?;
    let published = moretta::publish(&policy, &table, &Run::new())?;
    println!("{} groups; the promise: {:?}", published.report().groups, published.report().guarantees[0].achieved);

    // A recipient who has the model too can check it; who has it not is told so.
    let verified = moretta::check(published.release(), None, &Run::new())?;
    println!("a recipient finds that it {}", if verified.holds() { "holds" } else { "does not hold" });

    let found = moretta::audit(&Attacked::release(published.release()).beside(&table), &Run::new())?;
    for attack in found.attacks.iter().filter(|attack| attack.name == attack::ATTACK.name) {
        println!("{}: {} is {:.2}", attack.name, attack.finding.measure, attack.finding.measured);
    }
    Ok(())
}
