//! A service that functions ask: the test sees when they do, and answers when it wants to.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

pub(super) struct Service(TcpListener);

/// A function that waits for an answer.
pub(super) struct Asking {
    /// What it asks for.
    pub(super) path: String,
    /// The secret it sends.
    pub(super) key: String,
    stream: TcpStream,
}

impl Service {
    pub(super) fn open() -> Service {
        Service(TcpListener::bind("127.0.0.1:0").unwrap())
    }

    /// A function that asks it for `part`. It may be executed again, because asking twice does no harm.
    pub(super) fn function(&self) -> String {
        let address = self.0.local_addr().unwrap();
        format!(
            r#"import selfmade


@selfmade.function(network=["{address}"], secrets=["shared_key"], idempotent=True)
def ask_service(part: str) -> str:
    import urllib.request

    from selfmade import secrets

    request = urllib.request.Request(f"http://{address}/{{part}}", headers={{"X-Key": secrets.shared_key}})
    with urllib.request.urlopen(request) as answer:
        return answer.read().decode()
"#
        )
    }

    /// The next that asks.
    pub(super) fn asked(&self) -> Asking {
        let (stream, _) = self.0.accept().unwrap();
        let mut lines = BufReader::new(&stream).lines().map(Result::unwrap);
        let path = lines.next().unwrap().split(' ').nth(1).unwrap().rsplit('/').next().unwrap().to_owned();
        let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
        let key =
            head.iter().find_map(|line| line.to_ascii_lowercase().strip_prefix("x-key: ").map(str::to_owned));
        Asking { path, key: key.unwrap(), stream }
    }
}

impl Asking {
    pub(super) fn answer(mut self, text: &str) {
        let length = text.len();
        write!(self.stream, "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}")
            .unwrap();
    }

    /// Returns when whoever asked is gone.
    pub(super) fn wait_until_gone(mut self) {
        let mut rest = Vec::new();
        // Who is killed may leave a connection that is reset.
        self.stream.read_to_end(&mut rest).ok();
    }
}
