//! What a method can't do, said before it starts.

use crate::error::{Code, Error, Result};
use crate::method::Method;
use crate::method::registry::METHODS;
use crate::model::PrivacyModel;
use crate::policy::Policy;

/// Refuses a role that the method has no use for, and a promise that it can't keep.
pub(super) fn refuse(policy: &Policy, method: &dyn Method) -> Result<()> {
    refuse_roles(policy, method)?;
    refuse_kind(policy, method)?;
    refuse_models(policy, method)
}

/// A promise whose sentence is not true of the kind of release that the method makes is refused, with what to require instead.
fn refuse_kind(policy: &Policy, method: &dyn Method) -> Result<()> {
    let kind = method.kind();
    let refused = |model: &&Box<dyn PrivacyModel>| model.wordings().of(kind).refusal().is_some();
    let Some(model) = policy.models.iter().find(refused) else { return Ok(()) };
    let Some(refusal) = model.wordings().of(kind).refusal() else { return Ok(()) };
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
