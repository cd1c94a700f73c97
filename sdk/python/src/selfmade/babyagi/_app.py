"""An application with pages of its own and BabyAGI's routes, without Flask; and these routes for one of Flask's.

Both are WSGI: what is below `/api` is passed to the server, with the token of whoever asks and no other, and the
dashboard's route leads to the server's own pages. So nobody gets in here who would not get in there.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any
from urllib.parse import quote, unquote
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from selfmade._http import Request
from selfmade.babyagi._api import BASE

Environ = dict[str, Any]
Wsgi = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]
View = Callable[..., Any]

_APPS: dict[str, App] = {}


def create_app(dashboard_route: str = "/dashboard") -> App:
    """The application with that route; the same one each time, with the pages that it was given."""
    route = _route(dashboard_route)
    return _APPS.setdefault(route, App(route))


def use_blueprints(app: Any, dashboard_route: str = "/dashboard") -> None:
    """Puts the routes before those of an application of Flask's."""
    app.config["DASHBOARD_ROUTE"] = _route(dashboard_route)[1:]
    app.wsgi_app = Doors(app.wsgi_app, _route(dashboard_route))


def _route(text: str) -> str:
    return "/" + text.strip("/")


class App:
    """Pages that are functions, and the routes."""

    def __init__(self, dashboard_route: str) -> None:
        self.config: dict[str, Any] = {"DASHBOARD_ROUTE": dashboard_route[1:]}
        self._views: dict[tuple[str, str], View] = {}
        self.wsgi_app: Wsgi = Doors(self._pages, dashboard_route)

    def route(self, path: str, methods: Iterable[str] = ("GET",), **options: Any) -> Callable[[View], View]:
        """Makes a function the page at a path. It returns text, or what JSON can say, or either with a status."""

        def add(view: View) -> View:
            for method in methods:
                self._views[method.upper(), path] = view
            return view

        return add

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        return self.wsgi_app(environ, start_response)

    def _pages(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        view = self._views.get((environ["REQUEST_METHOD"].replace("HEAD", "GET"), environ.get("PATH_INFO") or "/"))
        said = ("there is nothing here", 404) if view is None else view()
        body, status = said if isinstance(said, tuple) else (said, 200)
        if isinstance(body, str):
            return _answer(start_response, status, "text/html; charset=utf-8", body.encode())
        return _answer(start_response, status, "application/json", json.dumps(body).encode())

    def run(self, host: str = "127.0.0.1", port: int = 8080, **options: Any) -> None:
        """Serves until it is interrupted, at `SELFMADE_BABYAGI_LISTEN` (`HOST:PORT`) if that is set."""
        stated = os.environ.get("SELFMADE_BABYAGI_LISTEN")
        if stated:
            host, _, number = stated.rpartition(":")
            port = int(number)
        with make_server(host, port, self, WSGIServer, _Quiet) as serving:
            print(f"listening at http://{host}:{serving.server_port}", flush=True)
            with suppress(KeyboardInterrupt):
                serving.serve_forever()


class Doors:
    """What goes to the server goes there; the rest goes to the application."""

    def __init__(self, inner: Wsgi, dashboard_route: str) -> None:
        self._inner = inner
        self._dashboard = dashboard_route

    def __call__(self, environ: Environ, start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environ.get("PATH_INFO", "")
        if path.startswith("/api/"):
            return _passed_on(environ, start_response, path.removeprefix("/api"))
        if path == self._dashboard or path.startswith(f"{self._dashboard}/"):
            from selfmade._connection import server

            start_response("302 Found", [("Location", f"{server.address}/"), ("Content-Length", "0")])
            return [b""]
        return self._inner(environ, start_response)


def _passed_on(environ: Environ, start_response: Callable[..., Any], path: str) -> Iterable[bytes]:
    from selfmade._connection import server

    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length) if length else b""
    try:
        said = json.loads(body) if body else None
    except ValueError:
        return _answer(start_response, 400, "application/json", b'{"error": "the body is not valid JSON"}')
    query = dict(pair.partition("=")[::2] for pair in environ.get("QUERY_STRING", "").split("&") if pair)
    request = Request(
        environ["REQUEST_METHOD"],
        quote(path),
        {unquote(name): unquote(value) for name, value in query.items()},
        body=said,
        # The caller's own, or none: this program's token is for this program.
        headers={"Authorization": environ.get("HTTP_AUTHORIZATION", "")},
        timeout=None,
        base=BASE,
    )
    answer = server._transport.send(request)
    kind = answer.headers.get("content-type", "application/json")
    return _answer(start_response, answer.status, kind, answer.body)


def _answer(start_response: Callable[..., Any], status: int, kind: str, body: bytes) -> Iterable[bytes]:
    start_response(
        f"{status} {_REASONS.get(status, 'Answer')}", [("Content-Type", kind), ("Content-Length", str(len(body)))]
    )
    return [body]


_REASONS = {
    200: "OK",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    500: "Internal Server Error",
}


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are logged by the server that they go to."""
