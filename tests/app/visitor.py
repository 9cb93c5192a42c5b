"""A visitor of the app: plain HTTP, with every header under control."""

import http.client
import re
import secrets
import urllib.parse
from dataclasses import dataclass

from tests.app.waiting import ended
from tests.python_words import on_the_page


@dataclass
class Answer:
    status: int
    headers: dict
    raw: bytes

    @property
    def text(self):
        return self.raw.decode("utf-8", "replace")

    @property
    def place(self):
        """Where it leads on, without the fragment."""
        return self.headers["location"].partition("#")[0]


class Visitor:
    """Asks as a page of the app would; headers given replace those, None takes one away."""

    def __init__(self, server):
        self.server = server
        self.port = server.known.port
        self.cookie = None

    def logged_in(self):
        self.cookie = f"{self.server.known.cookie_name}={self.server.known.cookie}"
        return self

    def ask(self, method, path, body=None, headers=None):
        own = {"Host": f"127.0.0.1:{self.port}", "Cookie": self.cookie}
        if method not in ("GET", "HEAD"):
            own |= {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin"}
        sent = {k: v for k, v in {**own, **(headers or {})}.items() if v is not None}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            if body is not None and "Transfer-Encoding" not in sent:
                sent.setdefault("Content-Length", str(len(body)))
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders()
            try:
                for part in [body] if isinstance(body, bytes) else body or []:
                    connection.send(part)
            except OSError:
                pass  # it answers without hearing us out
            found = connection.getresponse()
            kept = {k.lower(): v for k, v in found.getheaders()}
            answer = Answer(found.status, kept, found.read())
            if kept.get("content-type", "").startswith("text/html"):
                assert on_the_page(answer.text) == []
            return answer
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers)

    def post(self, path, fields=None, headers=None):
        body = urllib.parse.urlencode(fields or {}, doseq=True).encode()
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return self.ask("POST", path, body, {**form, **(headers or {})})

    def upload(self, path, files, fields=None, headers=None):
        mark = secrets.token_hex(8)
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="{k}"\r\n\r\n{v}\r\n'.encode()
            for k, v in (fields or {}).items()
        ]
        for name, (file, content) in files:
            head = f'Content-Disposition: form-data; name="{name}"; filename="{file}"'
            kind = "Content-Type: application/octet-stream"
            parts.append(f"--{mark}\r\n{head}\r\n{kind}\r\n\r\n".encode() + content + b"\r\n")
        form = {"Content-Type": f"multipart/form-data; boundary={mark}"}
        body = b"".join([*parts, f"--{mark}--\r\n".encode()])
        return self.ask("POST", path, body, {**form, **(headers or {})})

    def open(self, file, content=None, **options):
        """Open a table and wait until it was read; the workspace."""
        fields = {"separator": "", "encoding": "utf-8", "header": "", "missing_values": ""}
        content = file.read_bytes() if content is None else content
        name = getattr(file, "name", file)
        answer = self.upload("/open", [("file", (name, content))], {**fields, **options})
        assert answer.status == 303, (answer.status, answer.text[-600:])
        workspace = self.server.workspaces.get(re.search(r"/w/([^/]+)/", answer.place)[1])
        ended(workspace.job)
        return workspace
