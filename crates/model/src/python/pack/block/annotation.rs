//! Annotations of fields, in words that stand on their own: enums of the file as their values, its models as TypedDicts.

use std::cell::RefCell;

use ruff_python_ast::{Expr, Operator, Stmt};

use super::fields::Reader;
use super::values::{Values, is_enum, members, python};
use super::{class, class_named};
use crate::python::parse;
use crate::python::types::{Named, last_segment};

const PLAIN: &[&str] = &["str", "int", "float", "bool", "bytes"];
/// Annotations are followed to this depth, and are `Any` below.
const MAX_DEPTH: usize = 16;

/// The models of the file that annotations name, as TypedDicts, those that others use first.
#[derive(Default)]
pub(super) struct Models {
    pub(super) written: RefCell<Vec<(String, String)>>,
    under_way: RefCell<Vec<String>>,
}

impl Reader<'_, '_> {
    pub(super) fn annotation(&self, expr: &Expr, depth: usize) -> String {
        let Some(left) = self.annotations_left.get().checked_sub(1).filter(|_| depth < MAX_DEPTH) else {
            return "Any".to_owned();
        };
        self.annotations_left.set(left);
        let of = |expr: &Expr| self.annotation(expr, depth + 1);
        match expr {
            Expr::NoneLiteral(_) => "None".to_owned(),
            Expr::StringLiteral(text) => {
                parse::annotation(text.value.to_str()).map_or_else(|| "Any".to_owned(), |expr| of(&expr))
            }
            Expr::BinOp(union) if union.op == Operator::BitOr => {
                joined(vec![of(&union.left), of(&union.right)])
            }
            Expr::Subscript(subscript) => {
                let arguments = match &*subscript.slice {
                    Expr::Tuple(tuple) => tuple.elts.as_slice(),
                    single => std::slice::from_ref(single),
                };
                self.subscript(&subscript.value, arguments, depth)
            }
            Expr::Name(_) | Expr::Attribute(_) => self.named(expr, depth),
            _ => "Any".to_owned(),
        }
    }

    fn subscript(&self, name: &Expr, arguments: &[Expr], depth: usize) -> String {
        let of = |expr: &Expr| self.annotation(expr, depth + 1);
        let path = self.module.types.path(name).unwrap_or_default();
        let all = || arguments.iter().map(of).collect::<Vec<_>>();
        match last_segment(&path) {
            "list" | "List" | "Sequence" | "Iterable" => format!("list[{}]", all().join(", ")),
            "set" | "Set" => format!("set[{}]", all().join(", ")),
            "tuple" | "Tuple" => format!("tuple[{}]", all().join(", ")),
            "dict" | "Dict" | "Mapping" => format!("dict[{}]", all().join(", ")),
            "Optional" => joined(all().into_iter().chain(["None".to_owned()]).collect()),
            "Union" => joined(all()),
            "Annotated" => arguments.first().map_or_else(|| "Any".to_owned(), of),
            "Literal" => {
                let values = Values::new(self.module);
                let known: Result<Vec<_>, _> = arguments.iter().map(|one| values.of(one)).collect();
                known.map_or_else(|_| "Any".to_owned(), |values| literal(&values))
            }
            _ => "Any".to_owned(),
        }
    }

    fn named(&self, expr: &Expr, depth: usize) -> String {
        let Some(path) = self.module.types.path(expr) else { return "Any".to_owned() };
        if let Some(class) = class::schema_class(self.module, expr) {
            if is_enum(self.module, class) {
                let values = Values::new(self.module);
                let known: Result<Vec<_>, _> =
                    members(class).into_iter().map(|(_, value)| values.of(value)).collect();
                return known.map_or_else(|_| "Any".to_owned(), |values| literal(&values));
            }
            return self.model(class.name.as_str(), class, depth);
        }
        if let Some(Named::Alias(value)) = self.module.types.named(&path) {
            return self.annotation(value, depth + 1);
        }
        match last_segment(&path) {
            "BlockSecret" | "SecretStr" => "str".to_owned(),
            "Dict" | "dict" => "dict[str, Any]".to_owned(),
            "List" | "list" => "list[Any]".to_owned(),
            "tuple" | "set" => path,
            plain if PLAIN.contains(&plain) => plain.to_owned(),
            _ => "Any".to_owned(),
        }
    }

    /// The name of a TypedDict with the fields of a model; one that contains itself is any object.
    fn model(&self, name: &str, class: &ruff_python_ast::StmtClassDef, depth: usize) -> String {
        let is_known = self.models.written.borrow().iter().any(|(known, _)| known == name);
        if is_known {
            return name.to_owned();
        }
        let is_under_way = self.models.under_way.borrow().iter().any(|known| known == name);
        let is_at_top = class_named(self.module, name).is_some_and(|top| std::ptr::eq(top, class));
        if is_under_way || !is_at_top {
            return "dict[str, Any]".to_owned();
        }
        self.models.under_way.borrow_mut().push(name.to_owned());
        let mut fields = Vec::new();
        let mut is_total = true;
        for (field, annotation, has_default) in self.plain_fields(class) {
            fields.push(format!("\"{field}\": {}", self.annotation(annotation, depth + 1)));
            is_total &= !has_default;
        }
        let total = if is_total { "" } else { ", total=False" };
        let written = format!("{name} = TypedDict(\"{name}\", {{{}}}{total})", fields.join(", "));
        self.models.under_way.borrow_mut().pop();
        self.models.written.borrow_mut().push((name.to_owned(), written));
        name.to_owned()
    }

    /// The annotated names of a class and of those it descends from.
    fn plain_fields<'c>(
        &'c self,
        class: &'c ruff_python_ast::StmtClassDef,
    ) -> Vec<(&'c str, &'c Expr, bool)> {
        let mut found: Vec<(&str, &Expr, bool)> = Vec::new();
        for class in class::lineage(self.module, class).into_iter().rev() {
            for statement in &class.body {
                let Stmt::AnnAssign(assign) = statement else { continue };
                let Expr::Name(name) = &*assign.target else { continue };
                found.retain(|(known, ..)| *known != name.id.as_str());
                found.push((name.id.as_str(), &assign.annotation, assign.value.is_some()));
            }
        }
        found
    }
}

fn joined(mut arms: Vec<String>) -> String {
    let mut seen = Vec::new();
    arms.retain(|arm| {
        let is_new = !seen.contains(arm);
        seen.push(arm.clone());
        is_new
    });
    if arms.iter().any(|arm| arm == "Any") { "Any".to_owned() } else { arms.join(" | ") }
}

fn literal(values: &[serde_json::Value]) -> String {
    let is_plain = |value: &serde_json::Value| value.is_string() || value.is_i64() || value.is_boolean();
    if values.is_empty() || !values.iter().all(is_plain) {
        return "Any".to_owned();
    }
    format!("Literal[{}]", values.iter().map(python).collect::<Vec<_>>().join(", "))
}
