"""Guards: who may ask the app for something, and what the answers allow a page to do.

Against other web sites in the steward's browser, other users of the machine, names that are turned
to this address (DNS rebinding) and hostile text in the data. Not against programs that run as the
steward. Each guard refuses one kind of request; a test takes out one after the other and shows the
attack that then succeeds.
"""

from __future__ import annotations

import html
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.body_limit import RequestBodyLimitMiddleware
from starlette.responses import HTMLResponse, PlainTextResponse, Response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOME = "/home/"  # what lists tables and projects lies below
SAFE = ("GET", "HEAD")  # they change nothing
BACK = (  # after the browser was closed, or the cookie lost
    "Go to the terminal where the app was started, and press Enter there: it opens the browser "
    "again. Nothing is lost. If the app has ended, start it again with: discreet app"
)
FORM_BYTES = 2 << 20  # the most a request may hold that uploads no file

# every answer carries them; static files may be kept by the browser, nothing else
HEADERS: Mapping[str, str] = {
    "content-security-policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; "
        "form-action 'self'"
    ),
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "same-origin",  # no-referrer would make a form's Origin "null"
    "cache-control": "no-store",
}


@dataclass(frozen=True, repr=False)
class Secrets:
    """What opens the door of one start of the app: its port, and three random texts."""

    port: int
    token: str
    cookie: str
    home: str

    @classmethod
    def fresh(cls, port: int) -> Secrets:
        """New secrets of 256 bits each."""
        return cls(port, *(secrets.token_urlsafe(32) for _ in range(3)))

    @property
    def listing(self) -> str:
        """The page that lists open tables and projects; only the launch link leads there."""
        return f"{HOME}{self.home}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The names under which the app may be asked."""
        return tuple(f"{name}:{self.port}" for name in ("127.0.0.1", "localhost", "[::1]"))

    @property
    def cookie_name(self) -> str:
        """Cookies do not tell ports apart: the name does."""
        return f"discreet-{self.port}"


@dataclass(frozen=True)
class SeenRequest:
    """A request as the guards look at it."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Headers

    @classmethod
    def of(cls, scope: Scope) -> SeenRequest:
        """From the scope of the server."""
        query = parse_qs(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        return cls(scope.get("method", "GET"), scope["path"], query, Headers(scope=scope))

    @property
    def is_login(self) -> bool:
        """Whether it brings a token."""
        return self.method in SAFE and self.path == "/" and "token" in self.query

    def only(self, name: str) -> str | None:
        """A header that must stand once; None where it does not."""
        given = self.headers.getlist(name)
        return given[0] if len(given) == 1 else None


@dataclass(frozen=True)
class Refusal:
    """Why a request is not answered."""

    status: int
    said: str
    remedy: str = ""


Guard = Callable[[SeenRequest, Secrets], Refusal | None]


def host(asked: SeenRequest, known: Secrets) -> Refusal | None:
    """DNS rebinding: a foreign name that leads here is not one of ours."""
    if asked.only("host") in known.hosts:
        return None
    return Refusal(421, "This address is not known here.")


def handshake(asked: SeenRequest, _: Secrets) -> Refusal | None:
    """No WebSocket: browsers let any page open one, whatever its origin."""
    if "upgrade" in asked.headers:
        return Refusal(403, "The app uses plain HTTP, not HTTPS.")
    return None


def token(asked: SeenRequest, known: Secrets) -> Refusal | None:
    """Only the token of this start is exchanged for the cookie."""
    if not asked.is_login or _same(asked.query["token"], known.token):
        return None
    return Refusal(403, "This link belongs to an earlier start of the app.", BACK)


def cookie(asked: SeenRequest, known: Secrets) -> Refusal | None:
    """Everything else needs the cookie, static files too."""
    if asked.is_login or _same(_cookies(asked.headers, known.cookie_name), known.cookie):
        return None
    return Refusal(401, "This browser may not open the app, or no longer may.", BACK)


def listing(asked: SeenRequest, known: Secrets) -> Refusal | None:
    """Tables and projects are listed to who came by the launch link: other servers of this machine
    get to see the cookie, and not the address.
    """
    given = asked.path.removeprefix(HOME).partition("/")[0]
    if not asked.path.startswith(HOME) or _same([given], known.home):
        return None
    return Refusal(404, "This page does not exist.")


def site(asked: SeenRequest, _: Secrets) -> Refusal | None:
    """Another site, or another port of this machine, may only lead the browser here."""
    where = asked.headers.get("sec-fetch-site")
    if where == "same-origin" or (asked.method in SAFE and where in (None, "none")):
        return None
    mode, dest = (asked.headers.get(f"sec-fetch-{name}") for name in ("mode", "dest"))
    if asked.method in SAFE and (mode, dest) == ("navigate", "document"):
        return None
    return Refusal(403, "This request did not come from a page of the app.")


def origin(asked: SeenRequest, known: Secrets) -> Refusal | None:
    """What changes something comes from a page of this very address."""
    if asked.method in SAFE:
        return None
    here, there = asked.only("host"), asked.only("origin")
    if here in known.hosts and there == f"http://{here}":
        return None
    return Refusal(403, "This request did not come from a page of the app.")


GUARDS: Mapping[str, Guard] = {
    "host": host,
    "handshake": handshake,
    "token": token,
    "cookie": cookie,
    "listing": listing,
    "site": site,
    "origin": origin,
}


class Guarded:
    """The app behind its guards, in their order; the first that refuses answers."""

    def __init__(
        self,
        app: ASGIApp,
        known: Secrets,
        *,
        landing: Callable[[], str],
        guards: Mapping[str, Guard] = GUARDS,
        headers: Mapping[str, str] = HEADERS,
        most_bytes: int | None = FORM_BYTES,
    ) -> None:
        self.known, self.landing = known, landing
        self.guards, self.headers = guards, headers
        limited = app if most_bytes is None else RequestBodyLimitMiddleware(app, most_bytes)
        self.app: ASGIApp = limited

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        elif scope["type"] == "http":
            await self._answer(scope, receive, self._with_headers(scope, send))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        asked = SeenRequest.of(scope)
        refusals = (guard(asked, self.known) for guard in self.guards.values())
        refusal = next((found for found in refusals if found is not None), None)
        if refusal is not None:
            answer: ASGIApp = _refused(refusal)
        elif asked.is_login:
            answer = welcome(self.known, self.landing())
        else:
            answer = self.app
        await self._quietly(answer, scope, receive, send)

    @staticmethod
    async def _quietly(answer: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer; an error that comes through goes no further, for its text may quote a value."""
        begun = False

        async def sent(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            await answer(scope, receive, sent)
        except Exception:  # noqa: BLE001
            if not begun:
                await PlainTextResponse("The app failed.", 500)(scope, receive, send)

    def _with_headers(self, scope: Scope, send: Send) -> Send:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    if name != "cache-control" or not _is_static(scope, message):
                        headers[name] = value
            await send(message)

        return sent


def _refused(refusal: Refusal) -> Response:
    """A page that says why, and how to get in; it has no style, which would need the cookie."""
    body = f"<main><h1>{refusal.said}</h1><p>{refusal.remedy}</p></main>"
    return HTMLResponse(_bare_page(body), refusal.status)


def _bare_page(body: str, head: str = "") -> str:
    return (
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>discreet</title>'
        f"{head}</head><body>{body}</body></html>"
    )


def leading_page(place: str, words: str, head: str = "") -> str:
    """A page that leads on to an address by itself, or by a link."""
    there = html.escape(place, quote=True)
    leads = f'<meta http-equiv="refresh" content="0; url={there}">'
    return _bare_page(f'<p><a href="{there}">{words}</a></p>', f"{head}{leads}")


def welcome(known: Secrets, landing: str) -> Response:
    """The cookie in place of the token, and a page that leads on.

    A redirect would not do: a browser that was led here from elsewhere does not send a cookie that
    is SameSite=Strict along with the redirect, but does so when our own page leads on.
    """
    icon = '<link rel="icon" href="/static/icon.svg">'
    answer = HTMLResponse(leading_page(landing, "Open the app", icon))
    answer.set_cookie(known.cookie_name, known.cookie, httponly=True, samesite="strict", path="/")
    return answer


def _same(given: Iterable[str], secret: str) -> bool:
    """Whether one of the texts is the secret; how long it takes does not tell how near it is."""
    found = [
        secrets.compare_digest(one.encode("utf-8", "replace"), secret.encode()) for one in given
    ]
    return any(found)


def _cookies(headers: Headers, name: str) -> list[str]:
    """The values of a cookie: another server of this machine may have set one by the same name."""
    parts = [part for line in headers.getlist("cookie") for part in line.split(";")]
    pairs = [part.strip().partition("=") for part in parts]
    return [value for key, _, value in pairs if key == name]


def _is_static(scope: Scope, message: Message) -> bool:
    return scope["path"].startswith("/static/") and message["status"] == 200
