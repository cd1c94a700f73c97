//! Which modules an installed package provides, read from the list of its files. Nothing is imported.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::environment::requirements::normalized;

/// Names that packages put beside their modules by mistake, and that nobody imports.
const NOT_MODULES: [&str; 6] = ["test", "tests", "doc", "docs", "example", "examples"];

/// By the name of the package.
pub(super) fn modules(packages: &Path) -> BTreeMap<String, Vec<String>> {
    let folders = fs::read_dir(packages).into_iter().flatten().flatten().map(|entry| entry.path());
    folders
        .filter(|folder| folder.extension().is_some_and(|kind| kind == "dist-info"))
        .filter_map(|folder| {
            let metadata = fs::read_to_string(folder.join("METADATA")).ok()?;
            let name = metadata.lines().find_map(|line| line.strip_prefix("Name:"))?.trim();
            let record = fs::read_to_string(folder.join("RECORD")).ok()?;
            Some((normalized(name), provided(&record)))
        })
        .collect()
}

fn provided(record: &str) -> Vec<String> {
    let files = record.lines().filter_map(|line| line.split(',').next());
    let mut modules: Vec<String> = files.filter_map(module).map(str::to_owned).collect();
    modules.sort();
    modules.dedup();
    modules
}

/// The module of that name that this file is, if it is one at the top.
fn module(file: &str) -> Option<&str> {
    let name = match file.split_once('/') {
        Some((folder, "__init__.py")) => folder,
        Some(_) => return None,
        None if file.ends_with(".so") => file.split('.').next()?,
        None => file.strip_suffix(".py")?,
    };
    let word = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.starts_with(|c: char| c.is_ascii_alphabetic());
    (word && !NOT_MODULES.contains(&name)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::provided;

    #[test]
    fn modules_are_read_from_the_list_of_files() {
        let record = "six.py,sha256=x,1\nsix-1.dist-info/RECORD,,\nattr/__init__.py,sha256=y,2\nattr/_make.py,,\n\
                      native.cpython-311-x86_64-linux-gnu.so,,\n_private.py,,\ntests/__init__.py,,\nbin/tool,,\n\
                      ../../bin/x,,\ngoogle/cloud/__init__.py,,\n";
        assert_eq!(provided(record), ["attr", "native", "six"]);
    }
}
