//! Which interpreter and which `uv` are taken.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use selfmade_sandbox::environment::{Environments, Error};

use super::{Place, set};

/// A program that answers like an interpreter of that version.
fn old_python(place: &Place, version: &str) -> PathBuf {
    let answer = format!(
        "#!/bin/sh\necho '{{\"executable\": \"/x\", \"version\": {version}, \"implementation\": \"cpython\", \"abi\": \
         \"\", \"platform\": \"x\", \"prefix\": \"/x\", \"stdlib\": [], \"library\": \"\", \"venv\": false}}'\n"
    );
    let folder = place.cached("bin");
    fs::create_dir_all(&folder).unwrap();
    let program = folder.join("python3");
    fs::write(&program, answer).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

#[tokio::test]
async fn without_requirements_no_uv_is_needed() {
    let place = Place::without_uv();
    let bare = place.get(&[]).await.unwrap();
    assert!(bare.site_packages.is_empty() && bare.python.is_file());
    let error = place.get(&["six"]).await.unwrap_err();
    assert!(matches!(error, Error::Uv { .. }), "{error}");
    assert!(error.to_string().contains("`/nowhere/uv`"), "{error}");
}

#[tokio::test]
async fn an_old_python_that_was_named_is_refused() {
    let mut place = Place::without_uv();
    place.config.python = Some(old_python(&place, "[3, 9, 18]"));
    let error = Environments::open(place.config.clone()).await.err().expect("it should be refused");
    assert!(error.to_string().contains("is Python 3.9.18, but 3.10 or newer is needed"), "{error}");
}

#[tokio::test]
async fn where_only_an_old_python_is_found_the_error_says_what_to_install() {
    let mut place = Place::without_uv();
    place.config.path = old_python(&place, "[3, 9, 18]").parent().unwrap().into();
    let error = Environments::open(place.config.clone()).await.err().expect("there is none");
    assert!(error.to_string().contains("apt install python3"), "{error}");
    assert!(error.details().unwrap().contains("is Python 3.9.18"), "{error:?}");
}

#[tokio::test]
async fn a_better_python_later_on_the_path_is_found() {
    let mut place = Place::without_uv();
    let old = old_python(&place, "[3, 9, 18]");
    let mut folders = vec![old.parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&place.config.path));
    place.config.path = std::env::join_paths(folders).unwrap();
    assert!(place.open().await.interpreter().version >= [3, 10, 0]);
}

#[tokio::test]
async fn a_virtual_environment_stands_for_the_python_it_was_made_from() {
    let mut place = Place::without_uv();
    let python = place.open().await.interpreter().executable.clone();
    let venv = place.cached("venv");
    #[allow(clippy::disallowed_methods, reason = "makes what the test is about")]
    let made = Command::new(&python).args(["-m", "venv", "--without-pip"]).arg(&venv).status();
    assert!(made.unwrap().success());
    place.config.python = Some(venv.join("bin/python"));
    let found = place.open().await.interpreter().clone();
    assert!(found.venv);
    assert_eq!(found.executable, python);
}

#[tokio::test]
async fn offline_uv_is_not_fetched() {
    let mut place = Place::without_uv();
    place.config.uv = None;
    place.config.path = super::path_without_uv();
    place.config.offline = true;
    let error = place.open().await.get(&set(&["six"])).await.unwrap_err();
    assert!(error.to_string().contains("is not fetched while offline"), "{error}");
}

fn pinned_version() -> &'static str {
    let pinned = include_str!("../../../src/environment/uv.txt");
    pinned.split_once("\nuv==").unwrap().1.split(' ').next().unwrap()
}

#[tokio::test]
async fn the_private_uv_is_the_exact_version_we_know() {
    super::uv().await;
    let version = pinned_version();
    #[allow(clippy::disallowed_methods, reason = "asks the program the test is about")]
    let told = Command::new(super::shared_cache().join("tool").join(version).join("bin/uv"))
        .arg("--version")
        .output();
    let told = String::from_utf8(told.unwrap().stdout).unwrap();
    assert_eq!(told.split_whitespace().nth(1), Some(version), "{told}");
}

/// An index that offers something else under the name of `uv`.
fn forged_index(version: &str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let page = format!("<a href=\"/uv-{version}-py3-none-any.whl\">uv-{version}-py3-none-any.whl</a>");
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            head.read_line(&mut line).unwrap();
            let wheel = line.contains(".whl");
            while line.trim_end() != "" {
                line.clear();
                head.read_line(&mut line).unwrap();
            }
            let (kind, body) =
                if wheel { ("application/octet-stream", "evil") } else { ("text/html", &*page) };
            let size = body.len();
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: {kind}\r\nContent-Length: {size}\r\n\r\n{body}")
                .unwrap();
        }
    });
    format!("http://{address}/simple/")
}

#[tokio::test]
async fn a_uv_that_is_not_the_one_we_know_is_not_installed() {
    let mut place = Place::without_uv();
    place.config.uv = None;
    place.config.path = super::path_without_uv();
    let version = pinned_version();
    place.config.index = Some(forged_index(version));
    place.config.variables.insert("NO_PROXY".to_owned(), "127.0.0.1".to_owned());
    let error = place.open().await.get(&set(&["six"])).await.unwrap_err();
    assert!(error.to_string().contains("does not have the expected hash"), "{error} {:?}", error.details());
    assert!(!place.cached("tool").join(version).exists());
}
