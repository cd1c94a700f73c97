"""The application that `create_app` gives, asked as a WSGI server asks it."""

import io
import unittest

import real
from selfmade.babyagi import create_app, func, use_blueprints


def ask(app, path, method="GET", body=b"", query="", **headers):
    """Status, headers and text of an answer."""
    told = []
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "QUERY_STRING": query, "CONTENT_LENGTH": str(len(body))}
    environ |= {"wsgi.input": io.BytesIO(body), **{f"HTTP_{name}": value for name, value in headers.items()}}
    text = b"".join(app(environ, lambda status, headers: told.extend([status, dict(headers)])))
    return int(told[0].split()[0]), told[1], text.decode()


def bearer():
    from selfmade._connection import server

    return {"AUTHORIZATION": f"Bearer {server._transport.locator.find().token}"}


class Application(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        func.add_function("app_add", code="def app_add(a, b):\n    return a + b")

    def test_pages_are_functions(self):
        app = create_app("pages")

        @app.route("/text")
        def text():
            return "hello"

        @app.route("/data", methods=["POST"])
        def data():
            return {"n": 1}, 201

        self.assertEqual(ask(app, "/text")[::2], (200, "hello"))
        self.assertEqual(ask(app, "/data", "POST")[::2], (201, '{"n": 1}'))
        self.assertEqual((ask(app, "/data")[0], ask(app, "/nowhere")[0]), (404, 404))
        self.assertEqual(app.config["DASHBOARD_ROUTE"], "pages")
        self.assertIs(create_app("/pages"), app)

    def test_b10_routes_are_passed_on_with_the_token_of_whoever_asks(self):
        app = create_app()
        self.assertEqual(ask(app, "/api/functions")[0], 401)
        self.assertEqual(ask(app, "/api/execute/app_add", "POST", b'{"a": 1, "b": 2}')[0], 401)
        self.assertEqual(ask(app, "/api/functions", AUTHORIZATION="Bearer wrong")[0], 401)
        status, headers, text = ask(app, "/api/execute/app_add", "POST", b'{"a": 1, "b": 2}', **bearer())
        self.assertEqual((status, headers["Content-Type"], text), (200, "application/json", "3"))
        self.assertEqual(ask(app, "/api/logs", query="start_date=2999-01-01T00%3A00%3A00", **bearer())[2], "[]")
        self.assertEqual(ask(app, "/api/execute/app_add", "POST", b"{", **bearer())[0], 400)
        self.assertEqual(ask(app, "/api/function/nobody", **bearer())[0], 404)

    def test_the_dashboard_is_the_server_s(self):
        app = create_app("/board")
        for path in ("/board", "/board/", "/board/function/x"):
            status, headers, _ = ask(app, path)
            self.assertEqual((status, headers["Location"].startswith("http://127.0.0.1:")), (302, True))

    def test_another_application_gets_the_same_before_its_own_pages(self):
        class Other:
            def __init__(self):
                self.config = {}

            @staticmethod
            def wsgi_app(environ, start_response):
                start_response("200 OK", [])
                return [b"own page"]

        other = Other()
        use_blueprints(other, dashboard_route="/board")
        self.assertEqual((ask(other.wsgi_app, "/")[2], other.config), ("own page", {"DASHBOARD_ROUTE": "board"}))
        self.assertEqual((ask(other.wsgi_app, "/board")[0], ask(other.wsgi_app, "/api/functions")[0]), (302, 401))


assert real.HOME.is_dir()

if __name__ == "__main__":
    unittest.main()
