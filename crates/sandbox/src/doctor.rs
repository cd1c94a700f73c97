//! The doctor: which layers of the sandbox this machine offers, and what to do about those it does not.

use std::path::Path;
use std::process::Stdio;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::limits::Cgroups;
use crate::stage1::plan::PROBE_ARGUMENT;
use crate::stage1::probe::Finding;

/// One layer, as shown to people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Layer {
    pub name: String,
    pub available: bool,
    /// Without it jobs are refused unless a weaker sandbox is allowed.
    pub required: bool,
    pub why_not: Option<String>,
    pub what_to_do: Option<String>,
}

/// The layers that are put on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Layers {
    pub(crate) namespaces: bool,
    pub(crate) landlock: bool,
    pub(crate) seccomp: bool,
}

/// Asks a process that is thrown away, because trying a namespace means entering it.
pub(crate) async fn examine(stage1: &Path, cgroups: Result<&Cgroups, &str>) -> Result<Vec<Layer>, Error> {
    let failed = |why: String| Error::Probe { program: stage1.to_owned(), why };
    let output = tokio::process::Command::new(stage1)
        .arg(PROBE_ARGUMENT)
        .env_clear()
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|error| failed(error.to_string()))?;
    let findings: Vec<Finding> = serde_json::from_slice(&output.stdout).map_err(|error| {
        failed(format!("it does not act as stage 1 ({error}); its `main` must call `enter_if_asked` first"))
    })?;
    let mut layers: Vec<Layer> = findings.into_iter().map(from_finding).collect();
    layers.push(Layer {
        name: "cgroup v2".to_owned(),
        available: cgroups.is_ok(),
        required: false,
        why_not: cgroups.err().map(str::to_owned),
        what_to_do: cgroups.err().map(|_| {
            "memory and processes are limited by rlimits and watched from outside; for kernel-kept limits run under a \
             unit with `Delegate=memory pids`"
                .to_owned()
        }),
    });
    Ok(layers)
}

fn from_finding(finding: Finding) -> Layer {
    let what_to_do = finding.error.as_ref().map(|_| advice(&finding.what).to_owned());
    Layer {
        name: finding.what,
        available: finding.error.is_none(),
        required: true,
        why_not: finding.error,
        what_to_do,
    }
}

fn advice(what: &str) -> &'static str {
    match what {
        "landlock" => "use Linux 5.13 or newer and add `landlock` to the kernel's `lsm=` list",
        "seccomp" => "use a kernel with `CONFIG_SECCOMP_FILTER`",
        "pidfd" => "use Linux 5.12 or newer",
        _ => {
            "allow user namespaces: `sysctl user.max_user_namespaces=10000`, on Ubuntu also \
             `kernel.apparmor_restrict_unprivileged_userns=0`; in a container add `--security-opt seccomp=unconfined \
             --security-opt apparmor=unconfined` or run it with user namespaces"
        }
    }
}

impl Layers {
    /// All of them, or those that can be had if that is allowed.
    pub(crate) fn choose(found: &[Layer], allow_weaker: bool) -> Result<Layers, Error> {
        let missing: Vec<&Layer> = found.iter().filter(|layer| layer.required && !layer.available).collect();
        if !missing.is_empty() && !allow_weaker {
            return Err(Error::Weak {
                missing: missing.iter().map(|layer| layer.name.as_str()).collect::<Vec<_>>().join(", "),
                what_to_do: missing.iter().find_map(|layer| layer.what_to_do.clone()).unwrap_or_default(),
            });
        }
        let has = |name: &str| !missing.iter().any(|layer| layer.name.contains(name));
        Ok(Layers { namespaces: has("namespace"), landlock: has("landlock"), seccomp: has("seccomp") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer(name: &str, available: bool) -> Layer {
        from_finding(Finding { what: name.to_owned(), error: (!available).then(|| "no".to_owned()) })
    }

    #[test]
    fn a_missing_layer_is_refused_by_name_with_advice() {
        let error = Layers::choose(&[layer("landlock", false), layer("seccomp", true)], false).unwrap_err();
        assert_eq!(
            error.to_string(),
            "this machine does not support the whole sandbox: landlock; use Linux 5.13 or newer and add `landlock` to the \
             kernel's `lsm=` list, or run code you trust with `--allow-weaker-sandbox`"
        );
    }

    #[test]
    fn a_weaker_sandbox_leaves_out_only_what_is_missing() {
        let found = [layer("landlock", false), layer("seccomp", true), layer("user namespace", true)];
        let layers = Layers::choose(&found, true).unwrap();
        assert_eq!(layers, Layers { namespaces: true, landlock: false, seccomp: true });
    }
}
