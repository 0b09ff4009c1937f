//! docs/soundness.md is made of the code's own texts.

use std::fmt::Write as _;
use std::path::Path;

use moretta::internals::kind::registry::KINDS;
use moretta::internals::method::registry::METHODS;
use moretta::internals::model::Wording;
use moretta::internals::model::registry::MODELS;
use moretta::internals::model::sentence::unfilled;

#[test]
fn the_table_of_sentences_is_the_codes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/soundness.md");
    // The package alone has no docs.
    let Ok(page) = std::fs::read_to_string(&path) else { return };
    let (found, faults) = page.split_at(page.find(FAULTS).unwrap_or(page.len()));
    if std::env::var_os("MORETTA_SOUNDNESS").is_some_and(|wish| wish == "write") {
        std::fs::write(&path, text() + faults).unwrap();
        return;
    }
    assert_eq!(found, text(), "MORETTA_SOUNDNESS=write cargo test -p moretta --test soundness writes it");
}

/// What stands from here on is written by `checks/mutations --write`.
const FAULTS: &str = "\n## Seeded faults\n";

const INTRODUCTION: &str = "\
# Soundness

What each privacy model promises of each kind of release, word by word: the sentence, why it is true of the released files, what it leaves open, and the
claim that `cargo test -p moretta --test soundness` recomputes naively from the files of many small releases. Where no sentence is true, the promise is
refused, and the reason stands in its place. README.txt of a release, `report.html` and `moretta explain` are made of these sentences. This page is made
from the code; parameters stand by their names. What random tables and policies showed (cases by method and model, refusals by reason, the worst measured by
what was promised, spoiled files) is on [another page](soundness-soak.md); which seeded faults the tests notice stands [at the end](#seeded-faults) of this one.

";

fn text() -> String {
    let mut text = INTRODUCTION.to_owned();
    text.push_str("| model |");
    for kind in KINDS {
        let _ = write!(text, " {} |", kind.name);
    }
    text.push_str("\n|---|");
    KINDS.iter().for_each(|_| text.push_str("---|"));
    for model in MODELS {
        let _ = write!(text, "\n| [{0}](#{0}) |", model.name);
        for kind in KINDS {
            let mark = model.wordings.of(kind.id).sentence().map_or("refused", |_| "yes");
            let _ = write!(text, " {mark} |");
        }
    }
    text.push_str(
        "\n\n## What every release of a kind leaves open\n\n| kind | made by | not protected |\n|---|---|---|\n",
    );
    for kind in KINDS {
        let makers = METHODS.iter().filter(|method| method.kinds.contains(&kind.id));
        let makers: Vec<&str> = makers.map(|method| method.name).collect();
        let _ = writeln!(text, "| {} | {} | {} |", kind.name, makers.join(", "), kind.not_protected.replace('\n', " "));
    }
    for model in MODELS {
        let _ = write!(
            text,
            "\n## {}\n\n| kind | sentence | why it is true | not protected | claim |\n|---|---|---|---|---|\n",
            model.name
        );
        for kind in KINDS {
            let _ = match model.wordings.of(kind.id) {
                Wording::Promise(sentence) => writeln!(
                    text,
                    "| {} | {} | {} | {} | `{}` |",
                    kind.name,
                    unfilled(sentence.promise),
                    unfilled(sentence.argument),
                    unfilled(sentence.not_protected),
                    sentence.claim
                ),
                Wording::Refused(refusal) => {
                    writeln!(text, "| {} | *refused*: {} | | | |", kind.name, refusal.reason)
                }
            };
        }
    }
    text
}

#[test]
fn every_kind_has_a_promise_and_every_model_a_kind() {
    for kind in KINDS {
        assert!(MODELS.iter().any(|model| model.wordings.of(kind.id).sentence().is_some()), "{}", kind.name);
    }
    for model in MODELS {
        assert!(KINDS.iter().any(|kind| model.wordings.of(kind.id).sentence().is_some()), "{}", model.name);
    }
}

#[test]
fn sentences_are_clauses_whose_blanks_are_closed() {
    for model in MODELS {
        for kind in KINDS {
            let texts = match model.wordings.of(kind.id) {
                Wording::Promise(sentence) => vec![sentence.promise, sentence.not_protected],
                Wording::Refused(refusal) => vec![refusal.reason],
            };
            for text in texts {
                assert!(
                    !text.is_empty() && !text.ends_with('.') && !text.contains('|'),
                    "{}, {}: {text}",
                    model.name,
                    kind.name
                );
                assert_eq!(text.matches('{').count(), text.matches('}').count(), "{text}");
            }
        }
    }
}
