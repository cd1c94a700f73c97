//! What Python's compiler refuses although its grammar allows it: `await` outside `async def`, `break` outside a loop,
//! a name used before it is declared `global`, and the like. The rules are the parser crate's; this is the walk that
//! tells them where they are.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use ruff_python_ast::statement_visitor::{self, StatementVisitor};
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Comprehension, Expr, ExprLambda, Parameters, PythonVersion, Stmt, StmtFunctionDef};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::TextRange;

/// The newest version that sources are written for.
pub(super) const NEWEST: PythonVersion = PythonVersion::PY314;

/// The first thing that the compiler would refuse: where it is, and why.
pub(super) fn first_error(source: &str, body: &[Stmt]) -> Option<(TextRange, String)> {
    let module = Frame::new(Kind::Module);
    let mut walk = Walk {
        source,
        checker: SemanticSyntaxChecker::new(),
        frames: vec![module],
        errors: RefCell::default(),
    };
    walk.visit_body(body);
    let errors = walk.errors.into_inner();
    let first = errors.into_iter().min_by_key(|error| error.range.start())?;
    Some((first.range, first.to_string()))
}

struct Walk<'a> {
    source: &'a str,
    checker: SemanticSyntaxChecker,
    /// From the module to the innermost scope.
    frames: Vec<Frame>,
    errors: RefCell<Vec<SemanticSyntaxError>>,
}

/// A scope that the walk is in.
struct Frame {
    kind: Kind,
    loops: usize,
    parameters: HashSet<String>,
    globals: HashMap<String, TextRange>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Module,
    Function { is_async: bool },
    Lambda,
    Class,
    Comprehension,
    Generator,
}

impl Frame {
    fn new(kind: Kind) -> Frame {
        Frame { kind, loops: 0, parameters: HashSet::new(), globals: HashMap::new() }
    }

    fn function(function: &StmtFunctionDef) -> Frame {
        let mut globals = Globals::default();
        globals.visit_body(&function.body);
        Frame {
            parameters: names(&function.parameters),
            globals: globals.found,
            ..Frame::new(Kind::Function { is_async: function.is_async })
        }
    }

    fn lambda(lambda: &ExprLambda) -> Frame {
        let parameters = lambda.parameters.as_deref().map(names).unwrap_or_default();
        Frame { parameters, ..Frame::new(Kind::Lambda) }
    }
}

fn names(parameters: &Parameters) -> HashSet<String> {
    parameters.iter().map(|parameter| parameter.name().as_str().to_owned()).collect()
}

/// The `global` statements of a function itself.
#[derive(Default)]
struct Globals {
    found: HashMap<String, TextRange>,
}

impl<'a> StatementVisitor<'a> for Globals {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::Global(global) => {
                let names = global.names.iter().map(|name| (name.as_str().to_owned(), global.range));
                self.found.extend(names);
            }
            statement => statement_visitor::walk_stmt(self, statement),
        }
    }
}

impl Walk<'_> {
    fn check(&mut self, check: impl FnOnce(&mut SemanticSyntaxChecker, &Self)) {
        let mut checker = std::mem::take(&mut self.checker);
        check(&mut checker, self);
        self.checker = checker;
    }

    fn within(&mut self, frame: Frame, walk: impl FnOnce(&mut Self)) {
        self.frames.push(frame);
        walk(self);
        self.frames.pop();
    }

    /// Walks the body of a loop, in which `break` and `continue` have a meaning.
    fn looping(&mut self, body: &[Stmt]) {
        self.change_loops(|loops| loops + 1);
        self.visit_body(body);
        self.change_loops(|loops| loops - 1);
    }

    fn change_loops(&mut self, change: impl FnOnce(usize) -> usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.loops = change(frame.loops);
        }
    }

    /// The first iterable is evaluated outside the comprehension.
    fn comprehension(&mut self, kind: Kind, generators: &[Comprehension], elements: &[Option<&Expr>]) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        self.within(Frame::new(kind), |walk| {
            for (index, generator) in generators.iter().enumerate() {
                if index > 0 {
                    walk.visit_expr(&generator.iter);
                }
                walk.visit_expr(&generator.target);
                generator.ifs.iter().for_each(|test| walk.visit_expr(test));
            }
            elements.iter().flatten().for_each(|element| walk.visit_expr(element));
        });
    }

    /// The kind of the innermost scope that is not a comprehension.
    fn enclosing(&self) -> Kind {
        let transparent = |kind: &Kind| matches!(kind, Kind::Comprehension | Kind::Generator);
        let kinds = self.frames.iter().rev().map(|frame| frame.kind);
        kinds.into_iter().find(|kind| !transparent(kind)).unwrap_or(Kind::Module)
    }

    fn innermost(&self) -> Kind {
        self.frames.last().map_or(Kind::Module, |frame| frame.kind)
    }
}

impl<'a> Visitor<'a> for Walk<'_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        self.check(|checker, context| checker.visit_stmt(statement, context));
        match statement {
            Stmt::FunctionDef(function) => {
                function.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                if let Some(parameters) = &function.type_params {
                    self.visit_type_params(parameters);
                }
                self.visit_parameters(&function.parameters);
                if let Some(returns) = &function.returns {
                    self.visit_annotation(returns);
                }
                self.within(Frame::function(function), |walk| walk.visit_body(&function.body));
            }
            Stmt::ClassDef(class) => {
                class.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.within(Frame::new(Kind::Class), |walk| walk.visit_body(&class.body));
            }
            Stmt::For(block) => {
                self.visit_expr(&block.iter);
                self.visit_expr(&block.target);
                self.looping(&block.body);
                self.visit_body(&block.orelse);
            }
            Stmt::While(block) => {
                self.visit_expr(&block.test);
                self.looping(&block.body);
                self.visit_body(&block.orelse);
            }
            statement => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        self.check(|checker, context| checker.visit_expr(expr, context));
        match expr {
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                self.within(Frame::lambda(lambda), |walk| walk.visit_expr(&lambda.body));
            }
            Expr::ListComp(list) => {
                self.comprehension(Kind::Comprehension, &list.generators, &[Some(&list.elt)]);
            }
            Expr::SetComp(set) => self.comprehension(Kind::Comprehension, &set.generators, &[Some(&set.elt)]),
            Expr::DictComp(dict) => {
                let elements = [dict.key.as_deref(), Some(&*dict.value)];
                self.comprehension(Kind::Comprehension, &dict.generators, &elements);
            }
            Expr::Generator(generator) => {
                self.comprehension(Kind::Generator, &generator.generators, &[Some(&generator.elt)]);
            }
            expr => visitor::walk_expr(self, expr),
        }
    }
}

impl SemanticSyntaxContext for Walk<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        false
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        NEWEST
    }

    fn source(&self) -> &str {
        self.source
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        self.frames.last().and_then(|frame| frame.globals.get(name).copied())
    }

    /// The walk over scopes knows this better.
    fn has_nonlocal_binding(&self, _name: &str) -> bool {
        true
    }

    fn in_async_context(&self) -> bool {
        self.enclosing() == Kind::Function { is_async: true }
    }

    fn in_await_allowed_context(&self) -> bool {
        matches!(self.enclosing(), Kind::Function { .. } | Kind::Lambda)
    }

    fn in_yield_allowed_context(&self) -> bool {
        matches!(self.innermost(), Kind::Function { .. } | Kind::Lambda)
    }

    /// Since Python 3.11 an asynchronous comprehension may stand in a synchronous one.
    fn in_sync_comprehension(&self) -> bool {
        false
    }

    fn in_class_body_comprehension(&self) -> bool {
        self.enclosing() == Kind::Class
    }

    fn in_module_scope(&self) -> bool {
        self.innermost() == Kind::Module
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.innermost(), Kind::Function { .. })
    }

    fn in_generator_context(&self) -> bool {
        let inner = self.frames.iter().rev().map(|frame| frame.kind);
        inner
            .take_while(|kind| matches!(kind, Kind::Comprehension | Kind::Generator))
            .any(|kind| kind == Kind::Generator)
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        self.errors.borrow_mut().push(error);
    }

    fn in_loop_context(&self) -> bool {
        self.frames.last().is_some_and(|frame| frame.loops > 0)
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        self.frames.last().is_some_and(|frame| frame.parameters.contains(name))
    }
}
