//! What there is to know about models, methods and attacks, and what costs and the words of the field mean.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::audit;
use crate::error::{Code, Error, Result, nearest};
use crate::kind::registry::KINDS;
use crate::method::{self, Transparency};
use crate::model::sentence::unfilled;
use crate::model::{self, SeveralRows, Wording, Wordings};
use crate::report::glossary::{self, Word};

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
    /// A cost that publishing measures.
    Cost,
    /// A word of the field.
    Term,
}

/// A privacy model, a method, an attack, a cost or a word of the field.
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
    adversary: Option<&'static str>,
    #[serde(skip)]
    wordings: Option<Wordings>,
    #[serde(skip)]
    several_rows: Option<SeveralRows>,
    #[serde(skip)]
    transparency: Option<Transparency>,
}

/// All models, methods and attacks, those from elsewhere included, then costs and words.
pub fn catalogue() -> Vec<CatalogueEntry> {
    let models = model::registry::entries().map(|entry| CatalogueEntry {
        kind: EntryKind::Model,
        name: entry.name,
        summary: entry.summary,
        paper: entry.paper,
        page: entry.page,
        adversary: None,
        wordings: Some(entry.wordings),
        several_rows: Some(entry.several_rows),
        transparency: None,
    });
    let methods = method::registry::entries().map(|entry| CatalogueEntry {
        kind: EntryKind::Method,
        name: entry.name,
        summary: entry.summary,
        paper: entry.paper,
        page: entry.page,
        adversary: None,
        wordings: None,
        several_rows: Some(entry.several_rows),
        transparency: Some(entry.transparency),
    });
    let attacks = audit::attacks().map(|attack| CatalogueEntry {
        kind: EntryKind::Attack,
        name: attack.name,
        summary: glossary::attack(attack.name).map_or(attack.adversary, |word| word.summary),
        paper: "",
        page: glossary::attack(attack.name).map_or("", |word| word.page),
        adversary: Some(attack.adversary),
        wordings: None,
        several_rows: None,
        transparency: None,
    });
    let word = |kind: EntryKind, word: Word| CatalogueEntry {
        kind,
        name: word.name,
        summary: word.summary,
        paper: "",
        page: word.page,
        adversary: None,
        wordings: None,
        several_rows: None,
        transparency: None,
    };
    let costs = glossary::costs().map(|cost| word(EntryKind::Cost, cost));
    let terms = glossary::terms().map(|term| word(EntryKind::Term, term));
    models.chain(methods).chain(attacks).chain(costs).chain(terms).collect()
}

/// The entry of a name.
pub fn explain(name: &str) -> Result<CatalogueEntry> {
    let entries = catalogue();
    let names: Vec<&'static str> = entries.iter().map(|entry| entry.name).collect();
    entries.into_iter().find(|entry| entry.name == name).ok_or_else(|| {
        let error =
            Error::input(format!("there is no model, method, attack, cost or word {name:?}")).coded(Code::UnknownModel);
        match nearest(name, names) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`moretta explain` lists all"),
        }
    })
}

impl CatalogueEntry {
    /// The whole page: also what becomes of several rows of one person and, for a model, what may be said of each kind of release.
    pub fn text(&self) -> String {
        // Pages of models and methods have their own title.
        let mut text = if self.page.starts_with("# ") {
            self.page.to_owned()
        } else {
            format!("# {}\n\n{}\n", self.name, self.page)
        };
        if let Some(adversary) = self.adversary {
            let _ = write!(text, "\nThe adversary {adversary}.\n");
        }
        let several = self.several_rows.map(|several| match several {
            SeveralRows::Counted(how) => format!("With the role `person` it counts people: {how}."),
            SeveralRows::Refused(why) => format!("The role `person` is refused: {why}."),
        });
        if let Some(several) = several {
            let _ = write!(text, "\n## Several rows of one person\n\n{several}\n");
        }
        if let Some(transparency) = self.transparency {
            let _ = write!(text, "\n## Against somebody who knows the program\n\n{}\n", transparency.sentence());
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

    /// Whether the promises of a method hold against somebody who knows the program, and why or why not; nothing for what is no method.
    pub fn transparency(&self) -> Option<Json> {
        let (holds, reason) = match self.transparency? {
            Transparency::Holds(why) => (true, why),
            Transparency::Open(what) => (false, what),
        };
        Some(json!({ "holds": holds, "reason": reason }))
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
