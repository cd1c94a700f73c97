//! What attacks are told about and must not reach, all of it real and open to everybody on this machine: files and sockets
//! of the supervisor, where it listens, its process, its program, a variable of its environment.

use std::fs;
use std::io::ErrorKind;
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::PathBuf;

use serde_json::json;

use super::neighbour::Neighbour;

const CONTENT: &str = "the server's own";

pub(super) struct Outside {
    _folder: tempfile::TempDir,
    files: Vec<PathBuf>,
    socket: PathBuf,
    by_path: UnixListener,
    abstract_name: String,
    by_name: UnixListener,
    tcp: TcpListener,
    udp: UdpSocket,
    program: PathBuf,
    variable: String,
}

impl Outside {
    pub(super) fn new() -> Outside {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        let files = ["notes", "brain.db", "secrets.key"].map(|name| folder.path().join(name));
        for file in &files {
            fs::write(file, CONTENT).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o666)).unwrap();
        }
        let socket = folder.path().join("socket");
        let by_path = UnixListener::bind(&socket).unwrap();
        fs::set_permissions(&socket, fs::Permissions::from_mode(0o777)).unwrap();
        let abstract_name = format!("{}/socket", folder.path().display());
        let address = SocketAddr::from_abstract_name(&abstract_name).unwrap();
        let by_name = UnixListener::bind_addr(&address).unwrap();
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind(tcp.local_addr().unwrap()).unwrap();
        by_path.set_nonblocking(true).unwrap();
        by_name.set_nonblocking(true).unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        Outside {
            files: files.into(),
            socket,
            by_path,
            abstract_name,
            by_name,
            tcp,
            udp,
            program: std::env::current_exe().unwrap(),
            variable: variable(),
            _folder: folder,
        }
    }

    /// The input of an attack.
    pub(super) fn told(&self, neighbour: &Neighbour) -> serde_json::Value {
        json!({ "outside": {
            "file": self.files[0],
            "files": self.files,
            "socket": self.socket,
            "abstract": self.abstract_name,
            "port": self.tcp.local_addr().unwrap().port(),
            "pid": std::process::id(),
            "program": self.program,
            "variable": self.variable,
            "neighbour": neighbour.told(),
        } })
    }

    /// Nobody called and nothing was written.
    pub(super) fn is_untouched(&self) -> Result<(), String> {
        let nobody = |error: std::io::Error| error.kind() == ErrorKind::WouldBlock;
        if !self.by_path.accept().is_err_and(nobody) || !self.by_name.accept().is_err_and(nobody) {
            return Err("somebody called at a local socket".to_owned());
        }
        if !self.tcp.accept().is_err_and(nobody) || !self.udp.recv(&mut [0]).is_err_and(nobody) {
            return Err("somebody called at a port".to_owned());
        }
        match self.files.iter().find(|file| fs::read_to_string(file).is_ok_and(|text| text != CONTENT)) {
            Some(file) => Err(format!("`{}` was written", file.display())),
            None => Ok(()),
        }
    }
}

/// One variable of our own environment, as the kernel keeps it.
fn variable() -> String {
    let all = fs::read("/proc/self/environ").unwrap();
    let path = all.split(|byte| *byte == 0).find(|one| one.starts_with(b"PATH=")).unwrap();
    String::from_utf8_lossy(path).into_owned()
}
