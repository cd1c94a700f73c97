//! Refuses sources that nest deeper than the analysis can follow on a small stack, before they are parsed: the
//! parser copes with any depth, but dropping its tree, and walking it, takes stack for every level.
//!
//! The depth is estimated from the tokens alone and never too low: each open bracket, each level of indentation and
//! each operator that may still be waiting for its operand counts one.

use ruff_python_ast::token::TokenKind;
use ruff_python_parser::{Mode, lexer};

use super::error::{SourceError, SourceErrorKind};
use super::text::Text;

/// CPython refuses a deeper nesting of brackets as well.
const MAX_BRACKETS: usize = 200;
/// CPython refuses more levels of indentation as well.
const MAX_INDENTATION: usize = 100;
/// Half of what a thread with a stack of 2 MiB can walk in a build without optimisations. Nobody writes an expression
/// like that, and CPython's own compiler gives up at a few thousand.
const MAX_DEPTH: usize = 500;

pub(super) fn check(text: &Text) -> Result<(), SourceError> {
    let Some(message) = too_deep(text.as_str()) else { return Ok(()) };
    let offset = first_too_deep(text.as_str());
    Err(text
        .error(SourceErrorKind::TooDeep, offset, message)
        .hint("assign parts of it to variables in separate statements"))
}

/// Whether an expression that stands alone, such as the text of a string annotation, may be parsed.
pub(super) fn is_shallow(source: &str) -> bool {
    too_deep(source).is_none()
}

/// The end of the shortest beginning of the source that is too deep. The lexer tells no positions, so they are
/// found by halving.
fn first_too_deep(source: &str) -> usize {
    let (mut fine, mut deep) = (0, source.len());
    while fine + 1 < deep {
        let middle = source.floor_char_boundary(fine + (deep - fine) / 2);
        if middle <= fine {
            break;
        }
        if too_deep(&source[..middle]).is_some() { deep = middle } else { fine = middle }
    }
    source.floor_char_boundary(deep.saturating_sub(1))
}

fn too_deep(source: &str) -> Option<&'static str> {
    let mut lexer = lexer::lex(source, Mode::Module);
    let mut depth = Depth::default();
    loop {
        let token = lexer.next_token();
        if token.is_eof() {
            return None;
        }
        depth.take(token);
        if let Some(message) = depth.excess() {
            return Some(message);
        }
    }
}

/// What is open after the tokens so far.
#[derive(Default)]
struct Depth {
    indentation: usize,
    /// The operators of the statement, outside all brackets.
    outer: Operators,
    /// Those inside each open bracket or interpolated string.
    brackets: Vec<Operators>,
    total: usize,
}

/// Operators that may still be waiting for their operand, by what ends the wait.
#[derive(Default, Clone, Copy)]
struct Operators {
    /// Arithmetic, attributes, calls, subscripts: until a comparison or anything below.
    tight: usize,
    /// `not`: until `and`, `or` or anything below.
    not: usize,
    /// `if` and `else` of a conditional, `yield`: until a comma.
    conditional: usize,
    /// `lambda`, whose own parameters have commas: until the bracket closes or the statement ends.
    lambda: usize,
}

impl Operators {
    fn sum(self) -> usize {
        self.tight + self.not + self.conditional + self.lambda
    }
}

impl Depth {
    fn take(&mut self, token: TokenKind) {
        match token {
            TokenKind::Indent => self.indentation += 1,
            TokenKind::Dedent => self.indentation = self.indentation.saturating_sub(1),
            TokenKind::Lpar | TokenKind::Lsqb | TokenKind::Lbrace => {
                self.change(|operators| operators.tight += 1);
                self.open();
            }
            TokenKind::FStringStart | TokenKind::TStringStart => self.open(),
            TokenKind::Rpar | TokenKind::Rsqb | TokenKind::Rbrace => self.close(),
            TokenKind::FStringEnd | TokenKind::TStringEnd => self.close(),
            TokenKind::Newline | TokenKind::Semi => self.end_statement(),
            token if begins_statement(token) => self.end_statement(),
            token => self.change(|operators| operators.take(token)),
        }
    }

    fn open(&mut self) {
        self.brackets.push(Operators::default());
        self.total += 1;
    }

    fn close(&mut self) {
        if let Some(operators) = self.brackets.pop() {
            self.total -= operators.sum() + 1;
        }
    }

    fn end_statement(&mut self) {
        self.brackets.clear();
        self.outer = Operators::default();
        self.total = 0;
    }

    fn change(&mut self, change: impl FnOnce(&mut Operators)) {
        let operators = self.brackets.last_mut().unwrap_or(&mut self.outer);
        self.total -= operators.sum();
        change(operators);
        self.total += operators.sum();
    }

    fn excess(&self) -> Option<&'static str> {
        if self.brackets.len() > MAX_BRACKETS {
            Some("brackets are nested more than 200 deep")
        } else if self.indentation > MAX_INDENTATION {
            Some("blocks are nested more than 100 deep")
        } else if self.total > MAX_DEPTH {
            Some("an expression has more than 500 nested or chained parts")
        } else {
            None
        }
    }
}

impl Operators {
    fn take(&mut self, token: TokenKind) {
        match token {
            TokenKind::Not => self.not += 1,
            TokenKind::Lambda => self.lambda += 1,
            TokenKind::If | TokenKind::Else | TokenKind::Yield => {
                self.tight = 0;
                self.not = 0;
                self.conditional += 1;
            }
            TokenKind::And | TokenKind::Or => {
                self.tight = 0;
                self.not = 0;
            }
            TokenKind::Comma => *self = Operators { lambda: self.lambda, ..Operators::default() },
            TokenKind::EqEqual
            | TokenKind::NotEqual
            | TokenKind::Less
            | TokenKind::LessEqual
            | TokenKind::Greater
            | TokenKind::GreaterEqual
            | TokenKind::In
            | TokenKind::Is
            | TokenKind::Equal => self.tight = 0,
            TokenKind::Dot | TokenKind::Await | TokenKind::Tilde | TokenKind::At => self.tight += 1,
            token if token.is_arithmetic() || token.is_bitwise_or_shift() => self.tight += 1,
            _ => {}
        }
    }
}

/// Keywords that can only begin a statement. Inside brackets they mean that a bracket was left open, and that the
/// parser will take up again here.
fn begins_statement(token: TokenKind) -> bool {
    matches!(
        token,
        TokenKind::Assert
            | TokenKind::Break
            | TokenKind::Class
            | TokenKind::Continue
            | TokenKind::Def
            | TokenKind::Del
            | TokenKind::Elif
            | TokenKind::Except
            | TokenKind::Finally
            | TokenKind::Global
            | TokenKind::Import
            | TokenKind::Nonlocal
            | TokenKind::Pass
            | TokenKind::Raise
            | TokenKind::Return
            | TokenKind::Try
            | TokenKind::While
            | TokenKind::With
    )
}
