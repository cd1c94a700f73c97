"""Services on this machine that the packs talk to in tests: HTTP, HTTPS and SMTP over TLS.

The certificate is for `localhost`, of an authority that exists for these tests alone and whose key was thrown
away.
"""

import base64
import http.server
import json
import pathlib
import socket
import ssl
import threading
import urllib.parse

CERTIFICATES = pathlib.Path(__file__).parent / "certificates"


class Handler(http.server.BaseHTTPRequestHandler):
    """Echoes requests, and answers some paths in the ways that clients have to cope with."""

    def do_GET(self):
        path = urllib.parse.urlsplit(self.path).path
        asked = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        heard = self.server.heard
        heard.append(self.path)
        page = int(asked.get("page", 1))
        if path == "/flaky" and heard.count(self.path) < 3:
            self.answer(503, "not yet", {"Retry-After": "0"})
        elif path == "/moved":
            self.answer(302, "", {"Location": asked["to"]})
        elif path == "/counted":
            self.answer(200, [page * 10, page * 10 + 1] if page < 3 else [])
        elif path == "/linked":
            following = {"Link": f'</linked?page={page + 1}>; rel="next"'} if page < 3 else {}
            self.answer(200, {"items": [page]}, following)
        elif path == "/latin":
            self.answer(200, "Grüße".encode("latin-1"), {"Content-Type": "text/plain; charset=latin-1"})
        elif path == "/bytes":
            self.answer(200, b"\x89PNG\x00\xff", {"Content-Type": "image/png"})
        elif path == "/long":
            self.answer(200, "x" * 2000)
        else:
            self.answer(200, {"path": self.path, "authorization": self.headers.get("Authorization")})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.heard.append((self.path, headers, body))
        if self.path == "/busy" and len(self.server.heard) < 2:
            self.answer(429, "too many", {"Retry-After": "0"})
        elif self.path == "/broken":
            self.answer(500, "it broke")
        else:
            self.answer(200, "ok")

    def answer(self, status, content, headers=None):
        if not isinstance(content, (str, bytes)):
            content = json.dumps(content)
        content = content.encode() if isinstance(content, str) else content
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Tests say what went wrong themselves."""


class Web:
    """An HTTP server; `heard` is what it was asked."""

    def __init__(self, tls=False):
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.heard = self.heard = []
        if tls:
            self.server.socket = tls_server().wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class Mail:
    """An SMTP server that takes one mail; `mail` is what came, `login` who sent it."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.login = self.mail = None
        self.recipients = []
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    def serve(self):
        raw, _ = self.listener.accept()
        with tls_server().wrap_socket(raw, server_side=True) as client, client.makefile("rwb") as lines:

            def say(text):
                lines.write(text.encode() + b"\r\n")
                lines.flush()

            say("220 localhost")
            while line := lines.readline().decode().strip():
                word = line.split()[0].upper()
                if word == "EHLO":
                    say("250-localhost\r\n250 AUTH PLAIN")
                elif word == "AUTH":
                    self.login = base64.b64decode(line.split()[2]).decode().split("\0")[1:]
                    say("235 in")
                elif word == "DATA":
                    say("354 go on")
                    self.mail = b"".join(iter(lines.readline, b".\r\n")).decode()
                    say("250 taken")
                elif word == "QUIT":
                    say("221 bye")
                else:
                    self.recipients += [line] if word == "RCPT" else []
                    say("250 fine")

    def close(self):
        self.listener.close()


def tls_server():
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATES / "localhost.pem")
    return context
