//! What a cell is told about a job.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cell::Cell;
use crate::egress::proxy_variables;
use crate::error::Error;
use crate::job::{Closure, Job};
use crate::protocol::{FunctionFrame, JobFrame, ToCell, encode_frame};
use crate::stage1::plan::CERTIFICATES;

impl Cell {
    pub(super) fn job_frame(&mut self, job: &Job, proxy: Option<u16>) -> Result<Vec<u8>, Error> {
        let warm_key = job.isolation.key();
        // What it has loaded need not be told again.
        let is_loaded = warm_key.is_some() && warm_key == self.loaded.as_deref();
        let codes = if is_loaded { Vec::new() } else { self.zygote.codes.of(&job.closure) };
        self.uncompiled = places_without(&codes);
        let frame = JobFrame {
            functions: (!is_loaded).then(|| functions(&job.closure, &codes)),
            entry: job.closure.entry,
            input: &job.input,
            secrets: &job.secrets,
            verbs: &job.verbs,
            variables: proxy.into_iter().flat_map(|port| proxy_variables(port, CERTIFICATES)).collect(),
            limits: BTreeMap::from([
                ("RLIMIT_DATA", job.limits.memory_bytes.saturating_add(self.born_with)),
                ("RLIMIT_NPROC", u64::from(job.limits.processes)),
            ]),
            is_warm: warm_key.is_some(),
            anew: job.isolation.owner().is_some(),
        };
        encode_frame(&ToCell::Job(frame)).map_err(|error| Error::Job { why: error.to_string() })
    }
}

fn places_without(codes: &[Option<Arc<str>>]) -> Vec<usize> {
    codes.iter().enumerate().filter(|(_, code)| code.is_none()).map(|(place, _)| place).collect()
}

fn functions<'a>(closure: &'a Closure, codes: &'a [Option<Arc<str>>]) -> Vec<FunctionFrame<'a>> {
    let told = closure.functions.iter().zip(codes).map(|(function, code)| FunctionFrame {
        name: &function.name,
        file: &function.file,
        source: &function.source,
        lines_above: function.lines_above,
        code: code.as_deref(),
        dialect: function.dialect,
        dependencies: &function.dependencies,
        imports: &function.imports,
        secrets: &function.secrets,
    });
    told.collect()
}
