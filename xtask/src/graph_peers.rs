//! Libraries from PyPI that graphs are compared with, for benchmarks.

use crate::virtual_environment::VirtualEnvironment;

pub(crate) const LANGGRAPH: VirtualEnvironment = VirtualEnvironment {
    title: "LangGraph",
    name: "langgraph",
    version: "1.2.22",
    packages: &["langgraph==1.2.22", "langgraph-checkpoint-sqlite==3.1.2"],
    megabytes: 100,
};

pub(crate) const PREFECT: VirtualEnvironment = VirtualEnvironment {
    title: "Prefect",
    name: "prefect",
    version: "3.8.8",
    // Its server does not start with later versions of FastAPI.
    packages: &["prefect==3.8.8", "fastapi==0.139.0"],
    megabytes: 255,
};
