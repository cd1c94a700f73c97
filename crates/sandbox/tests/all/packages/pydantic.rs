use selfmade_sandbox::Ending;
use serde_json::json;

use super::cells;
use crate::support::returned;

const SOURCE: &str = "
from pydantic import BaseModel, Field

class Order(BaseModel):
    item: str
    count: int = Field(gt=0)

def f(order):
    return Order.model_validate(order).model_dump()
";

#[tokio::test]
async fn models_validate_and_convert() {
    let cells = cells(&["pydantic"]).await;
    let job = cells.job(SOURCE, json!({ "order": { "item": "tea", "count": "3" } }));
    assert_eq!(returned(cells.run(&job).await.ending), json!({ "item": "tea", "count": 3 }));
}

#[tokio::test]
async fn a_validation_error_keeps_its_type_and_says_what_is_wrong() {
    let cells = cells(&["pydantic"]).await;
    let job = cells.job(SOURCE, json!({ "order": { "item": 1, "count": 0 } }));
    let Ending::Raised(error) = cells.run(&job).await.ending else { panic!("it should have raised") };
    assert_eq!(error.type_name, "pydantic_core._pydantic_core.ValidationError");
    assert!(error.message.starts_with("2 validation errors for Order"), "{}", error.message);
    assert!(error.message.contains("greater than 0"), "{}", error.message);
    assert!(error.traceback.contains("return Order.model_validate(order)"), "{}", error.traceback);
}
