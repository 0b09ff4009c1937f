//! Files of questions.

use std::str::Chars;

use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Whitespace};

/// A question in a file, and the line where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text, without what ends it.
    pub sql: String,
    /// The line, counted from 1.
    pub line: u64,
}

/// The questions of a file: each ends with a semicolon or, where there is none in the whole file, with its line. Semicolons, ends of lines
/// and dashes within quotes or comments are text like any other.
pub fn statements(text: &str) -> Vec<Statement> {
    let mut tokens = Vec::new();
    // Where a quote is never closed the tokens end. What follows belongs to the last statement, whose reader says what is wrong with it.
    let _ = Tokenizer::new(&GenericDialect {}, text).tokenize_with_location_into_buf(&mut tokens);
    let newline = Token::Whitespace(Whitespace::Newline);
    let end = if tokens.iter().any(|token| token.token == Token::SemiColon) { Token::SemiColon } else { newline };
    let mut pieces = Pieces { text: text.chars(), line: 1, column: 1 };
    let mut found = vec![Draft::default()];
    for token in &tokens {
        let line = pieces.line;
        let piece = pieces.until(token.span.end);
        match found.last_mut() {
            Some(draft) if token.token != end => draft.push(token, piece, line),
            _ => found.push(Draft::default()),
        }
    }
    let line = pieces.line;
    if let Some(draft) = found.last_mut() {
        draft.push_text(pieces.text.as_str(), line);
    }
    found.into_iter().filter_map(Draft::finish).collect()
}

/// The text of a file, cut where its tokens end.
struct Pieces<'t> {
    text: Chars<'t>,
    line: u64,
    column: u64,
}

impl<'t> Pieces<'t> {
    fn until(&mut self, end: Location) -> &'t str {
        let rest = self.text.as_str();
        while (self.line, self.column) < (end.line, end.column) {
            match self.text.next() {
                Some('\n') => (self.line, self.column) = (self.line + 1, 1),
                Some(_) => self.column += 1,
                None => break,
            }
        }
        &rest[..rest.len() - self.text.as_str().len()]
    }
}

/// A statement as far as it is read, and the line of its first word.
#[derive(Default)]
struct Draft {
    sql: String,
    line: Option<u64>,
}

impl Draft {
    fn push(&mut self, token: &TokenWithSpan, piece: &str, line: u64) {
        match &token.token {
            Token::Whitespace(Whitespace::SingleLineComment { .. }) => {}
            // Blanks in place of a comment leave every word where it stands.
            Token::Whitespace(Whitespace::MultiLineComment(_)) => {
                self.sql.extend(piece.chars().map(|sign| if sign == '\n' { '\n' } else { ' ' }));
            }
            Token::Whitespace(_) => self.sql.push_str(piece),
            _ => self.push_text(piece, line),
        }
    }

    fn push_text(&mut self, text: &str, line: u64) {
        self.line = self.line.or((!text.trim().is_empty()).then_some(line));
        self.sql.push_str(text);
    }

    fn finish(self) -> Option<Statement> {
        self.line.map(|line| Statement { sql: self.sql.trim().to_owned(), line })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_end_with_semicolons_or_lines() {
        let texts = |text: &str| statements(text).into_iter().map(|s| (s.line, s.sql)).collect::<Vec<_>>();
        let pair = |line, sql: &str| (line, sql.to_owned());
        assert_eq!(texts("a\n\n-- b; c\nd -- e\n"), [pair(1, "a"), pair(4, "d")]);
        assert_eq!(texts("a\nb;\n\n c = 'x;y';"), [pair(1, "a\nb"), pair(4, "c = 'x;y'")]);
        assert_eq!(texts(" \n"), []);
        assert_eq!(texts(""), []);
    }

    #[test]
    fn quotes_and_comments_hide_what_ends_a_statement() {
        let texts = |text: &str| statements(text).into_iter().map(|s| (s.line, s.sql)).collect::<Vec<_>>();
        let pair = |line, sql: &str| (line, sql.to_owned());
        assert_eq!(texts("\"a;--b\" = 'it''s; é';\nc;"), [pair(1, "\"a;--b\" = 'it''s; é'"), pair(2, "c")]);
        assert_eq!(texts("/* no; */ a /* b\n; */ c\nd"), [pair(1, "a     \n     c"), pair(3, "d")]);
        assert_eq!(texts("a = 'x\ny'\nb"), [pair(1, "a = 'x\ny'"), pair(3, "b")]);
        assert_eq!(texts("a -- b\n-- ;\nc;\r\nd"), [pair(1, "a \n\nc"), pair(4, "d")]);
        // A quote that is never closed takes the rest, for the reader of statements to refuse.
        assert_eq!(texts("a;\nb = 'c;\nd"), [pair(1, "a"), pair(2, "b = 'c;\nd")]);
    }
}
