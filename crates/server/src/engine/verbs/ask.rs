//! `ask`: a question to a person. The Run waits, without a cell where it can, until somebody answers.

use model::run::Waiting;
use model::step::Step;
use sandbox::Arguments;
use serde_json::{Value as Json, json};

use super::{Answer, Given, Refusal, begin, finish};
use crate::app::error::Error;
use crate::engine::host::Inner;

pub(super) async fn carry_out(host: &Inner, step: Step, arguments: &Arguments) -> Result<Answer, Error> {
    if !host.may_suspend {
        let text = "only a function whose effects are all steps may ask a person, because it is executed again \
                    with the answer; declare it `idempotent=True`, or reach the network from a function it calls";
        return finish(host, step, Err(Refusal::Refused(text.to_owned()))).await;
    }
    let question = match question(host, arguments) {
        Ok(question) => question,
        Err(refusal) => return finish(host, step, Err(refusal)).await,
    };
    let position = step.position;
    // An open Step is there already when the Run was lost while it waited.
    if host.ctx.store.step(step.run_id, position).await?.is_none() {
        begin(host, &step).await?;
    }
    Ok(Answer::Suspended(Waiting::Person { step: position, question }))
}

fn question(host: &Inner, arguments: &Arguments) -> Result<Json, Refusal> {
    let mut given = Given::new("ask", &["question", "options"], arguments.clone())?;
    let question = given.required_text("question")?;
    let options = given.value("options").filter(|options| !options.is_null()).map(listed);
    if options.as_ref().is_some_and(|options| options.as_array().is_none_or(Vec::is_empty)) {
        let text = "`options` of `ask` must be a list with what can be answered; leave it out if every answer will do";
        return Err(Refusal::Refused(text.to_owned()));
    }
    Ok(host.redaction.json(json!({ "question": question, "options": options })))
}

/// A tuple offers what a list does.
fn listed(options: Json) -> Json {
    match options {
        Json::Object(mut value) if value.len() == 1 && value.contains_key("$tuple") => {
            value.remove("$tuple").unwrap_or_default()
        }
        options => options,
    }
}
