"""Loads every pack into a real brain and lets them talk to services on this machine, out of cells and through the proxy.

`SELFMADE_BINARY` is the program. `cargo xtask test --only packs` builds it and sets the variable.
"""

import ast
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import textwrap
import unittest

import local_services
import pack_files
from services import Services

BINARY = os.environ.get("SELFMADE_BINARY")


class Brain:
    def __init__(self, folder):
        self.home = pathlib.Path(folder)
        shutil.copy(local_services.CERTIFICATES / "authority.pem", self.home)
        settings = 'private_hosts = ["127.0.0.1", "::1"]\nextra_roots = "authority.pem"\n'
        (self.home / "config.toml").write_text(settings, encoding="utf-8")

    def do(self, *words, given=None):
        command = [BINARY, "--home", str(self.home), *words]
        return subprocess.run(command, input=given, capture_output=True, text=True, cwd=self.home)

    def add(self, source):
        """Adds functions; `source` is a file of them."""
        file = self.home / "added.py"
        file.write_text("import selfmade\n\n\n" + textwrap.dedent(source), encoding="utf-8")
        done = self.do("pack", "load", "added.py", "--replace")
        assert done.returncode == 0, done.stderr

    def run(self, name, **given):
        done = self.do("run", name, "--json", "--input", "-", given=json.dumps(given))
        assert done.returncode in (0, 7), done.stderr
        return json.loads(done.stdout or done.stderr)

    def output(self, name, **given):
        ended = self.run(name, **given)
        assert ended.get("state") == "succeeded", ended
        return ended["output"]


@unittest.skipUnless(BINARY, "SELFMADE_BINARY is not set; `cargo xtask test --only packs` sets it")
class Running(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.brain = Brain(folder.name)
        for pack, files in pack_files.packs().items():
            source = files[0].parent if len(files) > 1 else files[0]
            # A pack whose tests fail is not loaded.
            done = cls.brain.do("pack", "load", str(source), "--name", pack)
            assert done.returncode == 0, done.stderr

    def service(self, made):
        self.addCleanup(made.close)
        return made

    def failure(self, name, **given):
        ended = self.brain.run(name, **given)
        return f"{ended['error']['type']}: {ended['error']['message']}"

    def test_what_is_loaded_is_what_is_in_the_files(self):
        listed = json.loads(self.brain.do("fn", "list", "--json", "--limit", "1000").stdout)
        loaded = {entry["name"] for entry in listed["functions"]}
        self.assertLessEqual({function.name for function in pack_files.functions()}, loaded)

    def test_requests_go_to_the_hosts_of_whoever_calls(self):
        web, secure = self.service(local_services.Web()), self.service(local_services.Web(tls=True))
        self.brain.add(f"""
            @selfmade.function(network=["127.0.0.1:{web.port}", "localhost:{secure.port}"])
            def try_requests(here: str, there: str) -> dict:
                "Ask in every way."
                token = {{"Authorization": "Bearer t"}}
                moved = http_request(here + "/moved", params={{"to": there + "/end"}}, headers=token)
                return {{
                    "plain": fetch_json(here + "/a", params={{"q": ["x y", 2]}}, headers=token),
                    "secure": fetch_json(there + "/a"),
                    "moved": [moved["status"], moved["url"], moved["body"]],
                    "flaky": http_request(here + "/flaky")["status"],
                    "counted": fetch_json_pages(here + "/counted", page_param="page"),
                    "linked": fetch_json_pages(here + "/linked", items="items"),
                    "latin": http_request(here + "/latin")["body"],
                    "bytes": http_request(here + "/bytes")["body"],
                    "posted": post_message(here + "/busy", {{"a": 1}})["body"],
                }}
            """)
        here, there = f"http://127.0.0.1:{web.port}", f"https://localhost:{secure.port}"
        got = self.brain.output("try_requests", here=here, there=there)
        self.assertEqual(got["plain"], {"path": "/a?q=x+y&q=2", "authorization": "Bearer t"})
        self.assertEqual(got["secure"], {"path": "/a", "authorization": None})
        status, url, body = got["moved"]
        self.assertEqual((status, url), (200, there + "/end"))
        self.assertIsNone(json.loads(body)["authorization"], "credentials went to another host")
        self.assertEqual((got["flaky"], web.heard.count("/flaky")), (200, 3))
        self.assertEqual(got["counted"], [10, 11, 20, 21])
        self.assertEqual(got["linked"], [1, 2, 3])
        self.assertEqual((got["latin"], got["bytes"]), ("Grüße", {"$bytes": "iVBORwD/"}))
        self.assertEqual(got["posted"], "ok")

    def test_what_is_not_listed_is_refused_with_what_to_do(self):
        web = self.service(local_services.Web())
        here = f"http://127.0.0.1:{web.port}"
        self.brain.add("""
            @selfmade.function(network=["example.com"])
            def try_elsewhere(url: str) -> dict:
                "Ask a host that is not listed."
                return http_request(url, retries=0)
            """)
        for url in (here, here.replace("http:", "https:")):
            told = self.failure("try_elsewhere", url=url)
            self.assertRegex(told, "PermissionError: .*add `127.0.0.1` to the function's `network` grant")
        self.assertRegex(
            self.failure("http_request", url=here, retries=0), "must list `127.0.0.1` in its `network`"
        )
        self.assertIn("PermissionError", self.failure("browse", url=here))
        self.assertEqual(web.heard, [])

    def test_a_long_answer_and_a_refusal_are_errors(self):
        web = self.service(local_services.Web())
        self.brain.add(f"""
            @selfmade.function(network=["127.0.0.1:{web.port}"])
            def try_errors(here: str) -> list:
                "Ask for what does not work."
                told = []
                for ask in (
                    lambda: http_request(here + "/long", limit=1000),
                    lambda: post_message(here + "/broken", 1),
                ):
                    try:
                        ask()
                    except Exception as error:
                        told.append(str(error))
                return told
            """)
        long, broken = self.brain.output("try_errors", here=f"http://127.0.0.1:{web.port}")
        self.assertIn("longer than 1000 bytes", long)
        self.assertEqual(broken, "`127.0.0.1` answered 500: it broke")

    def test_a_download_is_kept_with_the_run(self):
        web = self.service(local_services.Web())
        self.brain.add(f"""
            @selfmade.function(network=["127.0.0.1:{web.port}"], files=True)
            def try_download(url: str) -> list:
                "Download, pack, unpack, ask."
                download_file(url)
                append_file("notes.txt", "one\\n")
                packed = pack_files("all.zip")
                remove_files("notes.txt")
                unpack_files("all.zip")
                query_database("d.db", "create table t (n)")
                query_database("d.db", "insert into t values (?)", [7])
                return [packed, load_file("notes.txt"), query_database("d.db", "select n from t")["rows"]]
            """)
        packed, notes, rows = self.brain.output("try_download", url=f"http://127.0.0.1:{web.port}/bytes")
        self.assertEqual((packed, notes, rows), (["bytes", "notes.txt"], "one\n", [{"n": 7}]))

    def test_webhooks_are_signed_so_that_the_receiver_can_tell(self):
        web = self.service(local_services.Web())
        self.brain.add(f"""
            @selfmade.function(network=["127.0.0.1:{web.port}"])
            def try_webhook(url: str) -> dict:
                "Send a signed value."
                return send_webhook(url, {{"rain": "Grüße"}}, secret="shared")
            """)
        self.brain.output("try_webhook", url=f"http://127.0.0.1:{web.port}/hook")
        ((path, headers, body),) = web.heard
        self.assertEqual((path, json.loads(body)), ("/hook", {"rain": "Grüße"}))
        signed = {"signature": headers["x-signature-256"], "timestamp": int(headers["x-timestamp"])}
        self.assertIs(self.brain.output("verify_signature", body=body, secret="shared", **signed), True)
        self.assertIs(
            self.brain.output("verify_signature", body=body + " ", secret="shared", **signed), False
        )

    def test_chat_goes_to_its_own_service_alone(self):
        web = self.service(local_services.Web())
        for name in ("slack", "discord", "teams"):
            url = f"http://127.0.0.1:{web.port}/{name}"
            self.brain.do("secret", "set", f"{name}_webhook_url", given=url)
        self.assertRegex(
            self.failure("send_slack", text="Hi"), "PermissionError: .*`127.0.0.1` is not listed"
        )
        self.brain.add(
            "\n\n".join(elsewhere(name, web.port) for name in ("send_slack", "send_discord", "send_teams"))
        )
        for name in ("send_slack", "send_discord", "send_teams"):
            self.brain.output(name, text="**Done** & well")
        heard = {path: json.loads(body) for path, _, body in web.heard}
        self.assertEqual(heard["/slack"], {"text": "*Done* &amp; well"})
        self.assertEqual(heard["/discord"], {"content": "**Done** & well", "allowed_mentions": {"parse": []}})
        self.assertEqual(heard["/teams"]["attachments"][0]["content"]["body"][0]["text"], "**Done** & well")

    def test_mail_goes_by_smtp_over_tls(self):
        mail = self.service(local_services.Mail())
        self.brain.add(f"""
            @selfmade.function(network=["localhost:{mail.port}"])
            def try_mail(host: str) -> int:
                "Send a mail."
                to = ["Bob <bob@example.com>", "eve@example.com"]
                text = compose_mail("Ada <ada@example.com>", to, "Grüße", "Hello\\n.\\nthere", 0)
                return deliver_smtp(host, "ada", "open sesame", "ada@example.com", to, text)
            """)
        self.assertEqual(self.brain.output("try_mail", host=f"localhost:{mail.port}"), 2)
        mail.thread.join()
        self.assertEqual(mail.login, ["ada", "open sesame"])
        self.assertEqual(
            [line.split(":")[1] for line in mail.recipients], ["<bob@example.com>", "<eve@example.com>"]
        )
        self.assertIn("Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?=\r\n", mail.mail)
        self.assertTrue(mail.mail.endswith("\r\n\r\nHello\r\n..\r\nthere\r\n"), mail.mail)

    def test_blocks_ask_their_services_out_of_cells(self):
        services = self.service(Services())
        port = services.server.server_address[1]
        moved = []
        for name, host in (("get_weather", "api.openweathermap.org"), ("call_discord", "discord.com")):
            source = elsewhere(name, port).replace(f"https://{host}", services.url(f"https://{host}"))
            self.assertIn(f"127.0.0.1:{port}/{host}", source)
            moved.append(source)
        for secret in ("openweathermap_api_key", "discord_bot_token"):
            self.brain.do("secret", "set", secret, given=f"secret-{secret}")
        self.assertRegex(self.failure("call_service", url=services.url("https://discord.com/")), "must list `127.0.0.1`")
        self.brain.add("\n\n".join(moved))
        pins = self.brain.output("get_weather", location="Oslo")
        self.assertEqual([pin["$tuple"] for pin in pins][2], ["condition", "rain in Oslo"])
        pins = self.brain.output("send_discord_message", message_content="Hi", channel_name="rain")
        self.assertEqual(pins[0]["$tuple"], ["status", "Message sent"])
        self.assertEqual([one["content"] for one in services.discord.messages["11"]], ["Hi"])

    def test_what_waits_holds_no_cell(self):
        services = self.service(Services())
        port = services.server.server_address[1]
        moved = []
        for name, host in (("call_discord", "discord.com"), ("call_d_id", "api.d-id.com")):
            moved.append(elsewhere(name, port).replace(f"https://{host}", services.url(f"https://{host}")))
        for secret in ("discord_bot_token", "did_api_key"):
            self.brain.do("secret", "set", secret, given=f"secret-{secret}")
        # A feed of the public web: it is granted no host of this machine.
        feed = "<rss><channel><item><title>A</title><link>https://a.example/1</link></item></channel></rss>"
        moved.append(f"@selfmade.function()\ndef fetch_public(url: str) -> str:\n    return {feed!r}\n")
        self.brain.add("\n\n".join(moved))
        server = subprocess.Popen(
            [BINARY, "--home", str(self.brain.home), "serve", "--listen", "127.0.0.1:0"],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            next(line for line in server.stderr if "listening at" in line)
            for name, given in (
                ("count_down", {"hours": 1}),
                ("read_discord_messages", {"polling_rate": 3600}),
                ("read_rss_entries", {"url": "https://a.example/feed", "polling_rate": 3600}),
                ("create_talking_avatar", {"polling_interval": 3600}),
            ):
                with self.subTest(name):
                    queued = self.brain.do("run", name, "--queue", "--json", "--input", "-", given=json.dumps(given))
                    run = json.loads(queued.stdout)["run_id"]
                    state = "queued"
                    while state in ("queued", "running"):
                        state = json.loads(self.brain.do("runs", "show", run, "--json").stdout)["state"]
                    self.assertEqual(state, "waiting", self.brain.do("runs", "show", run).stdout)
                    self.brain.do("runs", "cancel", run)
        finally:
            server.terminate()
            server.communicate()

    def test_the_examples_of_the_pages_can_be_added(self):
        docs = pack_files.ROOT.parent / "docs"
        page = "\n".join((docs / name).read_text(encoding="utf-8") for name in ("packs.md", "blocks.md"))
        for source in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
            (self.brain.home / "example.py").write_text(source, encoding="utf-8")
            done = self.brain.do("fn", "add", "example.py")
            self.assertEqual(done.returncode, 0, done.stderr)
        for line in re.findall(r"^selfmade (trigger add .*)$", page, re.MULTILINE):
            done = self.brain.do(*shlex.split(line))
            self.assertEqual(done.returncode, 0, done.stderr)


def elsewhere(name, port):
    """A function of the packs as it is, but for the host it is granted."""
    function = next(function for function in pack_files.functions() if function.name == name)
    imports = "\n".join(map(ast.unparse, function.imports))
    secrets = function.declared["secrets"]
    decorator = f'@selfmade.function(network=["127.0.0.1:{port}"], secrets={secrets!r})'
    bare = ast.unparse(function.definition).partition(f"def {name}")[2]
    return f"{imports}\n{decorator}\ndef {name}{bare}"


if __name__ == "__main__":
    unittest.main()
