//! What the nodes of a Graph do: that an execution began, each value that left it, and how it ended, in the order of the journal.

use std::collections::HashMap;

use model::graph::scheduler::Happened;
use model::run::step::Step;
use serde_json::Value;
use store::GraphEntry;

use super::{AT_ONCE, Follower, News, What};
use crate::app::runs::nodes::{NodeOutput, NodeProgress};
use crate::error::Error;

impl Follower {
    /// The next of it. False if there is more.
    pub(super) async fn tell_nodes(&mut self, news: &mut Vec<News>) -> Result<bool, Error> {
        while !self.tell_some_nodes(news).await? {
            if !news.is_empty() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// That an execution began is told before what the journal says of it and of those that began later. What made it begin is told
    /// by then.
    async fn tell_some_nodes(&mut self, news: &mut Vec<News>) -> Result<bool, Error> {
        let begun = self.ctx.store.graph_steps(self.run, None, self.place.steps, AT_ONCE).await?;
        let entries = self.ctx.store.graph_journal(self.run, self.place.journal, AT_ONCE).await?;
        let (all_begun, all_entries) = (begun.len() < AT_ONCE as usize, entries.len() < AT_ONCE as usize);
        let known = self.steps_of(&entries).await?;
        let mut begun = begun.into_iter().peekable();
        for GraphEntry { seq, position, happened } in entries {
            while let Some(step) = begun.next_if(|step| Some(step.position) <= position) {
                self.tell_begun(step, news);
            }
            // A run that resumes another has no steps of what failed there.
            let step = position.and_then(|position| known.get(&position));
            // It began after the others were read.
            if step.is_some_and(|step| step.position > self.place.steps) {
                return Ok(false);
            }
            self.place.journal = seq;
            news.extend(step.and_then(|step| told(step, happened)).map(|what| self.news(what)));
        }
        if !all_entries {
            return Ok(false);
        }
        begun.for_each(|step| self.tell_begun(step, news));
        Ok(all_begun)
    }

    fn tell_begun(&mut self, step: Step, news: &mut Vec<News>) {
        self.place.steps = step.position;
        let begun = NodeProgress::begun(self.seen(step));
        news.push(self.news(What::Node(Box::new(begun))));
    }

    async fn steps_of(&self, entries: &[GraphEntry]) -> Result<HashMap<u32, Step>, Error> {
        let positions: Vec<u32> = entries.iter().filter_map(|entry| entry.position).collect();
        let steps = self.ctx.store.graph_steps_at(self.run, &positions).await?.into_iter();
        Ok(steps.map(|step| (step.position, self.seen(step))).collect())
    }

    /// Nothing is shown of a Run that was not looked at.
    fn seen(&self, step: Step) -> Step {
        match &self.seen {
            Some(seen) => seen.step(step),
            None => Step { request: Value::Null, result: None, error: None, child: None, ..step },
        }
    }
}

fn told(step: &Step, happened: Happened) -> Option<What> {
    match happened {
        // What a caller may not see of an execution is not shown of its outputs.
        Happened::Emitted { .. } if step.request.get("input").is_none() => None,
        Happened::Emitted { pin, value, .. } => Some(What::Output(Box::new(NodeOutput {
            node: step.request["node"].as_str().unwrap_or_default().to_owned(),
            number: step.number,
            position: step.position,
            pin,
            value: Value::clone(&value),
        }))),
        Happened::Finished { .. } | Happened::Failed { .. } => {
            Some(What::Node(Box::new(NodeProgress::of(step.clone()))))
        }
        _ => None,
    }
}
