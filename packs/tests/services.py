"""Services that the blocks talk to, as far as their protocols matter here, on one port of this machine.

Each is known by its real host; `Services.url` says where it is here. They are strict: what a real service would refuse, these
refuse, so a wrong path, method, header or field fails a test.
"""

import base64
import http.server
import json
import threading
import urllib.parse


class Refusal(Exception):
    def __init__(self, status, body):
        super().__init__(status)
        self.status, self.body = status, body


class Request:
    def __init__(self, handler):
        _, self.host, *rest = handler.path.split("/", 2)
        address = urllib.parse.urlsplit("/" + "".join(rest))
        self.method, self.path = handler.command, address.path
        self.query = dict(urllib.parse.parse_qsl(address.query))
        self.headers = {name.lower(): value for name, value in handler.headers.items()}
        self.body = handler.rfile.read(int(self.headers.get("content-length", 0)))

    def json(self):
        if self.headers.get("content-type") != "application/json":
            raise Refusal(415, {"message": "send JSON"})
        return json.loads(self.body)

    def form(self):
        return dict(urllib.parse.parse_qsl(self.body.decode()))

    def need(self, name, value):
        if self.headers.get(name) != value:
            raise Refusal(401, {"message": f"wrong {name}"})


class Discord:
    """A server with two channels; `say` is what a person does."""

    def __init__(self):
        self.messages = {"10": [], "11": []}
        self.next_id = 100

    def say(self, channel, text, author="ada", bot=False):
        self.next_id += 1
        written = {"id": str(self.next_id), "content": text, "author": {"id": "1", "username": author, "bot": bot}}
        self.messages[channel].append(written)
        return written

    def answer(self, request):
        request.need("authorization", "Bot secret-discord_bot_token")
        if not request.headers["user-agent"].startswith("DiscordBot ("):
            raise Refusal(403, {"message": "say who you are"})
        match request.path.removeprefix("/api/v10/").split("/"):
            case ["users", "@me", "guilds"]:
                return [{"id": "5", "name": "Home"}]
            case ["guilds", "5", "channels"]:
                return [
                    {"id": "9", "name": "voice", "type": 2},
                    *(
                        {"id": id, "name": name, "type": 0, "last_message_id": self.last(id)}
                        for id, name in (("10", "general"), ("11", "rain"))
                    ),
                ]
            case ["channels", id, "messages"] if request.method == "POST":
                sent = request.json()
                if not 0 < len(sent["content"]) <= 2000 or sent["allowed_mentions"] != {"parse": []}:
                    raise Refusal(400, {"message": "Invalid Form Body"})
                return self.say(id, sent["content"], "bot", bot=True)
            case ["channels", id, "messages"]:
                after = int(request.query["after"])
                newer = [one for one in self.messages[id] if int(one["id"]) > after]
                return newer[::-1][: int(request.query["limit"])]
        raise Refusal(404, {"message": "404: Not Found"})

    def last(self, channel):
        return self.messages[channel][-1]["id"] if self.messages[channel] else None


class Reddit:
    def __init__(self):
        self.comments = []

    def answer(self, request):
        if not request.headers["user-agent"].startswith("selfmade:"):
            raise Refusal(429, {"message": "Too Many Requests"})
        if request.host == "www.reddit.com":
            login = base64.b64encode(b"secret-reddit_client_id:secret-reddit_client_secret").decode()
            request.need("authorization", f"Basic {login}")
            if request.path != "/api/v1/access_token" or request.form() != {
                "grant_type": "password",
                "username": "secret-reddit_username",
                "password": "secret-reddit_password",
            }:
                return {"error": "invalid_grant"}
            return {"access_token": "t", "token_type": "bearer"}
        request.need("authorization", "bearer t")
        if request.path == "/r/rain/new":
            posts = [
                {"id": f"p{number}", "title": f"T{number}", "selftext": "", "created_utc": 1000 + number}
                for number in (3, 2, 1)
            ]
            return {"data": {"children": [{"kind": "t3", "data": post} for post in posts]}}
        if request.path == "/api/comment" and request.method == "POST":
            form = request.form()
            if form["thing_id"] != "t3_p1" or form["api_type"] != "json":
                return {"json": {"errors": [["NO_THING_ID", "there is no such post", "parent"]]}}
            self.comments.append(form["text"])
            return {"json": {"errors": [], "data": {"things": [{"kind": "t1", "data": {"id": "c1"}}]}}}
        raise Refusal(404, {"message": "Not Found"})


class DId:
    def __init__(self):
        self.clips, self.looks = [], 0

    def answer(self, request):
        request.need("authorization", "Basic secret-did_api_key")
        if request.method == "POST" and request.path == "/clips":
            self.clips.append(request.json())
            return {"id": "clp_1", "status": "created"}
        self.looks += 1
        done = {"status": "done", "result_url": "https://d-id.example/clp_1.mp4"}
        return {"id": "clp_1", **(done if self.looks > 2 else {"status": "started"})}


def medium(request):
    request.need("authorization", "Bearer secret-medium_api_key")
    if request.method != "POST" or request.path != "/v1/users/secret-medium_author_id/posts":
        raise Refusal(404, {"errors": [{"message": "not found"}]})
    post = request.json()
    if post["contentFormat"] not in ("html", "markdown") or len(post["tags"]) > 3:
        raise Refusal(400, {"errors": [{"message": "bad post"}]})
    return {"data": {"id": "p1", "url": "https://medium.com/p1", "authorId": "a1", "publishedAt": 1767621600000}}


def weather(request):
    if request.query.get("appid") != "secret-openweathermap_api_key":
        raise Refusal(401, {"cod": 401, "message": "Invalid API key"})
    degrees = {"metric": 4.5, "imperial": 40.1}[request.query["units"]]
    return {"main": {"temp": degrees, "humidity": 87}, "weather": [{"description": f"rain in {request.query['q']}"}]}


def wikipedia(request):
    if urllib.parse.unquote(request.path) != "/api/rest_v1/page/summary/Ada_Lovelace/Life":
        raise Refusal(404, {"title": "Not found."})
    return {"type": "standard", "extract": "She wrote the first program."}


def jina(request):
    request.need("authorization", "Bearer secret-jina_api_key")
    if request.host == "s.jina.ai":
        return f"found {request.query['q']}"
    return f"# {request.path[1:]}"


def youtube(request):
    if request.path == "/youtubei/v1/player" and request.method == "POST":
        asked = request.json()
        if not asked["context"]["client"]["clientVersion"] or asked["videoId"] != "dQw4w9WgXcQ":
            return {"playabilityStatus": {"status": "ERROR", "reason": "This video is unavailable"}}
        tracks = [
            {"baseUrl": f"https://www.youtube.com/api/timedtext?v=dQw4w9WgXcQ&lang={code}", "languageCode": code}
            for code in ("de", "en-GB")
        ]
        return {"captions": {"playerCaptionsTracklistRenderer": {"captionTracks": tracks}}}
    if request.path == "/api/timedtext" and request.query["fmt"] == "json3":
        words = {"en-GB": ["Never gonna\n", "give"], "de": ["Nie"]}[request.query["lang"]]
        return {"events": [{"tStartMs": 0}, *({"segs": [{"utf8": word}]} for word in words)]}
    raise Refusal(404, {})


FEED = """<?xml version="1.0"?><rss version="2.0"><channel><title>N</title>
<item><title>one</title><link>https://news.example.com/1</link><pubDate>Mon, 05 Jan 2026 13:59:00 GMT</pubDate></item>
</channel></rss>"""


class Services:
    def __init__(self):
        self.discord, self.reddit, self.d_id = Discord(), Reddit(), DId()
        self.feed = FEED
        answers = {
            "discord.com": self.discord.answer,
            "www.reddit.com": self.reddit.answer,
            "oauth.reddit.com": self.reddit.answer,
            "api.d-id.com": self.d_id.answer,
            "api.medium.com": medium,
            "api.openweathermap.org": weather,
            "en.wikipedia.org": wikipedia,
            "s.jina.ai": jina,
            "r.jina.ai": jina,
            "www.youtube.com": youtube,
            "news.example.com": lambda _: self.feed,
        }

        class Handler(http.server.BaseHTTPRequestHandler):
            def handle_any(self):
                request = Request(self)
                try:
                    status, body = 200, answers[request.host](request)
                except Refusal as refusal:
                    status, body = refusal.status, refusal.body
                kind = "text/plain" if isinstance(body, str) else "application/json"
                content = (body if isinstance(body, str) else json.dumps(body)).encode()
                self.send_response(status)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST = handle_any

            def log_message(self, *_):
                """Tests say what went wrong themselves."""

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, real):
        """Where a service is here, by its real address."""
        parts = urllib.parse.urlsplit(real)
        query = f"?{parts.query}" if parts.query else ""
        return f"http://127.0.0.1:{self.server.server_address[1]}/{parts.hostname}{parts.path}{query}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
