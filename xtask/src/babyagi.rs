//! BabyAGI from PyPI: its unpacked wheel for tests that read its packs, and an environment for benchmarks that run it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use crate::place::Place;
use crate::process;
use crate::python::Python;
use crate::system::{self, Package};
use crate::virtual_environment::VirtualEnvironment;

const VERSION: &str = "0.1.4";
/// For benchmarks that run it.
pub(crate) const ENVIRONMENT: VirtualEnvironment = VirtualEnvironment {
    title: "BabyAGI",
    name: "babyagi",
    version: VERSION,
    packages: &["babyagi==0.1.4"],
    megabytes: 650,
};
/// Of the wheel on PyPI. Our tests and numbers are about this very file.
const SHA256: &str = "1e77f602ef75ffe960641b63697c8854b2642ebdd9276dbf8a0f3ccc72797a33";

/// The folder with the unpacked wheel. Nothing of it is run.
pub(crate) fn wheel(place: &Place, python: &Python) -> Result<PathBuf> {
    let folder = place.cache().join(format!("babyagi-{VERSION}"));
    if folder.is_dir() {
        eprintln!("BabyAGI {VERSION} is in {}", folder.display());
        return Ok(folder);
    }
    let download = fresh(&place.cache().join("babyagi-download"))?;
    let pinned = download.join("requirements.txt");
    fs::write(&pinned, format!("babyagi=={VERSION} --hash=sha256:{SHA256}\n"))?;
    need_pip(python)?;
    let mut pip = python.command();
    pip.args(["-m", "pip", "download", "--no-deps", "--only-binary", ":all:", "--require-hashes"]);
    process::run(pip.arg("--requirement").arg(&pinned).arg("--dest").arg(&download))
        .with_context(|| format!("cannot download babyagi {VERSION} from PyPI"))?;
    let wheel = download.join(format!("babyagi-{VERSION}-py3-none-any.whl"));
    let unpacked = download.join("unpacked");
    process::run(python.command().args(["-m", "zipfile", "--extract"]).arg(&wheel).arg(&unpacked))?;
    ensure!(unpacked.join("babyagi").is_dir(), "the wheel of babyagi {VERSION} holds no package `babyagi`");
    // Renaming last means that a folder under the final name is always complete.
    fs::rename(&unpacked, &folder).with_context(|| format!("cannot create {}", folder.display()))?;
    fs::remove_dir_all(&download)?;
    Ok(folder)
}

/// Debian's Python comes without pip.
fn need_pip(python: &Python) -> Result<()> {
    if process::succeeds(python.command().args(["-m", "pip", "--version"])) {
        return Ok(());
    }
    system::install(&Package {
        title: "pip",
        apt: "python3-pip",
        dnf: "python3-pip",
        apk: "py3-pip",
        brew: "python",
    })
}

/// An empty folder, whatever an interrupted attempt left there.
fn fresh(folder: &Path) -> Result<PathBuf> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    Ok(folder.to_owned())
}
