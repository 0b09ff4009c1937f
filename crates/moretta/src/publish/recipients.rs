//! What recipients get beside the tables: words, and a description for programs.

use serde_json::Value as Json;

use crate::check;
use crate::policy::Policy;
use crate::progress::Progress;
use crate::release::About;
use crate::testkit::published::{Published, publish};

const ABOUT: &str = "[release]\ntitle = \"People of the town\"\ncontact = \"office@town.example\"\nlicence = \"CC-BY-4.0\"\ncitation = \"Town (2026)\"\n";

fn release(method: &str, require: &str, about: &str) -> Published {
    let rows: String = (0..40).map(|n| format!("{},0{},d{}\n", 20 + n % 9, n % 4, n % 3)).collect();
    let csv = format!("age,zip,disease\n{rows}");
    let policy = format!(
        "[attributes]\nage = {{ role = \"quasi\" }}\nzip = {{ role = \"quasi\", type = \"text\" }}\ndisease = {{ role = \"sensitive\" }}\n\
         [[require]]\n{require}\n[method]\n{method}\n{about}"
    );
    publish(&csv, &policy, 3).unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn file(published: &Published, name: &str) -> String {
    std::fs::read_to_string(published.folder().join("release").join(name)).unwrap()
}

const MONDRIAN: (&str, &str) = ("name = \"mondrian\"", "model = \"k-anonymity\"\nk = 5");

#[test]
fn the_words_name_the_release_and_how_to_load_it() {
    let published = release(MONDRIAN.0, MONDRIAN.1, ABOUT);
    let readme = file(&published, "README.txt");
    assert!(readme.starts_with("People of the town\n=================="), "{readme}");
    for words in [
        "What is not protected",
        "Contact: office@town.example",
        "Licence: CC-BY-4.0",
        "Please cite: Town (2026)",
        "data = pd.read_csv(\"data.csv\", keep_default_na=False, na_values=[\"\"], dtype={\"age\": \"string\"",
        "pl.read_csv",
        "read.csv(\"data.csv\"",
        "FROM read_csv('data.csv'",
        "\\copy \"data\" FROM 'data.csv'",
        "ngroup()",
        "Standard errors",
    ] {
        assert!(readme.contains(words), "{words}\n{readme}");
    }
    assert!(!file(&release(MONDRIAN.0, MONDRIAN.1, ""), "README.txt").contains("Whom it comes from"));
}

/// R refuses classes of no columns.
#[test]
fn a_table_without_texts_is_loaded_without_types() {
    let rows: String = (0..40).map(|n| format!("{},d{}\n", 20 + n % 9, n % 3)).collect();
    let policy = "[attributes]\nage = { role = \"quasi\" }\ndisease = { role = \"sensitive\" }\n\
                  [[require]]\nmodel = \"distinct-l-diversity\"\nl = 2\n[method]\nname = \"anatomy\"\n";
    let readme = file(&publish(&format!("age,disease\n{rows}"), policy, 3).unwrap(), "README.txt");
    for line in [
        "qit <- read.csv(\"qit.csv\", na.strings = \"\", check.names = FALSE)\n",
        "check.names = FALSE, colClasses = c(\"value\" = \"character\"))\n",
    ] {
        assert!(readme.contains(line), "{readme}");
    }
}

#[test]
fn the_words_of_torn_tables_say_how_to_put_them_together() {
    let anatomy = file(&release("name = \"anatomy\"", "model = \"distinct-l-diversity\"\nl = 2", ""), "README.txt");
    assert!(anatomy.contains("weighted = qit.") && anatomy.contains("far too small"), "{anatomy}");
    let slicing = release(
        "name = \"slicing\"\ncolumns = [[\"age\"], [\"zip\", \"disease\"]]",
        "model = \"l-diverse-slicing\"\nl = 1.5",
        "",
    );
    let slicing = file(&slicing, "README.txt");
    assert!(slicing.contains("{zip, disease}") && slicing.contains("{age}"), "{slicing}");
}

#[test]
fn the_data_package_describes_the_files_and_is_always_the_same() {
    let published = release(MONDRIAN.0, MONDRIAN.1, ABOUT);
    let text = file(&published, "datapackage.json");
    assert_eq!(text, file(&release(MONDRIAN.0, MONDRIAN.1, ABOUT), "datapackage.json"));
    let package: Json = serde_json::from_str(&text).unwrap();
    let manifest: Json = serde_json::from_str(&published.manifest()).unwrap();
    let (resource, table) = (&package["resources"][0], &manifest["tables"][0]);
    assert_eq!((&package["title"], &resource["path"]), (&"People of the town".into(), &table["file"]));
    assert_eq!(resource["hash"], format!("sha256:{}", table["sha256"].as_str().unwrap()));
    assert_eq!(resource["bytes"], table["bytes"]);
    let types: Vec<&Json> =
        resource["schema"]["fields"].as_array().unwrap().iter().map(|field| &field["type"]).collect();
    assert_eq!(types, ["string", "string", "string"]);
}

#[test]
fn a_package_that_names_other_files_is_refused() {
    let published = release(MONDRIAN.0, MONDRIAN.1, "");
    let file = published.folder().join("release/datapackage.json");
    let checked =
        || check::release(&published.storage(), None, &Progress::default()).map(|verified| verified.verdicts.len());
    assert_eq!(checked().unwrap(), 1);
    let honest: Json = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    for (key, value) in [("path", Json::from("other.csv")), ("hash", "sha256:00".into()), ("bytes", 1.into())] {
        let mut forged = honest.clone();
        forged["resources"][0][key] = value;
        std::fs::write(&file, forged.to_string()).unwrap();
        assert_eq!(checked().unwrap_err().code(), "release-damaged", "{key}");
    }
    std::fs::write(&file, "{").unwrap();
    assert_eq!(checked().unwrap_err().code(), "release-damaged");
    std::fs::remove_file(&file).unwrap();
    assert_eq!(checked().unwrap(), 1);
}

#[test]
fn what_is_said_of_a_release_is_stated_in_files_and_by_programs() {
    let about = About { title: Some("A \"title\"".to_owned()), licence: Some("CC0".to_owned()), ..About::default() };
    let built = Policy::builder().quasi("age").about(&about).build().unwrap();
    assert_eq!(built.about, about);
    assert_eq!(Policy::parse(built.to_toml()).unwrap().about, about);
    let wrong = |text: &str| {
        Policy::parse(format!("[attributes]\nage = {{ role = \"quasi\" }}\n[release]\n{text}\n")).unwrap_err()
    };
    assert!(wrong("title = \"a\\nb\"").to_string().contains("one line"));
    assert!(wrong("titel = \"a\"").to_string().contains("titel"));
}
