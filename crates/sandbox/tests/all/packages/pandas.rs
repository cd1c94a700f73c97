use selfmade_sandbox::{CallRecord, Value};
use serde_json::json;

use super::cells;
use crate::support::returned;

const CSV: &str = "city,month,rain\nOslo,1,58.5\nRome,1,66\nOslo,2,45.1\nRome,2,\n";

#[tokio::test]
async fn a_csv_is_read_grouped_and_written() {
    let cells = cells(&["pandas"]).await;
    let source = "
import io
import pandas as pd

def f(csv):
    frame = pd.read_csv(io.StringIO(csv))
    by_city = frame.groupby('city')['rain'].agg(['mean', 'count']).round(1).reset_index()
    by_city.to_csv('by_city.csv', index=False)
    return [by_city.to_dict('records'), open('by_city.csv').read(), frame['rain'].isna().sum()]
";
    let told = returned(cells.run(&cells.job(source, json!({ "csv": CSV }))).await.ending);
    let expected = json!([
        [{ "city": "Oslo", "mean": 51.8, "count": 2 }, { "city": "Rome", "mean": 66.0, "count": 1 }],
        "city,mean,count\nOslo,51.8,2\nRome,66.0,1\n",
        1,
    ]);
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_frame_goes_from_function_to_function_by_reference_and_is_recorded_in_few_bytes() {
    let cells = cells(&["pandas"]).await;
    let job = cells.job_of(
        &[
            (
                "top",
                "import pandas as pd\n\ndef top(rows):\n    frame = pd.DataFrame({'n': range(rows)})\n    \
                 doubled = double(frame)\n    return [doubled is frame, len(frame.columns), frame['twice'].sum()]",
            ),
            ("double", "def double(frame):\n    frame['twice'] = frame['n'] * 2\n    return frame"),
        ],
        json!({ "rows": 100_000 }),
    );
    assert_eq!(returned(cells.run(&job).await.ending), json!([true, 2, 9_999_900_000_i64]));
    let calls = cells.ear.calls.lock().unwrap();
    let [CallRecord::Begun { arguments, .. }, CallRecord::Finished { result: Ok(output), .. }] = &calls[..]
    else {
        panic!("{calls:?}")
    };
    for recorded in [arguments.get("frame").unwrap(), output] {
        let Value::Described { type_name, text } = recorded else { panic!("{recorded:?}") };
        assert!(type_name.starts_with("pandas.") && type_name.ends_with("DataFrame"), "{type_name}");
        assert!(text.len() < 200, "{text}");
    }
}

#[tokio::test]
async fn a_frame_as_a_result_is_refused_with_what_to_return_instead() {
    let cells = cells(&["pandas"]).await;
    let raised = cells.raised("import pandas as pd\n\ndef f():\n    return pd.DataFrame({'a': [1]})").await;
    assert!(raised.ends_with("which cannot leave the cell; use its `.to_dict()`"), "{raised}");
}
