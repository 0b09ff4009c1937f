//! What a promise may be called: for every model and every kind of release the sentence that is true word by word, or why there is
//! none. README.txt, the report, `explain` and docs/soundness.md are made of these and of nothing else.

use serde_json::{Map, Value as Json};

use crate::kind::ByKind;
use crate::text::grouped;

/// What a model may say of each kind of release.
pub type Wordings = ByKind<Wording>;

/// What a model may say of one kind of release.
#[derive(Clone, Copy, Debug)]
pub enum Wording {
    /// A sentence that is true.
    Promise(Sentence),
    /// Nothing: why, and what can be promised instead.
    Refused(Refusal),
}

/// A sentence about a release. Parameters stand as blanks: `{k}`, `{1/alpha}`; `fill` knows all.
#[derive(Clone, Copy, Debug)]
pub struct Sentence {
    /// What is promised.
    pub promise: &'static str,
    /// Why it is true of the released files.
    pub argument: &'static str,
    /// What it leaves open.
    pub not_protected: &'static str,
    /// The test that recomputes it naively from the released files, by its name in `tests/soundness/claims.rs`.
    pub claim: &'static str,
}

/// Why a model says nothing of a kind of release.
#[derive(Clone, Copy, Debug)]
pub struct Refusal {
    /// A clause that can follow "refused: ".
    pub reason: &'static str,
    /// What to require instead, each the lines of one `[[require]]`, with blanks; nothing where the kind has no such promise.
    pub instead: &'static [&'static str],
}

impl Wording {
    /// The sentence, if there is one.
    pub const fn sentence(&self) -> Option<&Sentence> {
        match self {
            Self::Promise(sentence) => Some(sentence),
            Self::Refused(_) => None,
        }
    }

    /// The refusal, if there is no sentence.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Promise(_) => None,
            Self::Refused(refusal) => Some(refusal),
        }
    }
}

impl Refusal {
    /// The lines of a policy that can take the place of a refused promise.
    pub fn lines(&self, parameters: &Map<String, Json>) -> Option<String> {
        let attribute = parameters.get("attribute").filter(|_| self.instead.len() > 1);
        let lines = |template: &&str| {
            let about_values = !template.contains(BUCKET_SIZE);
            let named =
                attribute.filter(|_| about_values).map_or(String::new(), |name| format!("\nattribute = {name}"));
            format!("[[require]]\n{}{named}", fill(template, parameters))
        };
        let all: Vec<String> = self.instead.iter().map(lines).collect();
        (!all.is_empty()).then(|| all.join("\n\n"))
    }
}

/// The name of the promise that takes the place of k-anonymity where quasi-identifiers are exact.
const BUCKET_SIZE: &str = "bucket-size";

/// What every model says of a kind of release that it was not written for: nothing is promised that nobody has argued.
pub(super) const OTHER_KINDS: Wording = refused("nobody has argued what the model says of this kind of release");

/// A refusal with nothing to require instead.
pub(super) const fn refused(reason: &'static str) -> Wording {
    Wording::Refused(Refusal { reason, instead: &[] })
}

/// Fills the blanks of a sentence with the parameters of a promise, as the manifest states them.
///
/// `{each}` and `{any}` are the attribute that the promise names, or each sensitive one; `{1/x}` the reciprocal of a number, rounded up.
pub fn fill(template: &str, parameters: &Map<String, Json>) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let Some((blank, after)) = after.split_once('}') else {
            text.push('{');
            rest = after;
            continue;
        };
        text.push_str(&word(blank, parameters));
        rest = after;
    }
    text + rest
}

/// A sentence with its parameters by name, as in the documentation.
pub fn unfilled(template: &str) -> String {
    let named = [
        ("{each}", "each sensitive attribute"),
        ("{any}", "any sensitive attribute"),
        ("{no value}", "no value (or none of `values`)"),
    ];
    let named = named.iter().fold(template.to_owned(), |text, (blank, words)| text.replace(blank, words));
    named.replace(['{', '}'], "")
}

fn word(blank: &str, parameters: &Map<String, Json>) -> String {
    if let Some(name) = blank.strip_prefix("1/") {
        return parameters.get(name).and_then(Json::as_f64).map_or_else(|| blank.to_owned(), reciprocal);
    }
    let value = parameters.get(blank);
    match (blank, value) {
        ("any", _) => parameters.get("attribute").map_or("any sensitive attribute".to_owned(), spelled),
        ("each", _) => parameters.get("attribute").map_or("each sensitive attribute".to_owned(), spelled),
        ("no value", _) => match parameters.get("values").and_then(Json::as_array) {
            None => "no value".to_owned(),
            Some(values) => format!("none of the values {}", listed(values)),
        },
        ("presence", Some(Json::String(which))) if which == "group" => "from any one group".to_owned(),
        ("presence", _) => "from all groups together".to_owned(),
        ("adversaries", _) => match parameters.get("skyline").and_then(Json::as_array) {
            None => adversary(parameters),
            Some(many) => many.iter().filter_map(Json::as_object).map(adversary).collect::<Vec<_>>().join("; "),
        },
        ("k", Some(Json::String(attribute))) => format!("as many as {attribute} says"),
        ("k", Some(Json::Array(_))) => "as many as the rules in the manifest ask for".to_owned(),
        (_, Some(value)) => spelled(value),
        (_, None) => blank.to_owned(),
    }
}

fn adversary(parameters: &Map<String, Json>) -> String {
    let spell = |name: &str| parameters.get(name).map_or(name.to_owned(), spelled);
    format!("at most {} for somebody of bandwidth {}", spell("t"), spell("bandwidth"))
}

/// 1/x in at most four decimals, never less: so that who asks for it asks for no less than before.
fn reciprocal(x: f64) -> String {
    const DECIMALS: f64 = 1e4;
    // A reciprocal that is a decimal must not be rounded up for the rounding of the division.
    let exact = (DECIMALS / x).round();
    let parts = if exact * x >= DECIMALS { exact } else { (DECIMALS / x).ceil() };
    (parts / DECIMALS).to_string()
}

fn listed(values: &[Json]) -> String {
    values.iter().map(spelled).collect::<Vec<_>>().join(", ")
}

fn spelled(value: &Json) -> String {
    match value {
        Json::String(text) => text.clone(),
        Json::Number(number) => number.as_u64().map_or_else(|| number.to_string(), grouped),
        Json::Array(values) => listed(values),
        Json::Object(entries) => {
            let one = |(name, value): (&String, &Json)| format!("{name} {}", spelled(value));
            entries.iter().map(one).collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// What to require where quasi-identifiers are exact or drawn, in place of k-anonymity.
pub(super) const SIZE: &str = "model = \"bucket-size\"\nk = {k}";
/// The same, of a condensed release.
pub(super) const DRAWN_SIZE: &str = "model = \"condensed-k\"\nk = {k}";

/// k-anonymity, and models that contain it, where values are exact, apart from those of others, blurred or drawn.
pub(super) const EXACT: &str = "its quasi-identifiers are exact: a person who is unique by them can be found, however many people share her bucket; the promise is one of generalized releases";
pub(super) const LISTED: &str = "it lists exact values of each attribute apart, and publishes no rows that could be alike; the promise is one of generalized releases";
pub(super) const SHUFFLED: &str = "its columns hold exact values: a person who is unique by one column can be found there, however many people share her bucket; the promise is one of generalized releases";
pub(super) const BLURRED: &str = "every record is a density of its own, and none is published alike for two people; the promise is one of generalized releases";
pub(super) const DRAWN: &str = "its records are drawn anew, and none is published alike for two people; the promise is one of generalized releases";

/// Models of the values of a group, where values are not those of groups.
pub(super) const VALUES_LISTED: &str =
    "what its groups tell about values is bounded together with presence, by alpha-beta-privacy";
pub(super) const VALUES_RANGES: &str =
    "it publishes ranges of sensitive values, not how many people have which; p-private speaks of these";
pub(super) const VALUES_SHOWN: &str =
    "each record shows the sensitive values of its person as they are; there are no groups that share them";
pub(super) const VALUES_DRAWN: &str = "its records are nobody's, and which group a person belongs to is not told; nothing is promised about the values of a group";

/// Models of who the people of a group are.
pub(super) const MEMBERS_UNKNOWN: &str =
    "it speaks of who stands in which group, and the files of this kind do not tell";

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn filled(template: &str, parameters: &Json) -> String {
        fill(template, parameters.as_object().unwrap())
    }

    #[test]
    fn blanks_are_filled_with_what_the_manifest_states() {
        assert_eq!(filled("at least {k} of {each}", &json!({"k": 1500})), "at least 1,500 of each sensitive attribute");
        assert_eq!(filled("{k}, {each}", &json!({"k": "own", "attribute": "ill"})), "as many as own says, ill");
        assert_eq!(filled("{no value}.", &json!({"values": ["HIV", "flu"]})), "none of the values HIV, flu.");
        assert_eq!(
            filled("{adversaries}", &json!({"skyline": [{"t": 0.1, "bandwidth": 0.2}, {"t": 0.3, "bandwidth": 0.4}]})),
            "at most 0.1 for somebody of bandwidth 0.2; at most 0.3 for somebody of bandwidth 0.4"
        );
        assert_eq!(filled("{presence}", &json!({"presence": "group"})), "from any one group");
        assert_eq!(filled("a { b", &json!({})), "a { b");
    }

    #[test]
    fn a_reciprocal_asks_for_no_less() {
        for (alpha, l) in [(0.5, "2"), (0.25, "4"), (0.3, "3.3334"), (0.1, "10"), (0.7, "1.4286"), (1.0, "1")] {
            assert_eq!(filled("{1/alpha}", &json!({ "alpha": alpha })), l);
            assert!(1.0 / l.parse::<f64>().unwrap() <= alpha + 1e-12);
        }
    }

    #[test]
    fn the_lines_to_change_name_the_attribute_where_values_are_meant() {
        let refusal = Refusal { reason: "", instead: &[SIZE, "model = \"distinct-l-diversity\"\nl = {p}"] };
        let lines = refusal.lines(json!({"k": 5, "p": 2, "attribute": "ill"}).as_object().unwrap()).unwrap();
        assert_eq!(
            lines,
            "[[require]]\nmodel = \"bucket-size\"\nk = 5\n\n[[require]]\nmodel = \"distinct-l-diversity\"\nl = 2\nattribute = \"ill\""
        );
        assert!(Refusal { reason: "", instead: &[] }.lines(&Map::new()).is_none());
    }
}
