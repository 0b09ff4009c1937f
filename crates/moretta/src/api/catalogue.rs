//! What there is to know about models, methods and attacks.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::audit;
use crate::error::{Code, Error, Result, nearest};
use crate::kind::registry::KINDS;
use crate::method;
use crate::model::sentence::unfilled;
use crate::model::{self, SeveralRows, Wording, Wordings};

/// What an entry is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum EntryKind {
    /// A privacy model.
    Model,
    /// A publication method.
    Method,
    /// An attack.
    Attack,
}

/// A privacy model, a method or an attack.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct CatalogueEntry {
    /// What it is.
    pub kind: EntryKind,
    /// The name by which policies call it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// The paper that it comes from, if it comes from one.
    pub paper: &'static str,
    /// What it protects, what it does not, its parameters, cost and paper, as Markdown.
    #[serde(skip)]
    pub page: &'static str,
    #[serde(skip)]
    wordings: Option<Wordings>,
    #[serde(skip)]
    several_rows: Option<SeveralRows>,
}

/// All models, methods and attacks, those from elsewhere included.
pub fn catalogue() -> Vec<CatalogueEntry> {
    let models = model::registry::entries().map(|entry| CatalogueEntry {
        kind: EntryKind::Model,
        name: entry.name,
        summary: entry.summary,
        paper: entry.paper,
        page: entry.page,
        wordings: Some(entry.wordings),
        several_rows: Some(entry.several_rows),
    });
    let methods = method::registry::entries().map(|entry| CatalogueEntry {
        kind: EntryKind::Method,
        name: entry.name,
        summary: entry.summary,
        paper: entry.paper,
        page: entry.page,
        wordings: None,
        several_rows: Some(entry.several_rows),
    });
    let attacks = audit::attacks().map(|attack| CatalogueEntry {
        kind: EntryKind::Attack,
        name: attack.name,
        summary: attack.adversary,
        paper: "",
        page: attack.adversary,
        wordings: None,
        several_rows: None,
    });
    models.chain(methods).chain(attacks).collect()
}

/// The entry of a name.
pub fn explain(name: &str) -> Result<CatalogueEntry> {
    let entries = catalogue();
    let names: Vec<&'static str> = entries.iter().map(|entry| entry.name).collect();
    entries.into_iter().find(|entry| entry.name == name).ok_or_else(|| {
        let error = Error::input(format!("there is no model, method or attack {name:?}")).coded(Code::UnknownModel);
        match nearest(name, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`moretta explain` lists all"),
        }
    })
}

impl CatalogueEntry {
    /// The whole page: also what becomes of several rows of one person and, for a model, what may be said of each kind of release.
    pub fn text(&self) -> String {
        let mut text = self.page.to_owned();
        let several = self.several_rows.map(|several| match several {
            SeveralRows::Counted(how) => format!("With the role `person` it counts people: {how}."),
            SeveralRows::Refused(why) => format!("The role `person` is refused: {why}."),
        });
        if let Some(several) = several {
            let _ = write!(text, "\n## Several rows of one person\n\n{several}\n");
        }
        let Some(wordings) = &self.wordings else { return text };
        text.push_str("\n## In each kind of release\n");
        for kind in KINDS {
            let said = match wordings.of(kind.id) {
                Wording::Promise(sentence) => unfilled(sentence.promise),
                Wording::Refused(refusal) => format!("refused: {}", refusal.reason),
            };
            let _ = write!(text, "\n- {}: {said}.", kind.name);
        }
        text + "\n"
    }

    /// Whether people are counted where several rows may belong to one, and how or why not; nothing for an attack.
    pub fn several_rows(&self) -> Option<Json> {
        let several = self.several_rows?;
        Some(json!({ "counts_people": several.are_counted(), "reason": several.reason() }))
    }

    /// What a model may say of each kind of release, or why it is refused there; nothing for what is no model.
    pub fn wordings(&self) -> Option<Map<String, Json>> {
        let wordings = self.wordings.as_ref()?;
        let one = |wording: &Wording| match wording {
            Wording::Promise(sentence) => json!({
                "promise": unfilled(sentence.promise),
                "argument": unfilled(sentence.argument),
                "not_protected": unfilled(sentence.not_protected),
            }),
            Wording::Refused(refusal) => json!({ "refused": refusal.reason }),
        };
        Some(KINDS.iter().map(|kind| (kind.name.to_owned(), one(wordings.of(kind.id)))).collect())
    }
}
