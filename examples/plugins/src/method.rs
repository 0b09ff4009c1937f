//! A method: people in the order of their first quasi-identifier, cut as soon as a group keeps every promise.

use moretta::plugin::{
    KindId, Method, MethodEntry, Piece, Plan, Progress, Section, SeveralRows, Supports, Task, Transparency, generalized,
};
use moretta::{Error, Result, Role};

pub const ENTRY: MethodEntry = MethodEntry {
    name: "neighbours",
    summary: "groups of neighbours by the first quasi-identifier, each as small as the promises allow",
    paper: "",
    page: "# neighbours\n\nPeople in the order of their first quasi-identifier, cut as soon as a group keeps every promise. Who is left at the end \
           joins the last group that still keeps them.\n",
    suppresses: false,
    supports: Supports::Groups,
    kinds: &[KindId::Generalized],
    transparency: Transparency::Open("where a group ends depends on sensitive values"),
    several_rows: SeveralRows::Refused("groups are cut by rows"),
    read,
};

#[derive(Debug)]
struct Neighbours;

#[expect(clippy::unnecessary_wraps, reason = "methods with parameters may refuse them")]
fn read(_: &mut Section<'_>) -> Result<Box<dyn Method>> {
    Ok(Box::new(Neighbours))
}

impl Method for Neighbours {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn kind(&self) -> KindId {
        KindId::Generalized
    }

    fn supports_role(&self, role: Role) -> bool {
        !matches!(role, Role::Group | Role::Unclassified | Role::Person)
    }

    fn supports(&self) -> Supports {
        ENTRY.supports
    }

    fn plan(&self, task: &Task<'_>, progress: &Progress) -> Result<Box<dyn Plan>> {
        // Cells are sorted by their first column, which is the first quasi-identifier.
        let mut groups: Vec<Vec<u32>> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for cell in 0..task.cells.len() as u32 {
            progress.check()?;
            open.push(cell);
            if task.holds(&open) {
                groups.push(std::mem::take(&mut open));
            }
        }
        while !open.is_empty() && !task.holds(&open) {
            let Some(last) = groups.pop() else {
                return Err(Error::data("not even everybody together keeps every promise"));
            };
            open.extend(last);
        }
        groups.extend((!open.is_empty()).then_some(open));
        let pieces = (0..).zip(&groups).flat_map(|(group, cells)| {
            cells.iter().map(move |&cell| Piece { group, cell, people: task.cells.people[cell as usize] })
        });
        generalized(task, pieces.collect())
    }
}
