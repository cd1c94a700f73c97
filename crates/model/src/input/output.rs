//! Output: whether what a Function returned fits the annotation of its Version.

use serde_json::Value;

use super::shape::{Place, Problems, Shape};
use super::{InputError, MOST_PROBLEMS};
use crate::function::signature::Signature;

/// The return annotation of a Version, made ready for checking.
#[derive(Debug)]
pub struct OutputSchema {
    shape: Shape,
}

impl OutputSchema {
    /// None if everything fits. What a generator yields is no return value.
    pub fn compile(signature: &Signature) -> Option<OutputSchema> {
        let shape = Shape::of(&signature.output);
        (!signature.kind.is_generator() && !matches!(shape, Shape::Any)).then_some(OutputSchema { shape })
    }

    /// A value that could only be described may have been anything.
    pub fn check(&self, output: &Value) -> Result<(), InputError> {
        if output.get("$described").is_some() {
            return Ok(());
        }
        let mut problems = Problems::up_to(MOST_PROBLEMS);
        self.shape.check(output, &Place::Key(&Place::Root, "output"), &mut problems);
        InputError::of(problems)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::python::analyse;

    fn message(annotation: &str, output: &Value) -> String {
        let source = format!("def f() -> {annotation}:\n    ...\n");
        let signature = analyse(&source).unwrap().signature;
        let checked = OutputSchema::compile(&signature).map_or(Ok(()), |schema| schema.check(output));
        checked.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn what_does_not_fit_its_annotation_is_reported_with_its_place() {
        for (annotation, output, place, given) in [
            ("dict", json!([1]), "`output` must be ", "not a list of length 1"),
            ("list[int]", json!([1, "two"]), "`output[1]` must be ", "not the string `two`"),
            ("str", json!(null), "`output` must be ", "not null"),
        ] {
            let told = message(annotation, &output);
            assert!(told.starts_with(place) && told.ends_with(given), "{told}");
        }
    }

    #[test]
    fn what_fits_or_is_not_annotated_is_not_told() {
        for (annotation, output) in [
            ("float", json!(1)),
            ("str | None", json!(null)),
            ("tuple[int, str]", json!({ "$tuple": [1, "a"] })),
            ("object", json!([1])),
            ("int", json!({ "$described": { "type": "int64", "text": "7" } })),
        ] {
            assert_eq!(message(annotation, &output), "", "{annotation}");
        }
        let generator =
            analyse("from collections.abc import Iterator\ndef f() -> Iterator[int]:\n    yield 1\n")
                .unwrap();
        assert!(OutputSchema::compile(&generator.signature).is_none());
    }
}
