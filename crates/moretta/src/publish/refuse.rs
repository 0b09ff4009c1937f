//! What a method can't do, said before it starts.

use crate::data::role::Role;
use crate::data::table::ReadCounts;
use crate::error::{Code, Error, Result};
use crate::kind::registry::KINDS;
use crate::method::registry::METHODS;
use crate::method::{Method, Wish};
use crate::model::Scope;
use crate::model::registry::MODELS;
use crate::policy::Policy;
use crate::schema::Attribute;
use crate::text::counted;

/// Refuses a role that the method has no use for, and a promise that it can't keep.
pub(super) fn refuse(policy: &Policy, method: &dyn Method) -> Result<()> {
    refuse_roles(policy, method)?;
    refuse_kind(policy, method)?;
    refuse_pseudonyms(policy, method)?;
    refuse_models(policy, method)?;
    refuse_rows(policy, method)?;
    refuse_wishes(policy, method)
}

/// Refuses a table in which an identifier occurs twice: every group would count one person as several.
pub(super) fn repeated_identifiers(policy: &Policy, tally: &ReadCounts) -> Result<()> {
    if tally.repeated_identifiers == 0 || policy.with_role(Role::Person).next().is_some() {
        return Ok(());
    }
    let identifiers: Vec<String> = policy
        .attributes
        .iter()
        .filter(|attribute| matches!(attribute.role, Role::Identifier | Role::Pseudonym))
        .map(|attribute| format!("{:?}", attribute.name))
        .collect();
    let message = format!(
        "{} share their identifier ({}) with another row, so that rows are not people",
        counted(tally.repeated_identifiers, "row", "rows"),
        identifiers.join(", ")
    );
    Err(Error::data(message)
        .coded(Code::RepeatedIdentifier)
        .at_file(&policy.file)
        .help("where several rows belong to one person, give it the role \"person\": groups then count people; where equal values are no sign of one person, as with names, \"drop\""))
}

/// Refuses to count people by a method or a promise that counts rows.
fn refuse_rows(policy: &Policy, method: &dyn Method) -> Result<()> {
    let Some(person) = policy.with_role(Role::Person).next() else { return Ok(()) };
    let refused = |what: String, code: Code, help: String| {
        let message = format!("{what}, and {:?} says that several may belong to one person", person.name);
        Err(Error::input(message).coded(code).at_file(&policy.file).at_line(person.line).help(help))
    };
    if !method.counts_people() {
        let able = METHODS.iter().filter(|entry| entry.several_rows.are_counted()).map(|entry| entry.name);
        let help = format!("methods that count people: {}", able.collect::<Vec<_>>().join(", "));
        return refused(format!("the method {} counts rows", method.name()), Code::RoleUnsupported, help);
    }
    if let Some(model) = policy.models.iter().find(|model| model.safety_by_people().is_none()) {
        let what =
            format!("{} is not defined where a person may have several sensitive values: it counts rows", model.name());
        let able = MODELS.iter().filter(|entry| entry.several_rows.are_counted()).map(|entry| entry.name);
        let help = format!("models that count people: {}", able.collect::<Vec<_>>().join(", "));
        return refused(what, Code::ModelUnsupported, help);
    }
    Ok(())
}

/// Refuses a pseudonym where rows are not people, or not the rows of those who have the identifier.
fn refuse_pseudonyms(policy: &Policy, method: &dyn Method) -> Result<()> {
    let mut pseudonyms = policy.with_role(Role::Pseudonym);
    let Some(attribute) = pseudonyms.next() else {
        return match &policy.pseudonym_key {
            None => Ok(()),
            Some(_) => Err(Error::input("a key of pseudonyms is stated, and no identifier has `pseudonym = true`")
                .at_file(&policy.file)
                .help("leave the key out, or say which identifier gets pseudonyms")),
        };
    };
    let refused = |why: String, attribute: &Attribute, help: &str| {
        let message = format!("{:?} can't be published under a pseudonym: {why}", attribute.name);
        Err(Error::input(message).coded(Code::RoleUnsupported).at_file(&policy.file).at_line(attribute.line).help(help))
    };
    if let Some(other) = pseudonyms.next() {
        return refused(format!("{:?} is already", attribute.name), other, "one identifier gets pseudonyms");
    }
    if let Some(person) = policy.with_role(Role::Person).next() {
        let why = format!("{:?} says that several rows may belong to one person, and it would link them", person.name);
        return refused(why, attribute, "leave out `pseudonym`, or publish a table with one row for each person");
    }
    if let Some(weight) = policy.with_role(Role::Weight).next() {
        let why = format!("{:?} says that a row stands for several people", weight.name);
        return refused(why, attribute, "leave out `pseudonym`");
    }
    let kind = KINDS.iter().find(|entry| entry.id == method.kind());
    if let Some(Err(why)) = kind.map(|entry| entry.pseudonyms) {
        let why = format!("of a {} release, {why}", method.kind().name());
        return refused(
            why,
            attribute,
            "leave out `pseudonym`, or publish with a method such as least-loss, mondrian or anatomy",
        );
    }
    Ok(())
}

/// A promise whose sentence is not true of the kind of release that the method makes is refused, with what to require instead.
fn refuse_kind(policy: &Policy, method: &dyn Method) -> Result<()> {
    let kind = method.kind();
    let mut refused = policy.models.iter().filter_map(|model| Some((model, model.wordings().of(kind).refusal()?)));
    let Some((model, refusal)) = refused.next() else { return Ok(()) };
    let able: Vec<&str> = METHODS.iter().filter(|entry| entry.can_promise(&**model)).map(|entry| entry.name).collect();
    let methods = format!("methods that can: {}", able.join(", "));
    let help = match refusal.lines(&model.parameters()) {
        None => methods,
        Some(lines) => format!("in place of {}, require\n\n{lines}\n\n{methods}", model.name()),
    };
    let message = format!(
        "the method {} makes {} releases, which can't promise {}: {}",
        method.name(),
        kind.name(),
        model.name(),
        refusal.reason
    );
    Err(Error::input(message).coded(Code::ModelUnsupported).at_file(&policy.file).help(help))
}

/// Refuses a wish for an attribute that the method can't honour, and one that a promise can't live with.
fn refuse_wishes(policy: &Policy, method: &dyn Method) -> Result<()> {
    for attribute in policy.linkable_attributes() {
        let limits = &attribute.limits;
        let stated = |wish: &Wish| match wish {
            Wish::Importance => limits.importance.is_some(),
            Wish::MaxLevel => limits.max_level.is_some(),
            Wish::SuppressCells => limits.suppress_cells,
            Wish::Linked => limits.linked.is_some(),
        };
        let refused = |message: String, code: Code, help: String| {
            Err(Error::input(message).coded(code).at_file(&policy.file).at_line(attribute.line).help(help))
        };
        let name = &attribute.name;
        if let Some(wish) = Wish::ALL.into_iter().filter(stated).find(|&wish| !method.honours(wish)) {
            let message = format!("the method {} can't honour `{wish}` of {name:?}", method.name());
            let help = format!("remove it, or use a method that generalizes values: {}", able(wish));
            return refused(message, Code::WrongParameter, help);
        }
        let about_members = policy.models.iter().find(|model| matches!(model.scope(), Scope::Members(_)));
        let changes = Wish::ALL.into_iter().filter(|&wish| wish != Wish::Importance).find(stated);
        if let (Some(model), Some(wish)) = (about_members, changes) {
            let message = format!(
                "{} can't be promised with `{wish}` of {name:?}: what its adversary knows depends on how far values lie apart in their own hierarchy",
                model.name()
            );
            return refused(message, Code::ModelUnsupported, format!("remove `{wish}`, or require another model"));
        }
    }
    Ok(())
}

/// The methods that can honour a wish.
fn able(wish: Wish) -> &'static str {
    match wish {
        Wish::SuppressCells => "least-loss, mondrian, top-down, clustering",
        Wish::Importance | Wish::MaxLevel | Wish::Linked => "least-loss, mondrian, full-domain, top-down, clustering",
    }
}

fn refuse_roles(policy: &Policy, method: &dyn Method) -> Result<()> {
    match policy.attributes.iter().find(|attribute| !method.supports_role(attribute.role)) {
        None => Ok(()),
        Some(attribute) => {
            let message = format!(
                "the method {} has no use for the role {:?} of {:?}",
                method.name(),
                attribute.role.name(),
                attribute.name
            );
            Err(Error::input(message)
                .coded(Code::RoleUnsupported)
                .at_file(&policy.file)
                .at_line(attribute.line)
                .help("give the attribute another role, or \"drop\""))
        }
    }
}

/// A method that can't keep a promise says so before it starts.
fn refuse_models(policy: &Policy, method: &dyn Method) -> Result<()> {
    match policy.models.iter().find(|model| !method.supports().includes(&***model)) {
        None => Ok(()),
        Some(model) => {
            let able: Vec<&str> =
                METHODS.iter().filter(|entry| entry.can_promise(&**model)).map(|entry| entry.name).collect();
            Err(Error::input(format!("the method {} can't promise {}", method.name(), model.name()))
                .coded(Code::ModelUnsupported)
                .at_file(&policy.file)
                .help(format!("methods that can: {}", able.join(", "))))
        }
    }
}
