//! `files`: a folder of the Run's own, outside the cell, for what is passed on or looked at afterwards.

use std::path::PathBuf;

use model::run::host_verb::HostVerb;
use sandbox::Value;
use serde_json::{Value as Json, json};

use super::{Host, Refusal, Reply, VerbArguments};
use crate::blocking::blocking;

const MAX_FILES: usize = 1_000;
const MAX_BYTES: usize = 16 << 20;

pub(super) async fn execute(host: &Host<'_>, verb: HostVerb, mut given: VerbArguments) -> Reply {
    let folder = host.ctx.run_folder(host.run.run_id);
    if verb == HostVerb::FilesList {
        return blocking(move || Ok(json!(list(&folder)))).await;
    }
    let path = folder.join(name(host, &mut given)?);
    match verb {
        HostVerb::FilesWrite => {
            let content = match given.take("content") {
                Some(Value::Str(text)) => text.into_bytes(),
                Some(Value::Bytes(bytes)) => bytes,
                _ => Vec::new(),
            };
            let content = host.redaction.bytes(content);
            blocking(move || write(&folder, &path, &content)).await
        }
        HostVerb::FilesRemove => {
            blocking(move || std::fs::remove_file(path).map(|()| Json::Null).map_err(|error| failed(&error)))
                .await
        }
        _ => blocking(move || read(&path)).await,
    }
}

/// One plain name: no folders, nothing hidden, so nothing outside can be meant.
fn name(host: &Host<'_>, given: &mut VerbArguments) -> Result<String, Refusal> {
    let name = given.open_text("name", host)?;
    let is_plain = |c: char| c.is_alphanumeric() || " ._-+@()".contains(c);
    if name.is_empty() || name.len() > 200 || name.starts_with('.') || !name.chars().all(is_plain) {
        let text = format!(
            "`name` of `{}` is not the name of a file here; use a plain name without folders",
            given.verb.name()
        );
        return Err(Refusal::Refused(text));
    }
    Ok(name)
}

fn write(folder: &PathBuf, path: &PathBuf, content: &[u8]) -> Reply {
    if content.len() > MAX_BYTES {
        let text = format!("a file may have at most {MAX_BYTES} bytes, not {}", content.len());
        return Err(Refusal::Refused(text));
    }
    if !path.exists() && list(folder).len() >= MAX_FILES {
        return Err(Refusal::Refused(format!("a run may have at most {MAX_FILES} files")));
    }
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(path, content))
        .map_err(|error| failed(&error))?;
    Ok(Json::Null)
}

/// Text where it is text.
fn read(path: &PathBuf) -> Reply {
    let bytes = std::fs::read(path).map_err(|error| failed(&error))?;
    Ok(match String::from_utf8(bytes) {
        Ok(text) => Json::String(text),
        Err(error) => Value::Bytes(error.into_bytes()).to_json(),
    })
}

fn list(folder: &PathBuf) -> Vec<String> {
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = files.map(|file| file.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn failed(error: &std::io::Error) -> Refusal {
    match error.kind() {
        std::io::ErrorKind::NotFound => Refusal::Failed("there is no such file".to_owned()),
        _ => Refusal::Failed(error.to_string()),
    }
}
