//! The machine's own packages: installs one when that can be done without asking, else says what to install.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::process;

/// One thing under the names that the package managers have for it.
pub(crate) struct Package {
    pub(crate) title: &'static str,
    pub(crate) apt: &'static str,
    pub(crate) dnf: &'static str,
    pub(crate) apk: &'static str,
    pub(crate) brew: &'static str,
}

struct Manager {
    program: &'static str,
    /// Homebrew refuses root; the others need it.
    needs_root: bool,
    /// The commands that install a package, the package's name left out at the end of the last.
    commands: &'static [&'static [&'static str]],
    name: fn(&Package) -> &'static str,
}

const MANAGERS: [Manager; 4] = [
    Manager {
        program: "apt-get",
        needs_root: true,
        commands: &[
            &["apt-get", "update"],
            &["env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends"],
        ],
        name: |package| package.apt,
    },
    Manager {
        program: "dnf",
        needs_root: true,
        commands: &[&["dnf", "install", "-y"]],
        name: |package| package.dnf,
    },
    Manager {
        program: "apk",
        needs_root: true,
        commands: &[&["apk", "add", "--no-cache"]],
        name: |package| package.apk,
    },
    Manager {
        program: "brew",
        needs_root: false,
        commands: &[&["brew", "install"]],
        name: |package| package.brew,
    },
];

pub(crate) fn install(package: &Package) -> Result<()> {
    let title = package.title;
    let Some(manager) = MANAGERS.iter().find(|manager| process::on_path(manager.program).is_some()) else {
        bail!(
            "{title} is missing, and this machine has no package manager that xtask knows; install {title} by hand"
        );
    };
    let by_hand = manager.by_hand(package);
    let prefix: &[&str] = match (manager.needs_root, user_id()? == 0) {
        (true, true) | (false, false) => &[],
        (true, false) if process::succeeds(Command::new("sudo").args(["-n", "true"])) => &["sudo", "-n"],
        _ => bail!("{title} is missing, and xtask may not install it here; run `{by_hand}`"),
    };
    eprintln!("{title} is missing; installing it with {}", manager.program);
    for words in manager.lines(package) {
        let words = [prefix, &words].concat();
        process::run(Command::new(words[0]).args(&words[1..]))
            .with_context(|| format!("cannot install {title}; run `{by_hand}`"))?;
    }
    Ok(())
}

pub(crate) fn user_id() -> Result<u32> {
    let id = process::read(Command::new("id").arg("-u"))?;
    id.parse().with_context(|| format!("`id -u` said `{id}`"))
}

impl Manager {
    fn lines(&self, package: &Package) -> Vec<Vec<&'static str>> {
        let mut lines: Vec<Vec<&str>> = self.commands.iter().map(|words| words.to_vec()).collect();
        lines.last_mut().into_iter().for_each(|last| last.push((self.name)(package)));
        lines
    }

    /// What a person would type.
    fn by_hand(&self, package: &Package) -> String {
        let sudo = if self.needs_root { "sudo " } else { "" };
        let lines = self.lines(package).into_iter().map(|words| format!("{sudo}{}", words.join(" ")));
        lines.collect::<Vec<_>>().join(" && ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKAGE: Package = Package { title: "X", apt: "x-apt", dnf: "x-dnf", apk: "x-apk", brew: "x-brew" };

    fn by_hand(program: &str) -> String {
        MANAGERS.iter().find(|manager| manager.program == program).unwrap().by_hand(&PACKAGE)
    }

    #[test]
    fn what_to_do_by_hand_is_a_line_to_paste() {
        assert_eq!(by_hand("dnf"), "sudo dnf install -y x-dnf");
        assert_eq!(by_hand("brew"), "brew install x-brew");
        assert!(by_hand("apt-get").starts_with("sudo apt-get update && sudo env "));
        assert!(by_hand("apt-get").ends_with(" x-apt"));
    }
}
