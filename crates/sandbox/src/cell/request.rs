//! What a cell is told about a job.

use std::collections::BTreeMap;

use crate::cell::Cell;
use crate::egress::proxy_variables;
use crate::error::Error;
use crate::job::{Isolation, Job};
use crate::protocol::{FunctionFrame, JobFrame, ToCell, encode_frame};
use crate::stage1::plan::CERTIFICATES;

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
            variables: proxy.into_iter().flat_map(|port| proxy_variables(port, CERTIFICATES)).collect(),
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
