//! BabyAGI from PyPI: its unpacked wheel for tests that read its packs, its examples for those that run them, and an
//! environment for benchmarks that run BabyAGI itself.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::paths::Paths;
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
/// For its examples, one of which is an application of Flask's; and a pip that fetches the archive they are in.
const EXAMPLES_ENVIRONMENT: VirtualEnvironment = VirtualEnvironment {
    title: "what BabyAGI's examples need",
    name: "babyagi-examples",
    version: "1",
    packages: &["flask==3.1.3", "pip==24.3.1"],
    megabytes: 30,
};
/// Of the archive with its sources on PyPI.
const SOURCES_SHA256: &str = "49e7f757c57afb248a82cf2c1648264b373b22b2002b1ccf75db12dcc9490a45";
/// Of the wheel on PyPI. Our tests and numbers are about this very file.
const SHA256: &str = "1e77f602ef75ffe960641b63697c8854b2642ebdd9276dbf8a0f3ccc72797a33";

/// The folder with the unpacked wheel. Nothing of it is run.
pub(crate) fn wheel(paths: &Paths, python: &Python) -> Result<PathBuf> {
    let folder = paths.cache().join(format!("babyagi-{VERSION}"));
    if folder.is_dir() {
        eprintln!("BabyAGI {VERSION} is in {}", folder.display());
        return Ok(folder);
    }
    let download = fresh(&paths.cache().join("babyagi-download"))?;
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

/// What the tests of the drop-in need: a Python, and the folder of the wheel with the examples in it.
pub(crate) struct Examples {
    pub(crate) python: PathBuf,
    pub(crate) folder: PathBuf,
}

/// The wheel has no examples; the archive with the sources has. To fetch it pip asks its set-up for its name.
pub(crate) fn examples(paths: &Paths) -> Result<Examples> {
    let found = Python::find()?;
    let folder = wheel(paths, &found)?;
    let python = EXAMPLES_ENVIRONMENT.find_or_install(paths, &found)?;
    let examples = folder.join("examples");
    if examples.is_dir() {
        return Ok(Examples { python, folder });
    }
    let download = fresh(&paths.cache().join("babyagi-sources"))?;
    let pinned = download.join("requirements.txt");
    fs::write(&pinned, format!("babyagi=={VERSION} --hash=sha256:{SOURCES_SHA256}\n"))?;
    let mut pip = Command::new(&python);
    // The archive calls itself by another version inside, which only the older resolver forgives.
    pip.args([
        "-m",
        "pip",
        "download",
        "--use-deprecated=legacy-resolver",
        "--no-deps",
        "--no-binary",
        ":all:",
    ]);
    pip.arg("--require-hashes").arg("--requirement").arg(&pinned).arg("--dest").arg(&download);
    process::run(&mut pip).with_context(|| format!("cannot download the sources of babyagi {VERSION}"))?;
    let archive = download.join(format!("babyagi-{VERSION}.tar.gz"));
    process::run(Command::new(&python).args(["-m", "tarfile", "--extract"]).arg(&archive).arg(&download))?;
    fs::rename(download.join(format!("babyagi-{VERSION}/examples")), &examples)
        .with_context(|| format!("cannot create {}", examples.display()))?;
    fs::remove_dir_all(&download)?;
    Ok(Examples { python, folder })
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
