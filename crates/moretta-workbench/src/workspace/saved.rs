//! The policy as it stands in the folder: read, saved, put aside for another table. Whatever it names lies in the workspace.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use moretta::files::{self, ServerPassword};
use moretta::{Error, Policy, Resolver, Result};

use super::{PolicyFile, TableName, Workspace};

/// Finds the files that a policy names, in the workspace and nowhere else.
struct Within<'a>(&'a Workspace);

impl Resolver for Within<'_> {
    fn read(&self, name: &str) -> Result<Vec<u8>> {
        let path = self.0.inside(name)?;
        fs::read(&path).map_err(|e| Error::machine("read the file", &path, e))
    }

    fn location(&self, name: &str) -> PathBuf {
        self.0.root().join(name)
    }
}

impl Workspace {
    /// The policy as text that can be changed, if there is one.
    pub(crate) fn policy(&self) -> Result<Option<PolicyFile>> {
        let file = self.policy_file()?;
        match fs::read_to_string(&file) {
            Ok(text) => PolicyFile::parse(&text).map(Some),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::machine("read the policy", &file, error)),
        }
    }

    /// The table that the policy names.
    pub(crate) fn named_table(&self) -> Result<Option<TableName>> {
        Ok(self.policy()?.as_ref().and_then(PolicyFile::table))
    }

    /// The policy as the library reads it.
    pub(crate) fn checked_policy(&self, password: ServerPassword) -> Result<Policy> {
        match self.policy()? {
            Some(policy) => Ok(self.checked(&policy.text())?.with_password(password)),
            None => Err(Error::input("there is no policy yet").help("open a table first")),
        }
    }

    /// A text as a policy of this folder: the library accepts it, and every file that it names is one of the workspace.
    pub(crate) fn checked(&self, text: &str) -> Result<Policy> {
        let table = PolicyFile::parse(text)?.table().ok_or_else(|| {
            Error::input("[data] lacks `source`").help("say which table it is: source = \"tables/people.csv\"")
        })?;
        self.place(&table)?;
        // What else it names is read twice: first where nothing but the workspace can be read.
        Policy::from_toml(text, &Within(self))?;
        Policy::in_file(text.to_owned(), &self.policy_file()?, &[])
    }

    /// Saves a policy that the library accepts and that stays in the workspace, whole or not at all.
    pub(crate) fn save_policy(&self, text: &str) -> Result<()> {
        self.checked(text)?;
        files::write(self.policy_file()?, text)
    }

    /// Makes the policy one of another table. The one that stands there is put aside, and one that was put aside for this table comes back.
    pub(crate) fn turn_to(&self, table: &TableName, suggested: &str) -> Result<()> {
        let current = self.policy()?;
        let named = current.as_ref().and_then(PolicyFile::table);
        if named.as_ref() == Some(table) {
            return Ok(());
        }
        if let (Some(policy), Some(of)) = (&current, &named) {
            files::write(self.aside(of)?.0, &policy.text())?;
        }
        match self.aside(table)? {
            (_, Some(kept)) if self.save_policy(&kept).is_ok() => Ok(()),
            _ => self.save_policy(suggested),
        }
    }

    /// The file in which the policy of a table is put aside, and what stands in it. Two tables may have names that are alike as files.
    fn aside(&self, table: &TableName) -> Result<(PathBuf, Option<String>)> {
        let stem = super::trees::plain(&table.source);
        for number in 1..u32::MAX {
            let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            let path = self.inside(&format!("policy-{name}.toml"))?;
            match fs::read_to_string(&path) {
                Ok(text) if PolicyFile::parse(&text).is_ok_and(|kept| kept.table().as_ref() == Some(table)) => {
                    return Ok((path, Some(text)));
                }
                Ok(_) => {}
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok((path, None)),
                Err(error) => return Err(Error::machine("read a policy", &path, error)),
            }
        }
        Err(Error::input("too many policies are put aside").help("remove some of policy-….toml"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn policy(source: &str, hierarchy: &str, target: &str) -> String {
        format!(
            "[data]\nsource = {source:?}\n[attributes]\na = {{ role = \"quasi\"{hierarchy} }}\nb = {{ role = \"sensitive\" }}\n[[require]]\n{target}\n[method]\nname = \"distribution\"\n"
        )
    }

    const TABLE_TARGET: &str = "model = \"p-private\"\ntarget = \"table\"";

    #[test]
    fn nothing_that_a_policy_names_lies_elsewhere() {
        let home = tempfile::tempdir().expect("a folder");
        fs::write(home.path().join("secret.csv"), "1,*\n").expect("written");
        let workspace = Workspace::open(&home.path().join("ws")).expect("a workspace");
        for name in ["t.csv", "tree.csv"] {
            fs::write(workspace.root().join(name), "1,*\n").expect("written");
        }
        let saved = |text: String| workspace.save_policy(&text);
        saved(policy("t.csv", ", hierarchy = \"tree.csv\"", TABLE_TARGET)).expect("all in the workspace");
        for text in [
            policy("../secret.csv", "", TABLE_TARGET),
            policy("-", "", TABLE_TARGET),
            policy("t.csv", ", hierarchy = \"../secret.csv\"", TABLE_TARGET),
            policy("t.csv", ", hierarchy = { file = \"../secret.csv\" }", TABLE_TARGET),
            policy("t.csv", "", "model = \"p-private\"\ntarget = { file = \"../secret.csv\" }"),
        ] {
            assert!(saved(text.clone()).is_err(), "{text}");
        }
        let wrong = saved(policy("t.csv", ", hierarhcy = \"tree.csv\"", TABLE_TARGET)).expect_err("a key that is none");
        assert_eq!(wrong.place().line, Some(4), "{wrong}");
    }

    #[test]
    fn each_table_has_its_own_policy() {
        let home = tempfile::tempdir().expect("a folder");
        let workspace = Workspace::open(home.path()).expect("a workspace");
        for name in ["a b.csv", "a_b.csv"] {
            fs::write(workspace.root().join(name), "a,b\n1,2\n").expect("written");
        }
        let turn = |name: &str| {
            workspace.turn_to(&TableName::of_file(name), &policy(name, "", TABLE_TARGET)).expect("turned");
            workspace.policy().expect("read").expect("a policy")
        };
        let mut edited = turn("a b.csv");
        edited.set_role("a", "drop").expect("a column");
        let edited = edited.text();
        workspace.save_policy(&edited).expect("saved");
        turn("a_b.csv");
        turn("a b.csv");
        turn("a_b.csv");
        assert_eq!(turn("a b.csv").text(), edited, "two names that are alike as files do not share a policy");
    }
}
