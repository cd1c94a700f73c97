//! Which names a source uses from outside itself, by CPython's scoping rules.
//!
//! [`walk`] goes through the tree once and notes every scope with what it binds, and every use of a name;
//! [`resolve`] then finds out for each use whether anything in the source binds it. What a free name is, a stored
//! Function or a mistake, is for others to decide.

mod assign;
mod calls;
mod expressions;
mod quoted;
mod resolve;
mod statements;

use std::borrow::Cow;
use std::collections::HashSet;

use ruff_python_ast::{Arguments, Expr, ExprYield, Stmt};
use ruff_text_size::TextRange;
use serde::{Deserialize, Serialize};

pub use self::calls::FreeCall;
pub(super) use self::quoted::quoted_annotations;

/// A name that a source uses but does not define.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct FreeName {
    pub name: String,
    /// The dotted chains that begin with the name, such as `airtable.create_record`, by first appearance.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attributes: Vec<String>,
    /// Where it is used first.
    pub line: u32,
    pub column: u32,
    /// Whether annotations are the only place it is used in: Python before 3.14 evaluates those of a signature when
    /// the function is defined, later ones never do unless asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub in_annotation: bool,
}

/// What the walk over a tree notes.
#[derive(Default)]
pub(super) struct Scopes<'a> {
    scopes: Vec<Scope<'a>>,
    uses: Vec<Use<'a>>,
    /// Literal keys of `globals()["key"]` and `globals().get("key")`, with the scope of the call.
    globals_read: Vec<(usize, &'a str)>,
    /// Every import statement, wherever it stands.
    pub(super) imports: Vec<&'a Stmt>,
    yields: Vec<(usize, Yield<'a>)>,
    /// Annotated local variables and the scope they are in.
    annotated: Vec<(usize, &'a str, &'a Expr)>,
    /// The scope of the last function of the module, which is the stored one.
    function: Option<usize>,
    /// `from __future__ import annotations` was met: no annotation is evaluated.
    lazy_annotations: bool,
    /// `nonlocal` statements, to be checked when all scopes are known.
    nonlocals: Vec<(usize, &'a str, usize)>,
}

/// A `yield` or `yield from`.
#[derive(Clone, Copy)]
pub(super) enum Yield<'a> {
    Value(&'a ExprYield),
    From,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Module,
    Function,
    Comprehension,
    Class,
    /// Type parameters and the values of `type` statements: like a function, but sees the class it stands in.
    Annotation,
}

struct Scope<'a> {
    kind: Kind,
    parent: usize,
    bound: HashSet<Cow<'a, str>>,
    global: HashSet<Cow<'a, str>>,
    nonlocal: HashSet<Cow<'a, str>>,
    /// The class whose private names are written out as `_Class__name` here.
    class: Option<&'a str>,
}

struct Use<'a> {
    scope: usize,
    name: Cow<'a, str>,
    /// The attributes that follow it, first one first.
    attributes: Vec<&'a str>,
    /// What it is called with, if it is called.
    called_with: Option<&'a Arguments>,
    offset: usize,
    in_annotation: bool,
    /// In a class body: the body has bound the name before, so that this is not a look outside.
    bound_before: bool,
}

const MODULE: usize = 0;

/// Notes everything about the statements of a module.
pub(super) fn walk<'a>(statements: &'a [Stmt]) -> Scopes<'a> {
    let mut walk = Walk::new();
    walk.found.scopes.push(Scope::new(Kind::Module, MODULE, None));
    walk.body(statements);
    walk.found
}

/// Notes everything about one expression of a module.
pub(super) fn walk_expr(expr: &Expr) -> Scopes<'_> {
    let mut walk = Walk::new();
    walk.found.scopes.push(Scope::new(Kind::Module, MODULE, None));
    walk.expr(expr);
    walk.found
}

impl Scopes<'_> {
    /// Leaves out the uses of names in parts of the source that are not stored.
    pub(super) fn forget(&mut self, ranges: &[TextRange]) {
        let is_kept = |offset: usize| !ranges.iter().any(|range| range.to_std_range().contains(&offset));
        self.uses.retain(|used| is_kept(used.offset));
    }
}

impl<'a> Scope<'a> {
    fn new(kind: Kind, parent: usize, class: Option<&'a str>) -> Scope<'a> {
        Scope { kind, parent, bound: HashSet::new(), global: HashSet::new(), nonlocal: HashSet::new(), class }
    }
}

/// A walk in progress.
struct Walk<'a> {
    found: Scopes<'a>,
    scope: usize,
    in_annotation: bool,
    /// The arguments of a call whose callee is walked next.
    calling: Option<&'a Arguments>,
}

impl<'a> Walk<'a> {
    fn new() -> Walk<'a> {
        Walk { found: Scopes::default(), scope: MODULE, in_annotation: false, calling: None }
    }

    /// Walks something in a new scope inside the current one.
    fn within(&mut self, kind: Kind, class: Option<&'a str>, walk: impl FnOnce(&mut Self)) -> usize {
        let outer = self.scope;
        let class = class.or(self.found.scopes[outer].class);
        self.scope = self.found.scopes.len();
        self.found.scopes.push(Scope::new(kind, outer, class));
        let inner = self.scope;
        walk(self);
        self.scope = outer;
        inner
    }

    fn annotation(&mut self, annotation: &'a Expr) {
        if self.found.lazy_annotations {
            return;
        }
        let outside = std::mem::replace(&mut self.in_annotation, true);
        self.expr(annotation);
        self.in_annotation = outside;
    }

    /// Notes that the current scope binds the name.
    fn bind(&mut self, name: &'a str) {
        self.bind_in(self.scope, name);
    }

    fn bind_in(&mut self, scope: usize, name: &'a str) {
        let name = self.mangled(name);
        let is_global = self.found.scopes[scope].global.contains(&name);
        let scope = if is_global { MODULE } else { scope };
        if !self.found.scopes[scope].nonlocal.contains(&name) {
            self.found.scopes[scope].bound.insert(name);
        }
    }

    fn use_name(&mut self, name: &'a str, offset: usize, attributes: Vec<&'a str>) {
        let name = self.mangled(name);
        let bound_before = self.found.scopes[self.scope].bound.contains(&name);
        self.found.uses.push(Use {
            scope: self.scope,
            name,
            attributes,
            called_with: self.calling.take(),
            offset,
            in_annotation: self.in_annotation,
            bound_before,
        });
    }

    /// Inside a class, `__name` is `_Class__name`.
    fn mangled(&self, name: &'a str) -> Cow<'a, str> {
        let Some(class) = self.found.scopes[self.scope].class else { return Cow::Borrowed(name) };
        let class = class.trim_start_matches('_');
        if !name.starts_with("__") || name.ends_with("__") || class.is_empty() {
            return Cow::Borrowed(name);
        }
        Cow::Owned(format!("_{class}{name}"))
    }
}
