//! Annotations that are written as strings, which the walk over names passes by.

use ruff_python_ast::{Expr, Stmt};

/// The texts of string literals in the annotations and types that a definition states outside function bodies.
pub(in crate::python) fn quoted_annotations(statement: &Stmt) -> Vec<&str> {
    let mut found = Vec::new();
    match statement {
        Stmt::FunctionDef(function) => {
            for parameter in function.parameters.iter() {
                strings(parameter.annotation(), &mut found);
            }
            strings(function.returns.as_deref(), &mut found);
        }
        Stmt::ClassDef(class) => {
            for field in class.body.iter().filter_map(Stmt::as_ann_assign_stmt) {
                strings(Some(&field.annotation), &mut found);
            }
        }
        Stmt::Assign(assign) => strings(Some(&assign.value), &mut found),
        Stmt::AnnAssign(assign) => strings(assign.value.as_deref(), &mut found),
        Stmt::TypeAlias(alias) => strings(Some(&alias.value), &mut found),
        _ => {}
    }
    found
}

/// Goes through the parts that an annotation can have, with a list instead of recursion.
fn strings<'a>(annotation: Option<&'a Expr>, found: &mut Vec<&'a str>) {
    let mut waiting: Vec<&'a Expr> = annotation.into_iter().collect();
    while let Some(expr) = waiting.pop() {
        match expr {
            Expr::StringLiteral(text) => found.push(text.value.to_str()),
            Expr::Subscript(subscript) => waiting.push(&subscript.slice),
            Expr::BinOp(union) => waiting.extend([&*union.left, &*union.right]),
            Expr::Tuple(tuple) => waiting.extend(&tuple.elts),
            Expr::List(list) => waiting.extend(&list.elts),
            Expr::Call(call) => waiting.extend(&call.arguments.args),
            Expr::Dict(dict) => waiting.extend(dict.items.iter().map(|item| &item.value)),
            _ => {}
        }
    }
}
