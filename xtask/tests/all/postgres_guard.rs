//! The guard's promise: a server while the pipe is open, and no trace of it afterwards.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::{fs, io};

struct Guard {
    process: Child,
    address: String,
}

impl Guard {
    fn start() -> Guard {
        // In a process group of its own, as xtask starts it, the guard outlives a test that is killed.
        let mut process = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg("postgres-guard")
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut url = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(!url.is_empty(), "PostgreSQL did not start: `cargo xtask test` installs it");
        let address = url.trim_end().strip_prefix("postgres://postgres@").unwrap();
        Guard { address: address.strip_suffix("/postgres").unwrap().to_owned(), process }
    }

    fn connect(&self) -> io::Result<TcpStream> {
        TcpStream::connect(&self.address)
    }

    /// The server's folder, known by the socket in it, whose name ends in the port.
    fn folder(&self) -> PathBuf {
        let port = self.address.rsplit(':').next().unwrap();
        let mut folders = fs::read_dir("/tmp").unwrap().flatten().map(|entry| entry.path());
        folders.find(|folder| folder.join(format!(".s.PGSQL.{port}")).exists()).unwrap()
    }
}

#[test]
fn the_server_and_its_folder_are_gone_once_the_pipe_closes() {
    let mut guard = Guard::start();
    assert!(guard.connect().is_ok());
    let folder = guard.folder();

    drop(guard.process.stdin.take());

    assert!(guard.process.wait().unwrap().success());
    assert!(guard.connect().is_err());
    assert!(!folder.exists());
}

#[test]
fn two_servers_do_not_get_in_each_others_way() {
    let mut first = Guard::start();
    let mut second = Guard::start();
    assert_ne!(first.address, second.address);

    drop(first.process.stdin.take());
    assert!(first.process.wait().unwrap().success());

    assert!(second.connect().is_ok());
    drop(second.process.stdin.take());
    assert!(second.process.wait().unwrap().success());
}
