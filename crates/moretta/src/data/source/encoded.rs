//! A column in provisional codes becomes one of a type, with a sorted domain.

use std::sync::Arc;

use super::codes::Codes;
use super::intern::Distinct;
use super::{Input, not_of_format, not_of_type};
use crate::data::day_format::DayFormat;
use crate::data::domain::Domain;
use crate::data::guess::Guess;
use crate::data::thousands::NumberSigns;
use crate::data::value::{Decimal, Type, Value};
use crate::error::Result;

/// A column in provisional codes: numbered by appearance, not yet typed or sorted.
#[derive(Clone, Debug)]
pub struct Encoded {
    distinct: Distinct,
    first_line: Vec<u64>,
    codes: Codes,
    signs: NumberSigns,
}

/// A column of a type whose codes are still those by appearance.
pub(crate) struct Typed {
    /// Its values, sorted.
    pub(crate) domain: Arc<Domain>,
    pub(crate) codes: Codes,
    /// The code in the domain of each code by appearance, and last that of a missing value.
    code_of: Vec<u32>,
}

impl Typed {
    /// Codes by appearance become those of the domain.
    pub(crate) fn translate(&self, codes: &mut [u32]) {
        let missing_at = self.code_of.len() - 1;
        codes.iter_mut().for_each(|code| *code = self.code_of[(*code as usize).min(missing_at)]);
    }
}

impl Encoded {
    pub(super) fn new(distinct: Distinct, first_line: Vec<u64>, codes: Codes) -> Self {
        Self { distinct, first_line, codes, signs: NumberSigns::default() }
    }

    /// The same of a table whose numbers are written with these signs.
    pub(super) fn with_signs(self, signs: NumberSigns) -> Self {
        Self { signs, ..self }
    }

    pub(super) fn codes(&self) -> &Codes {
        &self.codes
    }

    /// The distinct values as the table spells them, without the missing one.
    pub fn spellings(&self) -> Vec<String> {
        match &self.distinct {
            Distinct::Texts(texts) | Distinct::Spelled(texts) => texts.iter().map(ToString::to_string).collect(),
            Distinct::Values(values) => values.iter().map(Value::to_string).collect(),
        }
    }

    /// The type that is found out where none is stated.
    pub(super) fn kind(&self) -> Type {
        match &self.distinct {
            Distinct::Values(values) => type_of(values),
            Distinct::Texts(texts) | Distinct::Spelled(texts) => {
                let mut guess = Guess::with(self.signs);
                texts.iter().for_each(|text| guess.observe(text));
                guess.kind()
            }
        }
    }

    /// The sorted domain of a column and its codes in it; the type is `stated` or found out, and texts that are days are read in their format.
    pub fn typed(
        self,
        stated: Option<Type>,
        decimal: Option<Decimal>,
        format: Option<&DayFormat>,
        name: &str,
        input: &Input,
    ) -> Result<(Domain, Vec<u32>)> {
        let typed = self.typed_as_read(stated, decimal, format, name, input)?;
        let mut codes = typed.codes.to_vec()?;
        typed.translate(&mut codes);
        Ok((Arc::unwrap_or_clone(typed.domain), codes))
    }

    /// The same with codes as they were read.
    pub(crate) fn typed_as_read(
        self,
        stated: Option<Type>,
        decimal: Option<Decimal>,
        format: Option<&DayFormat>,
        name: &str,
        input: &Input,
    ) -> Result<Typed> {
        let (kind, mut values) = match self.distinct {
            Distinct::Values(values) => retype(values, stated, format, &self.first_line, name, input)?,
            Distinct::Spelled(texts) => {
                let signs = NumberSigns { decimal: Some(Decimal::Point), thousands: None };
                parse(&texts, stated, signs, None, &self.first_line, name, input)?
            }
            Distinct::Texts(texts) => {
                let signs = NumberSigns { decimal, ..self.signs };
                parse(&texts, stated, signs, format, &self.first_line, name, input)?
            }
        };
        values.push(Value::Missing);
        let (mut domain, mut code_of) = Domain::from_unsorted(kind, values);
        // Missing sorts first; where no row lacks a value it leaves the domain again.
        if !self.codes.any_missing() {
            domain = Domain::from_sorted(kind, domain.values()[1..].to_vec());
            code_of.iter_mut().for_each(|code| *code = code.saturating_sub(1));
        }
        Ok(Typed { domain: Arc::new(domain), codes: self.codes, code_of })
    }
}

/// Texts as values of the type that is stated, or of the narrowest that fits.
fn parse(
    texts: &[Box<str>],
    stated: Option<Type>,
    signs: NumberSigns,
    format: Option<&DayFormat>,
    lines: &[u64],
    name: &str,
    input: &Input,
) -> Result<(Type, Vec<Value>)> {
    let mut guess = Guess::with(signs);
    texts.iter().for_each(|text| guess.observe(text));
    let kind = stated.unwrap_or_else(|| guess.kind());
    let decimal = signs.decimal.unwrap_or_else(|| guess.decimal());
    let value = |text: &str, line: u64| match (kind, format) {
        (Type::Date | Type::Timestamp, Some(format)) => {
            format.read_as(text, kind).ok_or_else(|| not_of_format(text, (format, kind), name, line, input))
        }
        (Type::Integer | Type::Number, _) => {
            Value::parse(&signs.plain(text), kind, decimal).ok_or_else(|| not_of_type(text, kind, name, line, input))
        }
        _ => Value::parse(text, kind, decimal).ok_or_else(|| not_of_type(text, kind, name, line, input)),
    };
    Ok((kind, texts.iter().zip(lines).map(|(text, &line)| value(text, line)).collect::<Result<_>>()?))
}

/// The type of the values of a typed table.
fn type_of(values: &[Value]) -> Type {
    match values.first() {
        Some(Value::Integer(_)) => Type::Integer,
        Some(Value::Number(_)) => Type::Number,
        Some(Value::Date(_)) => Type::Date,
        Some(Value::Timestamp(_)) => Type::Timestamp,
        Some(Value::Boolean(_)) => Type::Boolean,
        Some(Value::Text(_) | Value::Missing) | None => Type::Text,
    }
}

/// Values of a typed table under a type that the policy states.
fn retype(
    values: Vec<Value>,
    stated: Option<Type>,
    format: Option<&DayFormat>,
    lines: &[u64],
    name: &str,
    input: &Input,
) -> Result<(Type, Vec<Value>)> {
    let own = type_of(&values);
    let kind = stated.unwrap_or(own);
    if kind == own {
        return Ok((kind, values));
    }
    let retyped: Result<Vec<Value>> = values
        .iter()
        .zip(lines)
        .map(|(value, &line)| {
            let text = value.to_string();
            if let (Type::Date | Type::Timestamp, Some(format)) = (kind, format) {
                let read = format.read_as(&text, kind);
                return read.ok_or_else(|| not_of_format(&text, (format, kind), name, line, input));
            }
            Value::parse(&text, kind, Decimal::Point).ok_or_else(|| not_of_type(&text, kind, name, line, input))
        })
        .collect();
    Ok((kind, retyped?))
}
