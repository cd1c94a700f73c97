//! Answers that tell what happens on the way to them.

use axum::http::StatusCode;
use model::ids::RunId;
use model::run::Run;
use model::run::output::OutputChunk;
use sandbox::environment::Progress;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use server::http_client::SseEvent;

use super::{Brain, Events, decoded};
use crate::error::Error;

/// One piece of such an answer.
#[derive(Debug)]
pub(crate) enum StreamUpdate<T> {
    /// A Run has begun.
    Begun(RunId),
    Printed(String),
    Making(Progress),
    /// A Run waits.
    Waits(Box<Run>),
    Done(T),
}

#[derive(Deserialize)]
struct Begun {
    run_id: RunId,
}

impl Brain {
    /// The next piece; none if the answer broke off.
    pub(crate) async fn told<T: DeserializeOwned>(
        &self,
        events: &mut Events<'_>,
    ) -> Result<Option<StreamUpdate<T>>, Error> {
        while let Some(event) = events.next().await? {
            if let Some(told) = self.read(&event)? {
                return Ok(Some(told));
            }
        }
        Ok(None)
    }

    fn read<T: DeserializeOwned>(&self, event: &SseEvent) -> Result<Option<StreamUpdate<T>>, Error> {
        Ok(Some(match event.event.as_str() {
            "begun" => StreamUpdate::Begun(self.data::<Begun>(event)?.run_id),
            "printed" => StreamUpdate::Printed(self.data::<OutputChunk>(event)?.text),
            "making" => StreamUpdate::Making(self.data(event)?),
            "state" => StreamUpdate::Waits(self.data(event)?),
            "done" => StreamUpdate::Done(self.data(event)?),
            // Inside a stream there is no status; what fails so late is on the server's side.
            "error" => {
                let status = StatusCode::SERVICE_UNAVAILABLE;
                return Err(decoded::refusal(self, status, event.data.as_bytes()));
            }
            // Newer servers may tell more.
            _ => return Ok(None),
        }))
    }

    /// What an event carries.
    pub(crate) fn data<T: DeserializeOwned>(&self, event: &SseEvent) -> Result<T, Error> {
        serde_json::from_str(&event.data).map_err(|source| decoded::not_understood(self, source))
    }
}
