//! The walk over expressions. Chains that a source can make long, such as `a.b.c` or `a + b + c`, are followed in a
//! loop; only brackets, `lambda` and the like recurse, and those are bounded before the source is parsed.

use ruff_python_ast::{
    Arguments, Comprehension, Expr, ExprAttribute, ExprCall, ExprLambda, ExprSubscript,
    InterpolatedStringElement, InterpolatedStringElements,
};

use super::{Kind, Walk, Yield};

impl<'a> Walk<'a> {
    pub(super) fn expr(&mut self, expr: &'a Expr) {
        let mut expr = expr;
        while let Some(next) = self.step(expr) {
            expr = next;
        }
    }

    /// Walks an expression except for one operand, which is returned.
    fn step(&mut self, expr: &'a Expr) -> Option<&'a Expr> {
        match expr {
            Expr::Name(name) => {
                self.use_name(name.id.as_str(), name.range.start().to_usize(), Vec::new());
                None
            }
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::Call(call) => {
                self.note_globals_get(call);
                self.arguments(&call.arguments);
                self.note_call(call);
                Some(&call.func)
            }
            Expr::Subscript(subscript) => {
                self.note_globals_item(subscript);
                self.expr(&subscript.slice);
                Some(&subscript.value)
            }
            Expr::BinOp(operation) => {
                self.expr(&operation.right);
                Some(&operation.left)
            }
            Expr::UnaryOp(operation) => Some(&operation.operand),
            Expr::Await(operation) => Some(&operation.value),
            Expr::Starred(starred) => Some(&starred.value),
            Expr::Named(named) => {
                self.walrus(&named.target);
                Some(&named.value)
            }
            Expr::If(conditional) => {
                self.expr(&conditional.test);
                self.expr(&conditional.body);
                Some(&conditional.orelse)
            }
            Expr::Yield(expr) => {
                self.found.yields.push((self.scope, Yield::Value(expr)));
                expr.value.as_deref()
            }
            Expr::YieldFrom(expr) => {
                self.found.yields.push((self.scope, Yield::From));
                Some(&expr.value)
            }
            expr => {
                self.branches(expr);
                None
            }
        }
    }

    /// Expressions with any number of operands, and those with a scope of their own.
    fn branches(&mut self, expr: &'a Expr) {
        match expr {
            Expr::BoolOp(operation) => self.each(&operation.values),
            Expr::Compare(comparison) => {
                self.expr(&comparison.left);
                self.each(&comparison.comparators);
            }
            Expr::List(list) => self.each(&list.elts),
            Expr::Tuple(tuple) => self.each(&tuple.elts),
            Expr::Set(set) => self.each(&set.elts),
            Expr::Dict(dict) => {
                for item in &dict.items {
                    self.optional(item.key.as_ref());
                    self.expr(&item.value);
                }
            }
            Expr::Slice(slice) => {
                for bound in [&slice.lower, &slice.upper, &slice.step] {
                    self.optional(bound.as_deref());
                }
            }
            Expr::Lambda(lambda) => self.lambda(lambda),
            Expr::ListComp(list) => self.comprehension(&list.generators, &[Some(&*list.elt)]),
            Expr::SetComp(set) => self.comprehension(&set.generators, &[Some(&*set.elt)]),
            Expr::Generator(generator) => self.comprehension(&generator.generators, &[Some(&*generator.elt)]),
            Expr::DictComp(dict) => {
                self.comprehension(&dict.generators, &[dict.key.as_deref(), Some(&*dict.value)]);
            }
            Expr::FString(string) => {
                for part in string.value.f_strings() {
                    self.interpolated(&part.elements);
                }
            }
            Expr::TString(string) => {
                for part in &string.value {
                    self.interpolated(&part.elements);
                }
            }
            _ => {}
        }
    }

    fn each(&mut self, exprs: &'a [Expr]) {
        exprs.iter().for_each(|expr| self.expr(expr));
    }

    pub(super) fn arguments(&mut self, arguments: &'a Arguments) {
        self.each(&arguments.args);
        arguments.keywords.iter().for_each(|keyword| self.expr(&keyword.value));
    }

    fn interpolated(&mut self, elements: &'a InterpolatedStringElements) {
        for element in elements {
            if let InterpolatedStringElement::Interpolation(interpolation) = element {
                self.expr(&interpolation.expression);
                if let Some(spec) = &interpolation.format_spec {
                    self.interpolated(&spec.elements);
                }
            }
        }
    }

    /// Notes the whole chain when it begins with a name; otherwise gives back what it begins with.
    fn attribute(&mut self, attribute: &'a ExprAttribute) -> Option<&'a Expr> {
        let mut attributes = vec![attribute.attr.as_str()];
        let mut value = &*attribute.value;
        while let Expr::Attribute(inner) = value {
            attributes.push(inner.attr.as_str());
            value = &inner.value;
        }
        let Expr::Name(name) = value else { return Some(value) };
        attributes.reverse();
        self.use_name(name.id.as_str(), name.range.start().to_usize(), attributes);
        None
    }

    fn lambda(&mut self, lambda: &'a ExprLambda) {
        if let Some(parameters) = lambda.parameters.as_deref() {
            self.defaults(parameters);
        }
        self.within(Kind::Function, None, |walk| {
            if let Some(parameters) = lambda.parameters.as_deref() {
                walk.parameters(parameters);
            }
            walk.expr(&lambda.body);
        });
    }

    /// The first iterable belongs to the scope around the comprehension.
    fn comprehension(&mut self, generators: &'a [Comprehension], elements: &[Option<&'a Expr>]) {
        if let Some(first) = generators.first() {
            self.expr(&first.iter);
        }
        self.within(Kind::Comprehension, None, |walk| {
            for (index, generator) in generators.iter().enumerate() {
                if index > 0 {
                    walk.expr(&generator.iter);
                }
                walk.target(&generator.target);
                walk.each(&generator.ifs);
            }
            elements.iter().for_each(|element| walk.optional(*element));
        });
    }

    /// `:=` binds in the nearest scope that is not a comprehension.
    fn walrus(&mut self, target: &'a Expr) {
        let mut scope = self.scope;
        while self.found.scopes[scope].kind == Kind::Comprehension {
            scope = self.found.scopes[scope].parent;
        }
        if let Expr::Name(name) = target {
            self.bind_in(scope, name.id.as_str());
        }
    }

    /// The callee is walked next, so that it is the next use if it is a name or a chain that begins with one.
    fn note_call(&mut self, call: &'a ExprCall) {
        let mut callee = &*call.func;
        while let Expr::Attribute(attribute) = callee {
            callee = &attribute.value;
        }
        self.calling = callee.is_name_expr().then_some(&call.arguments);
    }

    fn note_globals_item(&mut self, subscript: &'a ExprSubscript) {
        if is_globals_call(&subscript.value) {
            self.note_global(&subscript.slice);
        }
    }

    fn note_globals_get(&mut self, call: &'a ExprCall) {
        if let Expr::Attribute(method) = &*call.func
            && method.attr.as_str() == "get"
            && is_globals_call(&method.value)
            && let Some(key) = call.arguments.find_positional(0)
        {
            self.note_global(key);
        }
    }

    fn note_global(&mut self, key: &'a Expr) {
        if let Expr::StringLiteral(key) = key {
            self.found.globals_read.push((self.scope, key.value.to_str()));
        }
    }
}

fn is_globals_call(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else { return false };
    let is_globals = matches!(&*call.func, Expr::Name(name) if name.id.as_str() == "globals");
    is_globals && call.arguments.is_empty()
}
