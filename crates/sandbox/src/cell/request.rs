//! What a cell is told about a job.

use std::collections::BTreeMap;

use crate::cell::Cell;
use crate::error::Error;
use crate::job::{Isolation, Job};
use crate::protocol::{FunctionFrame, JobFrame, ToCell, encode_frame};

impl Cell {
    pub(super) fn job_frame(&self, job: &Job, proxy: Option<u16>) -> Result<Vec<u8>, Error> {
        let functions = job
            .closure
            .functions
            .iter()
            .map(|function| FunctionFrame {
                name: &function.name,
                file: &function.file,
                source: &function.source,
                dialect: function.dialect,
                dependencies: &function.dependencies,
                imports: &function.imports,
                secrets: &function.secrets,
            })
            .collect();
        let frame = JobFrame {
            functions,
            entry: job.closure.entry,
            input: &job.input,
            secrets: &job.secrets,
            verbs: &job.verbs,
            variables: variables(proxy),
            limits: BTreeMap::from([
                ("RLIMIT_DATA", job.limits.memory_bytes.saturating_add(self.born_with)),
                ("RLIMIT_NPROC", u64::from(job.limits.processes)),
            ]),
            warm_key: match &job.isolation {
                Isolation::Fresh => None,
                Isolation::Warm { key } => Some(key),
            },
        };
        encode_frame(&ToCell::Job(frame)).map_err(|error| Error::Job { why: error.to_string() })
    }
}

/// Where the cell's programs find the proxy. Both spellings are in use.
fn variables(proxy: Option<u16>) -> BTreeMap<&'static str, String> {
    let Some(port) = proxy else { return BTreeMap::new() };
    ["HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"]
        .into_iter()
        .map(|name| (name, format!("http://127.0.0.1:{port}")))
        .collect()
}
