//! The ladder of one column: chosen, typed or grouped by hand, looked at with the people on each rung, and saved.

mod stated;
mod tree;
mod view;

use std::fs;
use std::sync::Arc;

use axum::extract::{Multipart, Path, State};
use axum::http::header;
use axum::response::IntoResponse;
use moretta::{Error, Examined, HierarchyPreview, Result, Type};
use serde_json::Value as Json;

use super::form::{Fields, all, field, still_about};
use super::{Answer, go};
use crate::bench::{Bench, Values};
use crate::workspace::{AttributeText, PolicyFile};
use stated::Stated;
use tree::Tree;

/// The most values that start a tree: whoever has more brings one along.
const LEAVES: usize = 2000;

/// The column, what the policy says of it, and the values of the table where they were read.
struct Subject {
    index: usize,
    policy: PolicyFile,
    attribute: AttributeText,
    values: Values,
}

pub(crate) async fn show(State(bench): State<Arc<Bench>>, Path(index): Path<usize>) -> Answer {
    let subject = Subject::find(&bench, index)?;
    let stated = subject.of_policy(&bench);
    Ok(view::page(&bench, &subject, &stated, None))
}

pub(crate) async fn save(
    State(bench): State<Arc<Bench>>,
    Path(index): Path<usize>,
    axum::Form(fields): Fields,
) -> Answer {
    let mut subject = Subject::find(&bench, index)?;
    subject.still_meant(&fields)?;
    let mut stated = Stated::of_form(&fields, subject.attribute.hierarchy.as_ref());
    let done = match field(&fields, "do") {
        Some("save") => match subject.store(&bench, &stated) {
            Ok(()) => return Ok(go("/hierarchies")),
            failed => failed,
        },
        Some("tree") => subject.as_tree(&mut stated),
        Some(how @ ("group" | "dissolve" | "rename")) => {
            let into = field(&fields, "into").unwrap_or_default();
            regroup(&mut stated, how, &all(&fields, "take"), into)
        }
        _ => Ok(()),
    };
    Ok(view::page(&bench, &subject, &stated, done.err().as_ref()))
}

/// Takes a tree from a file, checks it against every value, and saves it.
pub(crate) async fn import(State(bench): State<Arc<Bench>>, Path(index): Path<usize>, mut sent: Multipart) -> Answer {
    let mut subject = Subject::find(&bench, index)?;
    let mut fields = Vec::new();
    let broken = |_| Error::input("the file did not come whole, or is too large for a tree").help("send it again");
    while let Some(part) = sent.next_field().await.map_err(broken)? {
        if part.file_name().is_none_or(str::is_empty) {
            let name = part.name().unwrap_or_default().to_owned();
            fields.push((name, part.text().await.map_err(broken)?));
            continue;
        }
        subject.still_meant(&fields)?;
        let bytes = part.bytes().await.map_err(broken)?;
        let text = std::str::from_utf8(&bytes);
        let text =
            text.map_err(|_| Error::input("the tree is not UTF-8").help("save the file as UTF-8, and send it again"))?;
        let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
        let stated = Stated { kind: "tree".to_owned(), tree: text, ..subject.of_policy(&bench) };
        return Ok(match subject.store(&bench, &stated) {
            Ok(()) => go(&format!("/hierarchies/{index}")),
            Err(error) => view::page(&bench, &subject, &stated, Some(&error)),
        });
    }
    let stated = subject.of_policy(&bench);
    Ok(view::page(&bench, &subject, &stated, Some(&Error::input("no file was sent").help("choose one"))))
}

/// The whole tree as a file, for other tools.
pub(crate) async fn export(State(bench): State<Arc<Bench>>, Path(index): Path<usize>) -> Answer {
    let subject = Subject::find(&bench, index)?;
    let preview = subject.preview(&subject.of_policy(&bench))?;
    let preview = preview.ok_or_else(|| Error::input("this column has no ladder").help("choose one first"))?;
    let headers = [
        (header::CONTENT_TYPE, "text/csv; charset=utf-8"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"hierarchy.csv\""),
    ];
    Ok((headers, preview.to_csv()).into_response())
}

/// Changes the tree of a form, which is not saved yet.
fn regroup(stated: &mut Stated, how: &str, taken: &[&str], into: &str) -> Result<()> {
    let mut tree = Tree::of_rows(&stated::rows_of(&stated.tree)?)?;
    match how {
        "group" => tree.group(taken, into)?,
        "dissolve" => tree.dissolve(taken)?,
        _ => tree.rename(taken, into)?,
    }
    stated.tree = stated::csv_of(&tree.rows())?;
    Ok(())
}

impl Subject {
    fn find(bench: &Bench, index: usize) -> Result<Self> {
        let policy = bench.workspace.policy()?;
        let policy = policy.ok_or_else(|| Error::input("there is no policy yet").help("open a table first"))?;
        let attribute = policy.attributes().into_iter().nth(index);
        let attribute =
            attribute.ok_or_else(|| Error::input("the policy has no such column").help("choose one of the list"))?;
        let values = bench.values(&policy.table().unwrap_or_default())?;
        Ok(Self { index, policy, attribute, values })
    }

    /// Refuses a form that was shown for another column, or another table.
    fn still_meant(&self, fields: &[(String, String)]) -> Result<()> {
        still_about(fields, &self.policy)?;
        match field(fields, "of_column") {
            Some(shown) if shown != self.attribute.name.trim() => {
                Err(Error::input(format!("this page was about {shown:?}, and the columns of the policy have changed"))
                    .help("nothing was saved; choose the column again"))
            }
            _ => Ok(()),
        }
    }

    /// The type that the policy states.
    fn kind(&self) -> Option<Type> {
        Type::ALL.into_iter().find(|kind| Some(kind.name()) == self.attribute.kind.as_deref())
    }

    fn examined(&self) -> Result<&Examined> {
        match &self.values {
            Values::Here(examined) => Ok(examined),
            Values::Coming(_) => {
                Err(Error::input("the table is being read")
                    .help("reload the page in a moment: a ladder needs its values"))
            }
            Values::Failed(job) => {
                Err(Error::input(format!("the table could not be read: {}", job.state.borrow().says))
                    .help("open it again"))
            }
        }
    }

    /// What the policy says, and in the other fields something to start from.
    fn of_policy(&self, bench: &Bench) -> Stated {
        let file = |name: &str| fs::read_to_string(bench.workspace.inside(name).ok()?).ok();
        let mut stated = Stated::of_policy(self.attribute.hierarchy.as_ref(), &file);
        if stated.tree.is_empty()
            && let Ok(values) = self.examined().and_then(|examined| examined.values(&self.attribute.name))
        {
            let present = values.iter().filter(|(value, _)| !value.is_missing()).take(LEAVES);
            let rows: Vec<Vec<String>> = present.map(|(value, _)| vec![value.to_string(), "*".to_owned()]).collect();
            stated.tree = stated::csv_of(&rows).unwrap_or_default();
        }
        stated
    }

    /// What becomes of the values; nothing where there is no ladder.
    fn preview(&self, stated: &Stated) -> Result<Option<HierarchyPreview>> {
        match stated.spec()? {
            None => Ok(None),
            Some(spec) => self.examined()?.hierarchy(&self.attribute.name, self.kind(), &spec).map(Some),
        }
    }

    /// Shows a ladder as a tree, to be edited.
    fn as_tree(&self, stated: &mut Stated) -> Result<()> {
        if let Some(preview) = self.preview(stated)? {
            stated.tree = preview.to_csv();
        }
        "tree".clone_into(&mut stated.kind);
        Ok(())
    }

    /// Checks a ladder against every value and writes it: into the policy, and a tree into a file of its own.
    fn store(&mut self, bench: &Bench, stated: &Stated) -> Result<()> {
        let preview = self.preview(stated)?;
        let name = self.attribute.name.clone();
        let hierarchy = match (stated.kind.as_str(), preview) {
            ("stated", _) => self.attribute.hierarchy.clone(),
            ("free", _) => Some(serde_json::json!({ "intervals": "free" })),
            ("tree", Some(preview)) => Some(Json::String(bench.workspace.keep_tree(&name, &preview.to_csv())?)),
            _ => stated.spec()?.and_then(|spec| spec.to_json()),
        };
        self.policy.set_hierarchy(&name, hierarchy.as_ref())?;
        bench.workspace.save_policy(&self.policy.text())
    }
}
