//! Whether a Function gives the same whenever it gets the same. Only what is certain counts.

use super::FunctionContent;
use crate::access::grants::{Grants, Limits};
use crate::python::analyse;

/// Modules of the standard library by which code sees the time, chance, or the world around it.
const WORLDLY: [&str; 24] = [
    "asyncio",
    "concurrent",
    "ctypes",
    "datetime",
    "gc",
    "getpass",
    "glob",
    "http",
    "io",
    "multiprocessing",
    "os",
    "pathlib",
    "platform",
    "random",
    "secrets",
    "shutil",
    "socket",
    "subprocess",
    "sys",
    "tempfile",
    "threading",
    "time",
    "urllib",
    "uuid",
];

impl FunctionContent {
    /// It holds no grants, asks the server for nothing, and imports nothing by which it could see what is not its input. What it
    /// calls is another matter.
    pub fn is_pure(&self) -> bool {
        let grants = Grants { limits: Limits::default(), ..self.grants.clone() };
        let Ok(analysis) = analyse(&self.source) else { return false };
        let is_worldly = |module: &str| WORLDLY.contains(&module.split('.').next().unwrap_or(module));
        grants == Grants::default()
            && self.requirements.is_empty()
            && self.imports.is_empty()
            && analysis.verbs.is_empty()
            && !analysis.imports.iter().any(|import| is_worldly(&import.module))
            && !["open(", "id(", "hash(", "input("].iter().any(|call| self.source.contains(call))
    }
}

#[cfg(test)]
mod tests {
    use crate::function::FunctionDraft;

    fn is_pure(body: &str) -> bool {
        let draft = FunctionDraft::of_source(format!("def f(a):\n    {body}\n"));
        draft.assemble(None, &|_| None).unwrap().content.is_pure()
    }

    #[test]
    fn what_sees_only_its_input_is_pure() {
        assert!(is_pure("import json, re\n    return json.dumps(a)"));
        for body in [
            "import time\n    return time.time()",
            "from os import path\n    return path.exists(a)",
            "import selfmade\n    return selfmade.now()",
            "import numpy\n    return numpy.array(a)",
            "return open(a).read()",
        ] {
            assert!(!is_pure(body), "{body}");
        }
    }
}
