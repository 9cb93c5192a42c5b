"""Attacks on the app over plain HTTP. Each succeeds quietly, or fails an assertion when the app
holds; a guard that is taken out lets its attacks through.

An attack is a function of a running server; ``ATTACKS`` says which guard it is that stops it.
"""

import socket

from tests.app.visitor import Visitor

TABLE = b"age,sex\n23,F\n37,M\n38,M\n"
FOREIGN = [
    "evil.test",
    "evil.test:{port}",
    "127.0.0.1",
    "127.0.0.1:1",
    "localhost.evil.test:{port}",
    "",
]


def foreign_host(server):
    """DNS rebinding: the browser believes that evil.test is at 127.0.0.1, and says so."""
    for name in FOREIGN:
        answer = Visitor(server).logged_in().get("/", Host=name.format(port=server.known.port))
        assert answer.status == 421


def no_host(server):
    answer = raw(server, "GET / HTTP/1.1\r\nCookie: {cookie}\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 4")


def rebound_login(server):
    """Not even the right token is taken from a foreign name."""
    link = f"/?token={server.known.token}"
    assert Visitor(server).get(link, Host=f"evil.test:{server.known.port}").status == 421


def wrong_token(server):
    for token in (
        "",
        "x",
        server.known.token[:-1],
        server.known.token + "x",
        server.known.cookie,
        "é",
    ):
        answer = Visitor(server).get(f"/?token={token.encode().hex() if token == 'é' else token}")
        assert answer.status == 403
        assert "set-cookie" not in answer.headers


def no_cookie(server):
    for path in ("/", "/static/app.css", "/static/htmx.min.js", "/w/x/data", "/none"):
        assert Visitor(server).get(path).status == 401


def wrong_cookie(server):
    name, cookie = server.known.cookie_name, server.known.cookie
    for given in (
        f"{name}=x",
        f"{name}=",
        f"other={cookie}",
        f"{name}={server.known.token}",
        cookie,
    ):
        assert Visitor(server).get("/", Cookie=given).status == 401


def listing_by_cookie(server):
    """Another server of this machine has the cookie, and asks which tables and projects there are."""
    visitor = Visitor(server).logged_in()
    made = visitor.open("Tr0ub4dor.csv", TABLE)
    for path in ("", made.id, server.known.token, server.known.cookie, server.known.home[:-1]):
        for end in ("", "/continue", "/remove"):
            ask = visitor.post if end else visitor.get
            answer = ask(f"/home/{path}{end}")
            assert answer.status in (404, 405)
            assert "Tr0ub4dor" not in answer.text
    page = visitor.get("/").text
    assert made.id not in page
    assert server.known.home not in page + visitor.get(f"/w/{made.id}/data").text
    assert "Tr0ub4dor" not in page


def page_of_another_port(server):
    """SameSite lets the cookie through: another port of this machine is the same site to it."""
    visitor = Visitor(server).logged_in()
    for origin in (
        "http://127.0.0.1:1",
        "http://evil.test",
        "null",
        "http://localhost.evil.test",
        None,
    ):
        answer = visitor.upload(
            "/open", [("file", ("t.csv", TABLE))], reading(), {"Origin": origin}
        )
        assert answer.status == 403


def other_name_of_this_machine(server):
    """localhost is on the list, but is another origin than the address that was asked."""
    origin = f"http://localhost:{server.known.port}"
    answer = Visitor(server).logged_in().post("/open", {}, {"Origin": origin})
    assert answer.status == 403


def https_origin(server):
    origin = f"https://127.0.0.1:{server.known.port}"
    assert Visitor(server).logged_in().post("/open", {}, {"Origin": origin}).status == 403


def request_from_another_site(server):
    visitor = Visitor(server).logged_in()
    for where in ("cross-site", "same-site", "none", None):
        answer = visitor.post("/open", {}, {"Sec-Fetch-Site": where})
        assert answer.status == 403


def embedding_by_another_site(server):
    """A page on another port may lead here, but not put the app into itself."""
    visitor = Visitor(server).logged_in()
    for dest, mode in (("iframe", "navigate"), ("script", "no-cors"), ("empty", "cors")):
        sent = {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Dest": dest, "Sec-Fetch-Mode": mode}
        assert visitor.ask("GET", "/", headers=sent).status == 403


def websocket(server):
    """A handshake of a page of ours, with the cookie; others are refused before."""
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    up = f"Host: 127.0.0.1:{{port}}\r\nCookie: {{cookie}}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}"
    answer = raw(server, f"GET / HTTP/1.1\r\n{up}Origin: http://127.0.0.1:{{port}}\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 403")


def large_form(server):
    declared = {
        "Content-Length": str(50 << 20),
        "Content-Type": "application/x-www-form-urlencoded",
    }
    answer = Visitor(server).logged_in().ask("POST", "/w/x/close", b"a=" + b"x" * 70_000, declared)
    assert answer.status == 413


def large_chunked_upload(server):
    """Chunks come without a length: they must be counted."""
    head = b'--m\r\nContent-Disposition: form-data; name="file"; filename="t.csv"\r\n\r\n'
    parts = [head, *[b"1\n" * (1 << 15)] * 80, b"\r\n--m--\r\n"]
    body = [*(b"%x\r\n%s\r\n" % (len(part), part) for part in parts), b"0\r\n\r\n"]
    form = {"Transfer-Encoding": "chunked", "Content-Type": "multipart/form-data; boundary=m"}
    answer = Visitor(server).logged_in().ask("POST", "/open", iter(body), form)
    assert answer.status == 413


def large_upload(server):
    answer = (
        Visitor(server)
        .logged_in()
        .upload("/open", [("file", ("t.csv", b"age\n" + b"1\n" * (2 << 20)))], reading())
    )
    assert answer.status == 413


def header(name, wanted):
    def attack(server):
        for path in ("/", "/none", f"/?token={server.known.token}"):
            assert wanted in Visitor(server).logged_in().get(path).headers.get(name, "")
        for refused in (Visitor(server).get("/"), Visitor(server).get("/", Host="evil.test")):
            assert wanted in refused.headers.get(name, "")

    attack.__name__ = f"answer_without_{name}"
    return attack


ATTACKS = {
    "host": [foreign_host, rebound_login],
    "handshake": [websocket],
    "token": [wrong_token],
    "cookie": [no_cookie, wrong_cookie],
    "listing": [listing_by_cookie],
    "site": [request_from_another_site, embedding_by_another_site],
    "origin": [page_of_another_port, other_name_of_this_machine, https_origin],
}
SIZES = [large_form, large_chunked_upload, large_upload]
HEADERS = {
    "content-security-policy": header("content-security-policy", "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"),
    "x-content-type-options": header("x-content-type-options", "nosniff"),
    "cross-origin-opener-policy": header("cross-origin-opener-policy", "same-origin"),
    "cross-origin-resource-policy": header("cross-origin-resource-policy", "same-origin"),
    "referrer-policy": header("referrer-policy", "same-origin"),
    "cache-control": header("cache-control", "no-store"),
}  # fmt: skip


def reading(**options):
    """The fields of the form that opens a file."""
    return {"separator": "", "encoding": "utf-8", "header": "", **options}


def raw(server, text):
    """The answer to some bytes."""
    known = server.known
    cookie = f"{known.cookie_name}={known.cookie}"
    with socket.create_connection(("127.0.0.1", known.port), timeout=60) as line:
        line.sendall(text.format(port=known.port, cookie=cookie).encode())
        return line.recv(4096)
