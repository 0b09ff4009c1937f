//! Files of questions.

/// A question in a file, and the line where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The text, without what ends it.
    pub sql: String,
    /// The line, counted from 1.
    pub line: u64,
}

/// The questions of a file: each ends with a semicolon or, where there is none in the whole file, with its line. `--` begins
/// a comment.
pub fn statements(text: &str) -> Vec<Statement> {
    let (by_semicolon, ended) = ended_by(text, ';');
    if ended { by_semicolon } else { ended_by(text, '\n').0 }
}

/// The statements that end with a letter, and whether any did.
fn ended_by(text: &str, end: char) -> (Vec<Statement>, bool) {
    let (mut found, mut ended) = (Vec::new(), false);
    let (mut sql, mut started, mut line) = (String::new(), 1, 1);
    let (mut quoted, mut comment) = (false, false);
    let mut letters = text.chars().peekable();
    let mut finish = |sql: &mut String, started: u64| {
        let whole = sql.trim().to_owned();
        if !whole.is_empty() {
            found.push(Statement { sql: whole, line: started });
        }
        sql.clear();
    };
    while let Some(letter) = letters.next() {
        comment &= letter != '\n';
        comment |= !quoted && letter == '-' && letters.peek() == Some(&'-');
        quoted ^= !comment && letter == '\'';
        if letter == end && !quoted && !comment {
            finish(&mut sql, started);
            ended = true;
        } else if !comment {
            if sql.trim().is_empty() && !letter.is_whitespace() {
                started = line;
            }
            sql.push(letter);
        }
        line += u64::from(letter == '\n');
    }
    finish(&mut sql, started);
    (found, ended)
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
    }
}
