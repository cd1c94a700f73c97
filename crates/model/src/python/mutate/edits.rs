//! The places of a source where a mistake can be made. Defaults, annotations, decorators and docstrings are left as they are: what is
//! known of the function was derived from them.

use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprCompare, ModModule, Number, Stmt, StmtFunctionDef, UnaryOp};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::{Edit, Mutation};
use crate::python::layout::is_docstring;
use crate::python::text::Text;

pub(super) struct Edits {
    /// The function as one that answers `None` at once.
    pub(super) stub: Option<Edit>,
    /// In the order of the source.
    pub(super) others: Vec<Edit>,
}

pub(super) fn of(text: &Text, module: &Parsed<ModModule>) -> Edits {
    let mut walk = Walk { source: text.as_str(), module, edits: Vec::new() };
    let mut stub = None;
    for statement in &module.syntax().body {
        if let Stmt::FunctionDef(function) = statement {
            walk.visit_stmt(statement);
            stub = stub_of(text, function);
        }
    }
    walk.edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    Edits { stub, others: walk.edits }
}

/// The body without the docstring.
fn body(function: &StmtFunctionDef) -> &[Stmt] {
    match function.body.as_slice() {
        [first, rest @ ..] if is_docstring(first) => rest,
        body => body,
    }
}

fn stub_of(text: &Text, function: &StmtFunctionDef) -> Option<Edit> {
    let body = body(function);
    let first = body.first().filter(|_| !body.iter().all(does_nothing))?;
    let start = first.range().start().to_usize();
    let line = text.line_start(text.line_index(start));
    let before = &text.as_str()[line..start];
    // What stands on the line of the `def` is simple, and can follow on it; a block needs a line of its own.
    let separator = if before.trim().is_empty() { format!("\n{before}") } else { "; ".to_owned() };
    let mut yields = Yields(false);
    yields.visit_body(body);
    // A generator cannot return a value if it is asynchronous.
    let answer = if yields.0 { "return" } else { "return None" };
    Some(Edit { mutation: Mutation::ReturnsNone, range: start..start, with: format!("{answer}{separator}") })
}

fn does_nothing(statement: &Stmt) -> bool {
    match statement {
        Stmt::Pass(_) => true,
        Stmt::Return(returned) => is_none(returned.value.as_deref()),
        Stmt::Expr(expr) => expr.value.is_literal_expr(),
        _ => false,
    }
}

fn is_none(value: Option<&Expr>) -> bool {
    value.is_none_or(Expr::is_none_literal_expr)
}

/// Whether the function itself yields.
struct Yields(bool);

impl<'a> Visitor<'a> for Yields {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if !matches!(statement, Stmt::FunctionDef(_) | Stmt::ClassDef(_)) {
            visitor::walk_stmt(self, statement);
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
            Expr::Lambda(_) => {}
            expr => visitor::walk_expr(self, expr),
        }
    }
}

struct Walk<'a> {
    source: &'a str,
    module: &'a Parsed<ModModule>,
    edits: Vec<Edit>,
}

impl<'a> Visitor<'a> for Walk<'a> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if can_be_dropped(statement) {
            self.edit(Mutation::Dropped, statement.range(), "pass");
        }
        match statement {
            Stmt::FunctionDef(function) => self.visit_body(body(function)),
            Stmt::ClassDef(class) => self.visit_body(&class.body),
            Stmt::AnnAssign(assignment) => {
                assignment.value.iter().for_each(|value| self.visit_expr(value));
            }
            Stmt::TypeAlias(_) | Stmt::Import(_) | Stmt::ImportFrom(_) => {}
            statement if is_docstring(statement) => {}
            Stmt::Return(returned) => {
                if let Some(value) = returned.value.as_deref().filter(|value| !is_none(Some(value))) {
                    self.edit(Mutation::ReturnsNone, value.range(), "None");
                    self.visit_expr(value);
                }
            }
            Stmt::AugAssign(assignment) => {
                let between =
                    TextRange::new(assignment.target.range().end(), assignment.value.range().start());
                self.operator(between, |kind| {
                    other_assignment(kind).map(|with| (Mutation::Arithmetic, with))
                });
                visitor::walk_stmt(self, statement);
            }
            statement => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Compare(comparison) => self.comparison(comparison),
            Expr::BinOp(operation) => {
                let between = TextRange::new(operation.left.range().end(), operation.right.range().start());
                self.operator(between, |kind| other_operator(kind).map(|with| (Mutation::Arithmetic, with)));
            }
            Expr::BoolOp(operation) => {
                for pair in operation.values.windows(2) {
                    let between = TextRange::new(pair[0].range().end(), pair[1].range().start());
                    self.operator(between, |kind| other_word(kind).map(|with| (Mutation::Boolean, with)));
                }
            }
            Expr::UnaryOp(operation) if operation.op == UnaryOp::Not => {
                let start = operation.range().start();
                self.edit(Mutation::Boolean, TextRange::at(start, TextSize::of("not")), "");
            }
            Expr::BooleanLiteral(literal) => {
                self.edit(Mutation::Boolean, literal.range, if literal.value { "False" } else { "True" });
            }
            Expr::NumberLiteral(number) => {
                if let Some(with) = other_number(&number.value) {
                    self.edit(Mutation::Constant, number.range, &with);
                }
            }
            Expr::StringLiteral(literal) => {
                let with = if literal.value.is_empty() { "'mutant'" } else { "''" };
                self.edit(Mutation::Constant, literal.range, with);
            }
            // What stands in its braces has a syntax of its own.
            Expr::FString(_) | Expr::TString(_) => return,
            Expr::Lambda(lambda) => return self.visit_expr(&lambda.body),
            _ => {}
        }
        visitor::walk_expr(self, expr);
    }
}

impl Walk<'_> {
    fn edit(&mut self, mutation: Mutation, range: TextRange, with: &str) {
        let range = range.start().to_usize()..range.end().to_usize();
        if self.source[range.clone()] != *with {
            self.edits.push(Edit { mutation, range, with: with.to_owned() });
        }
    }

    /// Replaces the operator between two operands, which may have brackets and comments around it.
    fn operator(
        &mut self,
        between: TextRange,
        other: impl Fn(TokenKind) -> Option<(Mutation, &'static str)>,
    ) {
        let tokens = self.module.tokens().in_range(between).iter();
        let found = tokens.filter_map(|token| Some((token.range(), other(token.kind())?))).next();
        if let Some((range, (mutation, with))) = found {
            self.edit(mutation, range, with);
        }
    }

    fn comparison(&mut self, comparison: &ExprCompare) {
        let operands: Vec<&Expr> =
            std::iter::once(&*comparison.left).chain(&comparison.comparators).collect();
        for pair in operands.windows(2) {
            let between = TextRange::new(pair[0].range().end(), pair[1].range().start());
            let operator: Vec<&Token> =
                self.module.tokens().in_range(between).iter().filter(|token| is_comparison(token)).collect();
            let kinds: Vec<TokenKind> = operator.iter().map(|token| token.kind()).collect();
            let (Some(first), Some(last)) = (operator.first(), operator.last()) else { continue };
            let range = TextRange::new(first.range().start(), last.range().end());
            if let Some(with) = opposite(&kinds) {
                self.edit(Mutation::Comparison, range, with);
            }
            if let Some(with) = shifted(&kinds) {
                self.edit(Mutation::Boundary, range, with);
            }
        }
    }
}

/// Without it something else happens, rather than a name that is missing later.
fn can_be_dropped(statement: &Stmt) -> bool {
    let is_part = |target: &Expr| matches!(target, Expr::Subscript(_) | Expr::Attribute(_));
    match statement {
        Stmt::AugAssign(_) | Stmt::Raise(_) | Stmt::Continue(_) | Stmt::Delete(_) => true,
        Stmt::Assign(assignment) => assignment.targets.iter().all(is_part),
        Stmt::Expr(expr) => match &*expr.value {
            Expr::Call(_) => true,
            Expr::Await(awaited) => awaited.value.is_call_expr(),
            _ => false,
        },
        _ => false,
    }
}

fn is_comparison(token: &Token) -> bool {
    use TokenKind::{EqEqual, Greater, GreaterEqual, In, Is, Less, LessEqual, Not, NotEqual};
    matches!(token.kind(), EqEqual | NotEqual | Less | LessEqual | Greater | GreaterEqual | In | Is | Not)
}

fn opposite(operator: &[TokenKind]) -> Option<&'static str> {
    use TokenKind::{EqEqual, Greater, GreaterEqual, In, Is, Less, LessEqual, Not, NotEqual};
    Some(match operator {
        [EqEqual] => "!=",
        [NotEqual] => "==",
        [Less] => ">=",
        [LessEqual] => ">",
        [Greater] => "<=",
        [GreaterEqual] => "<",
        [In] => "not in",
        [Not, In] => "in",
        [Is] => "is not",
        [Is, Not] => "is",
        _ => return None,
    })
}

fn shifted(operator: &[TokenKind]) -> Option<&'static str> {
    use TokenKind::{Greater, GreaterEqual, Less, LessEqual};
    Some(match operator {
        [Less] => "<=",
        [LessEqual] => "<",
        [Greater] => ">=",
        [GreaterEqual] => ">",
        _ => return None,
    })
}

fn other_word(operator: TokenKind) -> Option<&'static str> {
    match operator {
        TokenKind::And => Some("or"),
        TokenKind::Or => Some("and"),
        _ => None,
    }
}

fn other_operator(operator: TokenKind) -> Option<&'static str> {
    Some(match operator {
        TokenKind::Plus => "-",
        TokenKind::Minus => "+",
        TokenKind::Star => "+",
        TokenKind::Slash | TokenKind::DoubleSlash | TokenKind::Percent | TokenKind::DoubleStar => "*",
        TokenKind::LeftShift => ">>",
        TokenKind::RightShift => "<<",
        TokenKind::Amper => "|",
        TokenKind::Vbar | TokenKind::CircumFlex => "&",
        _ => return None,
    })
}

fn other_assignment(operator: TokenKind) -> Option<&'static str> {
    Some(match operator {
        TokenKind::PlusEqual => "-=",
        TokenKind::MinusEqual => "+=",
        TokenKind::StarEqual => "+=",
        TokenKind::SlashEqual
        | TokenKind::DoubleSlashEqual
        | TokenKind::PercentEqual
        | TokenKind::DoubleStarEqual => "*=",
        TokenKind::LeftShiftEqual => ">>=",
        TokenKind::RightShiftEqual => "<<=",
        TokenKind::AmperEqual => "|=",
        TokenKind::VbarEqual | TokenKind::CircumflexEqual => "&=",
        _ => return None,
    })
}

fn other_number(number: &Number) -> Option<String> {
    match number {
        Number::Int(whole) => Some(whole.as_i64()?.checked_add(1)?.to_string()),
        Number::Float(float) if float.is_finite() => Some(format!("{:?}", float + 1.0)),
        Number::Float(_) | Number::Complex { .. } => None,
    }
}
