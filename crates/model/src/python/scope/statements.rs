//! The walk over statements.

use ruff_python_ast::{
    ExceptHandler, Expr, Parameters, Stmt, StmtAnnAssign, StmtClassDef, StmtFunctionDef, StmtImportFrom,
    StmtTry, TypeParam, TypeParams,
};
use ruff_text_size::Ranged;

use super::{Kind, MODULE, Walk};
use crate::python::imports;

impl<'a> Walk<'a> {
    pub(super) fn body(&mut self, statements: &'a [Stmt]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Return(statement) => self.optional(statement.value.as_deref()),
            Stmt::Delete(statement) => statement.targets.iter().for_each(|target| self.target(target)),
            Stmt::Assign(statement) => {
                self.expr(&statement.value);
                statement.targets.iter().for_each(|target| self.target(target));
            }
            Stmt::AugAssign(statement) => {
                self.expr(&statement.value);
                self.expr(&statement.target);
                self.target(&statement.target);
            }
            Stmt::AnnAssign(statement) => self.annotated_assignment(statement),
            Stmt::TypeAlias(alias) => {
                self.target(&alias.name);
                self.generic(alias.type_params.as_deref(), None, |walk| {
                    walk.within(Kind::Annotation, None, |walk| walk.annotation(&alias.value));
                });
            }
            Stmt::For(statement) => {
                self.expr(&statement.iter);
                self.target(&statement.target);
                self.body(&statement.body);
                self.body(&statement.orelse);
            }
            Stmt::While(statement) => {
                self.expr(&statement.test);
                self.body(&statement.body);
                self.body(&statement.orelse);
            }
            Stmt::If(statement) => {
                self.expr(&statement.test);
                self.body(&statement.body);
                for clause in &statement.elif_else_clauses {
                    self.optional(clause.test.as_ref());
                    self.body(&clause.body);
                }
            }
            Stmt::With(statement) => {
                for item in &statement.items {
                    self.expr(&item.context_expr);
                    if let Some(target) = &item.optional_vars {
                        self.target(target);
                    }
                }
                self.body(&statement.body);
            }
            Stmt::Match(statement) => {
                self.expr(&statement.subject);
                for case in &statement.cases {
                    self.pattern(&case.pattern);
                    self.optional(case.guard.as_deref());
                    self.body(&case.body);
                }
            }
            Stmt::Raise(statement) => {
                self.optional(statement.exc.as_deref());
                self.optional(statement.cause.as_deref());
            }
            Stmt::Try(statement) => self.try_statement(statement),
            Stmt::Assert(statement) => {
                self.expr(&statement.test);
                self.optional(statement.msg.as_deref());
            }
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.import(statement),
            Stmt::Global(statement) => self.global(&statement.names),
            Stmt::Nonlocal(statement) => self.nonlocal(&statement.names),
            Stmt::Expr(statement) => self.expr(&statement.value),
            Stmt::Pass(_) | Stmt::Break(_) | Stmt::Continue(_) | Stmt::IpyEscapeCommand(_) => {}
        }
    }

    pub(super) fn optional(&mut self, expr: Option<&'a Expr>) {
        if let Some(expr) = expr {
            self.expr(expr);
        }
    }

    /// Decorators and defaults belong to the scope around the function; annotations to that of its type parameters.
    fn function(&mut self, function: &'a StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.expr(&decorator.expression);
        }
        self.defaults(&function.parameters);
        self.bind(function.name.as_str());
        let is_of_module = self.scope == MODULE;
        self.generic(function.type_params.as_deref(), None, |walk| {
            walk.annotations(&function.parameters);
            if let Some(returns) = &function.returns {
                walk.annotation(returns);
            }
            let scope = walk.within(Kind::Function, None, |walk| {
                walk.parameters(&function.parameters);
                walk.body(&function.body);
            });
            if is_of_module {
                walk.found.function = Some(scope);
            }
        });
    }

    fn class(&mut self, class: &'a StmtClassDef) {
        for decorator in &class.decorator_list {
            self.expr(&decorator.expression);
        }
        self.generic(class.type_params.as_deref(), Some(class.name.as_str()), |walk| {
            if let Some(arguments) = class.arguments.as_deref() {
                walk.arguments(arguments);
            }
            walk.within(Kind::Class, Some(class.name.as_str()), |walk| walk.body(&class.body));
        });
        self.bind(class.name.as_str());
    }

    /// Walks something in the scope of its type parameters, if it has any.
    fn generic(
        &mut self,
        parameters: Option<&'a TypeParams>,
        class: Option<&'a str>,
        walk: impl FnOnce(&mut Self),
    ) {
        let Some(parameters) = parameters else { return walk(self) };
        self.within(Kind::Annotation, class, |inner| {
            for parameter in &parameters.type_params {
                inner.type_parameter(parameter);
            }
            walk(inner);
        });
    }

    /// Bounds and defaults are evaluated only when asked for, like annotations.
    fn type_parameter(&mut self, parameter: &'a TypeParam) {
        let (name, bound, default) = match parameter {
            TypeParam::TypeVar(variable) => (&variable.name, &variable.bound, &variable.default),
            TypeParam::TypeVarTuple(tuple) => (&tuple.name, &None, &tuple.default),
            TypeParam::ParamSpec(spec) => (&spec.name, &None, &spec.default),
        };
        self.bind(name.as_str());
        for lazy in [bound, default].into_iter().flatten() {
            self.annotation(lazy);
        }
    }

    pub(super) fn defaults(&mut self, parameters: &'a Parameters) {
        parameters.iter_non_variadic_params().for_each(|parameter| self.optional(parameter.default()));
    }

    fn annotations(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter() {
            if let Some(annotation) = parameter.annotation() {
                self.annotation(annotation);
            }
        }
    }

    pub(super) fn parameters(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter() {
            self.bind(parameter.name().as_str());
        }
    }

    /// Python never evaluates the annotation of a local variable; elsewhere it does so after the assignment.
    fn annotated_assignment(&mut self, statement: &'a StmtAnnAssign) {
        if let Some(value) = &statement.value {
            self.expr(value);
            self.target(&statement.target);
        }
        if matches!(self.kind(), Kind::Function) {
            if let Expr::Name(name) = &*statement.target {
                self.found.annotated.push((self.scope, name.id.as_str(), &statement.annotation));
            }
        } else {
            self.annotation(&statement.annotation);
        }
        // `(x): int` alone neither binds nor evaluates anything.
        let is_parenthesised = statement.target.is_name_expr() && !statement.simple;
        if statement.value.is_none() && !is_parenthesised {
            self.target(&statement.target);
        }
    }

    fn kind(&self) -> Kind {
        self.found.scopes[self.scope].kind
    }

    fn try_statement(&mut self, statement: &'a StmtTry) {
        self.body(&statement.body);
        for ExceptHandler::ExceptHandler(handler) in &statement.handlers {
            self.optional(handler.type_.as_deref());
            if let Some(name) = &handler.name {
                self.bind(name.as_str());
            }
            self.body(&handler.body);
        }
        self.body(&statement.orelse);
        self.body(&statement.finalbody);
    }

    fn import(&mut self, statement: &'a Stmt) {
        self.found.imports.push(statement);
        for binding in imports::bindings(statement) {
            self.bind(binding.name);
        }
        if let Stmt::ImportFrom(import) = statement {
            self.found.lazy_annotations |= imports_annotations(import);
        }
    }

    fn global(&mut self, names: &'a [ruff_python_ast::Identifier]) {
        for name in names {
            let name = self.mangled(name.as_str());
            self.found.scopes[self.scope].global.insert(name);
        }
    }

    fn nonlocal(&mut self, names: &'a [ruff_python_ast::Identifier]) {
        for identifier in names {
            let name = self.mangled(identifier.as_str());
            self.found.scopes[self.scope].nonlocal.insert(name);
            let offset = identifier.range().start().to_usize();
            self.found.nonlocals.push((self.scope, identifier.as_str(), offset));
        }
    }
}

fn imports_annotations(import: &StmtImportFrom) -> bool {
    import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
        && import.names.iter().any(|alias| alias.name.as_str() == "annotations")
}
