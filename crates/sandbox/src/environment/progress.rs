//! What is told while an environment is made. Which package is at work is known as far as `uv` says it.

#[derive(Clone, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// Someone else makes the same environment.
    Waiting,
    /// `uv` is installed into the cache, once.
    InstallingUv,
    Resolving,
    Resolved {
        packages: usize,
    },
    /// Told of large packages only, with the size as `uv` writes it.
    Downloading {
        package: String,
        size: String,
    },
    Downloaded {
        package: String,
    },
    Building {
        package: String,
    },
    Built {
        package: String,
    },
    /// All packages are in the cache.
    Prepared {
        packages: usize,
    },
    Linked {
        packages: usize,
    },
}

/// What a line that `uv` wrote says.
pub(super) fn read(line: &str) -> Option<Progress> {
    let mut words = line.split_whitespace();
    let verb = words.next()?;
    let object = words.next()?;
    let count = || object.parse().ok();
    let package = || object.split("==").next().unwrap_or(object).to_owned();
    match verb {
        "Resolved" => count().map(|packages| Progress::Resolved { packages }),
        "Prepared" => count().map(|packages| Progress::Prepared { packages }),
        "Installed" => count().map(|packages| Progress::Linked { packages }),
        "Downloading" => {
            let size = words.next().unwrap_or_default().trim_matches(['(', ')']).to_owned();
            Some(Progress::Downloading { package: package(), size })
        }
        "Downloaded" => Some(Progress::Downloaded { package: package() }),
        "Building" => Some(Progress::Building { package: package() }),
        "Built" => Some(Progress::Built { package: package() }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, read};

    #[test]
    fn lines_of_uv_become_progress() {
        assert_eq!(read("Resolved 3 packages in 151ms"), Some(Progress::Resolved { packages: 3 }));
        assert_eq!(read("Installed 1 package in 98ms"), Some(Progress::Linked { packages: 1 }));
        let downloading = Progress::Downloading { package: "numpy".into(), size: "16.1MiB".into() };
        assert_eq!(read("Downloading numpy (16.1MiB)"), Some(downloading));
        assert_eq!(read("   Building foo==1.0"), Some(Progress::Building { package: "foo".into() }));
        assert_eq!(read("Using CPython 3.11.2 interpreter at: /usr/bin/python3"), None);
    }
}
