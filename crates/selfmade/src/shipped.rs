//! The Packs that come with the program, so that they can be loaded by name wherever it is installed.

use std::path::Path;

use server::app::packs::TextFile;

pub(crate) struct Shipped {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    files: &'static [(&'static str, &'static str)],
}

/// A file of the folder `packs`, by its path there.
macro_rules! file {
    ($path:literal) => {
        ($path, include_str!(concat!("../../../packs/", $path)))
    };
}

/// In the order in which someone new meets them.
pub(crate) const PACKS: [Shipped; 8] = [
    Shipped {
        name: "core",
        description: "Functions about functions: find, read, describe, call, compare, check and propose them.",
        files: &[
            file!("core/calling.py"),
            file!("core/changing.py"),
            file!("core/reading.py"),
            file!("core/reviewing.py"),
            file!("core/telling.py"),
        ],
    },
    Shipped { name: "text", description: "Everyday work on text.", files: &[file!("text.py")] },
    Shipped {
        name: "data",
        description: "Tables and records: CSV, JSON, SQL, statistics, grouping, joining, dates, validation.",
        files: &[
            file!("data/queries.py"),
            file!("data/records.py"),
            file!("data/series.py"),
            file!("data/tables.py"),
            file!("data/texts.py"),
        ],
    },
    Shipped {
        name: "os",
        description: "Files of the run, archives, hashes, paths, time and durations.",
        files: &[
            file!("os/archives.py"),
            file!("os/bytes.py"),
            file!("os/folder.py"),
            file!("os/names.py"),
            file!("os/times.py"),
        ],
    },
    Shipped {
        name: "web",
        description: "Requests, pages, feeds, JSON APIs, robots, addresses, search.",
        files: &[
            file!("web/addresses.py"),
            file!("web/apis.py"),
            file!("web/feeds.py"),
            file!("web/fetching.py"),
            file!("web/pages.py"),
            file!("web/search.py"),
        ],
    },
    Shipped {
        name: "notify",
        description: "Chat, push, mail, issues and signed webhooks.",
        files: &[
            file!("notify/chat.py"),
            file!("notify/mail.py"),
            file!("notify/messages.py"),
            file!("notify/push.py"),
            file!("notify/webhooks.py"),
        ],
    },
    Shipped {
        name: "blocks",
        description: "Blocks for graphs: values, lists, texts, times, language models, services.",
        files: &[
            file!("blocks/choosing.py"),
            file!("blocks/discord.py"),
            file!("blocks/installing.py"),
            file!("blocks/lists.py"),
            file!("blocks/models.py"),
            file!("blocks/publishing.py"),
            file!("blocks/pursuing.py"),
            file!("blocks/reading.py"),
            file!("blocks/reddit.py"),
            file!("blocks/requests.py"),
            file!("blocks/storage.py"),
            file!("blocks/texts.py"),
            file!("blocks/times.py"),
            file!("blocks/values.py"),
        ],
    },
    Shipped {
        name: "agent",
        description: "The agent: build, do, chat, improve, tidy, and every part of the loop.",
        files: &[
            file!("agent/asking.py"),
            file!("agent/building.py"),
            file!("agent/examples.py"),
            file!("agent/finding.py"),
            file!("agent/growing.py"),
            file!("agent/guidance.py"),
            file!("agent/judging.py"),
            file!("agent/learning.py"),
            file!("agent/planning.py"),
            file!("agent/talking.py"),
            file!("agent/writing.py"),
        ],
    },
];

/// The one of this name. A folder that happens to be called so is meant by `./NAME`.
pub(crate) fn named(path: &Path) -> Option<&'static Shipped> {
    let name = path.to_str()?;
    PACKS.iter().find(|pack| pack.name == name)
}

/// All names, for someone who has to choose one.
pub(crate) fn names() -> String {
    PACKS.map(|pack| format!("`{}`", pack.name)).join(", ")
}

impl Shipped {
    pub(crate) fn files(&self) -> Vec<TextFile> {
        let file = |(path, text): &(&str, &str)| TextFile {
            path: (*path).to_owned(),
            bytes: text.as_bytes().to_vec(),
        };
        self.files.iter().map(file).collect()
    }

    /// Where its functions are told to come from.
    pub(crate) fn origin() -> String {
        "shipped with selfmade".to_owned()
    }

    pub(crate) fn functions(&self) -> usize {
        let read =
            |(_, text): &(&str, &str)| model::python::read_pack(text).map_or(0, |file| file.functions.len());
        self.files.iter().map(read).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_shipped() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packs");
        let present = crate::files::read_folder(&folder, &[".py"]).unwrap();
        let mut present: Vec<String> = present.into_iter().map(|file| file.path).collect();
        present.retain(|path| !path.starts_with("tests/"));
        let mut shipped: Vec<&str> =
            PACKS.iter().flat_map(|pack| pack.files).map(|(path, _)| *path).collect();
        present.sort_unstable();
        shipped.sort_unstable();
        assert_eq!(shipped, present);
        for pack in &PACKS {
            assert!(pack.functions() >= 10, "`{}` has {} functions", pack.name, pack.functions());
        }
    }
}
