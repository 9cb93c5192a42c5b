"""Who gets in: every attack on the running app is refused, and the steward is not."""

import re
import socket

import pytest

from discreet import font
from tests.app import attacks
from tests.app.conftest import running
from tests.app.visitor import Visitor

ALL = [
    pytest.param(attack, id=attack.__name__)
    for attack in [
        attacks.no_host,
        *(a for some in attacks.ATTACKS.values() for a in some),
        *attacks.SIZES,
        *attacks.HEADERS.values(),
    ]
]


@pytest.fixture(scope="module")
def guarded(tmp_path_factory):
    with running(tmp_path_factory.mktemp("guarded") / "work", most_upload=3 << 20) as started:
        yield started


@pytest.mark.parametrize("attack", ALL)
def test_the_app_holds_against(guarded, attack):
    attack(guarded)


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_the_token_is_exchanged_for_another_secret_in_a_page_that_leads_on(guarded, name):
    host = f"{name}:{guarded.known.port}"
    answer = Visitor(guarded).get(f"/?token={guarded.known.token}", Host=host)
    assert answer.status == 200  # a redirect would lose the cookie when led here from elsewhere
    assert guarded.known.token not in answer.text
    cookie = answer.headers["set-cookie"]
    assert guarded.known.token not in cookie
    assert f"discreet-{guarded.known.port}={guarded.known.cookie}" in cookie
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    again = Visitor(guarded).get("/", Host=host, Cookie=cookie.partition(";")[0])
    assert again.status == 200


def test_the_secrets_have_256_bits_and_are_new_at_every_start(guarded, tmp_path):
    with running(tmp_path / "work") as other:
        texts = {
            s
            for known in (guarded.known, other.known)
            for s in (known.token, known.cookie, known.home)
        }
    assert len(texts) == 6
    assert all(len(text) >= 43 for text in texts)


def test_a_cookie_that_another_port_has_set_by_the_same_name_does_not_lock_out(guarded):
    name = guarded.known.cookie_name
    visitor = Visitor(guarded)
    assert visitor.get("/", Cookie=f"{name}=x; {name}={guarded.known.cookie}").status == 200


def test_who_is_not_let_in_is_told_the_way_back(guarded):
    for answer in (Visitor(guarded).get("/"), Visitor(guarded).get("/?token=x")):
        assert "press Enter" in answer.text
        assert "discreet app" in answer.text
    listing = Visitor(guarded).get(f"/?token={guarded.known.token}").text
    assert f'url={guarded.known.listing}"' in listing or "url=/w/" in listing


def test_a_link_on_another_site_may_lead_to_the_app(guarded):
    sent = {
        "Sec-Fetch-Site": "cross-site",
        "Sec-Fetch-Mode": "navigate",
        "Sec-Fetch-Dest": "document",
    }
    link = f"/?token={guarded.known.token}"
    assert Visitor(guarded).ask("GET", link, headers=sent).status == 200


def test_only_this_machine_reaches_it(guarded):
    assert guarded.socket.getsockname()[0] == "127.0.0.1"
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    for address in others - {"127.0.0.1"}:
        with pytest.raises(OSError):
            socket.create_connection((address, guarded.known.port), timeout=2)


def test_the_font_of_the_drawings_is_served_to_the_app_and_nothing_else_of_its_folder(guarded):
    visitor = Visitor(guarded).logged_in()
    for name in font.FILES:
        answer = visitor.get(f"/static/font/{name}")
        assert (answer.status, answer.headers["content-type"]) == (200, "font/woff2")
        assert answer.raw == (font.FOLDER / name).read_bytes()
        assert f"url(/static/font/{name})" in visitor.get("/static/fragments.css").text
    for name in ("__init__.py", "sans-400.ttf", "OFL.txt", "..%2fcharts.py", ""):
        assert visitor.get(f"/static/font/{name}").status == 404
    stranger = Visitor(visitor.server)
    assert stranger.get(f"/static/font/{font.FILES[0]}").status == 401
    policy = visitor.get("/").headers["content-security-policy"]
    assert "default-src 'self'" in policy  # for fonts too
    assert not re.search(r"font-src|data:", policy)


def test_static_files_may_be_kept_and_pages_may_not(guarded):
    visitor = Visitor(guarded).logged_in()
    assert "cache-control" not in visitor.get("/static/app.css").headers
    assert visitor.get("/static/none.css").headers["cache-control"] == "no-store"
    assert visitor.get("/").headers["cache-control"] == "no-store"


def test_methods_that_a_page_does_not_use_are_refused(guarded):
    visitor = Visitor(guarded).logged_in()
    for method in ("PUT", "DELETE", "PATCH", "OPTIONS", "TRACE"):
        assert visitor.ask(method, "/").status == 405


def test_paths_of_the_machine_cannot_be_asked_for(guarded):
    visitor = Visitor(guarded).logged_in()
    for path in (
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static//etc/passwd",
        "/w/../data",
    ):
        assert visitor.get(path).status in (400, 404)


def test_a_form_that_cannot_be_read_is_refused_and_nothing_of_it_is_logged(guarded, caplog):
    kind = {"Content-Type": "multipart/form-data; boundary=x"}
    answer = Visitor(guarded).logged_in().ask("POST", "/open", b"GEHEIM", kind)
    assert (answer.status, "cannot be read" in answer.text) == (422, True)
    assert caplog.text == ""


def test_the_server_says_nothing_of_itself(guarded):
    assert "server" not in Visitor(guarded).logged_in().get("/").headers
