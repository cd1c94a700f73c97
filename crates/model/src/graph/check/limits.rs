//! What a node may ask for: how long an execution may take, and what a schema may cost.

use serde_json::Value;

use super::problem::{Code, Problem};
use crate::access::grants;
use crate::graph::GraphContent;
use crate::graph::builtin::Builtin;
use crate::input::shape::is_bounded;

pub(super) fn check(content: &GraphContent, problems: &mut Vec<Problem>) {
    for node in &content.nodes {
        if let Some(seconds) = &node.timeout
            && grants::timeout(&Value::Number(seconds.clone())).is_err()
        {
            let message =
                format!("its `timeout` is {seconds}; write seconds above 0 and up to 86400 (one day)");
            problems.push(Problem::new(Code::WrongTimeout, message).at(&node.id));
        }
        let is_border = matches!(node.builtin(), Some(Builtin::Input | Builtin::Output));
        if is_border && node.input.get("schema").is_some_and(|schema| !is_bounded(schema)) {
            let message = "the schema stands for too many with its references written out; make it smaller";
            problems.push(Problem::new(Code::WrongConstant, message).at(&node.id).pin("schema"));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_timeout_is_above_zero_and_at_most_a_day() {
        let told = |timeout: Value| {
            let node = json!({"id": "a", "block": "add", "timeout": timeout});
            let content = serde_json::from_value(json!({"nodes": [node]})).unwrap();
            let mut problems = Vec::new();
            check(&content, &mut problems);
            problems.into_iter().map(|problem| (problem.code, problem.message)).collect::<Vec<_>>()
        };
        for right in [json!(0.5), json!(86_400)] {
            assert_eq!(told(right), []);
        }
        for wrong in [json!(1e300), json!(1e15), json!(0), json!(-5)] {
            assert_eq!(told(wrong)[0].0, Code::WrongTimeout);
        }
        insta::assert_snapshot!(told(json!(-5))[0].1, @"its `timeout` is -5; write seconds above 0 and up to 86400 (one day)");
    }
}
