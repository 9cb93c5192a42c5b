"""What a browser does for the app, shown by taking it out: without a part of the policy, a header or
a flag of the cookie, a hostile page in Chromium gets what it wants.

Where two guards stop the same attack, the other one is out in both cases.
"""

from contextlib import contextmanager
from pathlib import Path

import pytest

import discreet.app
from discreet.app.server import guard
from tests.app.conftest import running
from tests.app.waiting import until
from tests.browser import drops
from tests.browser.steward import patient
from tests.browser.test_app import misled, site  # noqa: F401 - a fixture

SCRIPT = Path(discreet.app.__file__).parent / "static" / "app.js"
POLICY = guard.HEADERS["content-security-policy"]
NO_SITE = {name: one for name, one in guard.GUARDS.items() if name != "site"}


def headers(without=None, part=None):
    """The headers without one, or with the policy without one of its parts."""
    kept = {name: value for name, value in guard.HEADERS.items() if name != without}
    if part is not None:
        parts = [one for one in POLICY.split("; ") if not one.startswith(part)]
        assert len(parts) == len(POLICY.split("; ")) - 1
        kept["content-security-policy"] = "; ".join(parts)
    return kept


@contextmanager
def entered(browser, folder, **options):
    """A page of a steward who has the cookie, and the server."""
    with running(folder, **options) as server:
        context = patient(browser.new_context())
        page = context.new_page()
        page.goto(server.link)
        page.wait_for_url(f"{server.address}{server.known.listing}")
        try:
            yield page, server
        finally:
            context.close()


def script_runs(page, _server):
    """A script that got into the page runs."""
    page.evaluate("""() => {
        const script = document.createElement('script');
        script.textContent = 'window.pwned = 1';
        document.body.append(script);
    }""")
    return page.evaluate("window.pwned") == 1


def page_is_framed(page, server):
    """A page on another port has the app within itself, and can lay something over it."""
    frame = f'<!DOCTYPE html><iframe src="{server.address}/"></iframe>'
    with site(frame) as (port, _):
        page.goto(f"http://127.0.0.1:{port}/", wait_until="load")
        inner = page.frames[1]
        inner.wait_for_load_state()
        return inner.locator("h1:has-text('Open a table')").count() == 1


def form_leads_away(page, _server):
    """A form that got into the page sends what is written there to someone else."""
    refused = []
    page.on("console", lambda message: refused.append(message.text))
    with site("<!DOCTYPE html>taken") as (port, heard):
        page.evaluate(
            """(target) => {
                const form = document.createElement('form');
                form.action = target;
                document.body.append(form);
                form.submit();
            }""",
            f"http://127.0.0.1:{port}/",
        )
        for _ in range(600):
            if heard or refused:
                break
            page.wait_for_timeout(100)
        assert bool(heard) != bool(refused)
        return bool(heard)


def links_lead_away(page, _server):
    """A base that got into the page turns its links and scripts to someone else."""
    page.evaluate("""() => {
        const base = document.createElement('base');
        base.href = 'http://evil.test/';
        document.head.append(base);
    }""")
    return page.evaluate("document.baseURI").startswith("http://evil.test")


def window_is_held(page, server):
    """A page that opened the app in a window keeps hold of that window."""
    with site(f'<!DOCTYPE html><a target="w" rel="opener" href="{server.link}">app</a>') as (
        port,
        _,
    ):
        page.goto(f"http://127.0.0.1:{port}/")
        page.evaluate("window.held = window.open('about:blank', 'w')")
        page.click("a")
        opened = until(lambda: next((p for p in page.context.pages if p is not page), None))
        opened.wait_for_url(f"{server.address}{server.known.listing}")
        opened.wait_for_selector("h1")
        return not page.evaluate("window.held.closed")


def script_is_taken(page, server):
    """A page on another port loads a file of the app as if it were its own."""
    with site("<!DOCTYPE html><body>") as (port, _):
        page.goto(f"http://127.0.0.1:{port}/")
        return page.evaluate(
            """(target) => new Promise((done) => {
                const script = document.createElement('script');
                script.onload = () => done(true);
                script.onerror = () => done(false);
                script.src = target;
                document.body.append(script);
            })""",
            f"{server.address}/static/htmx.min.js",
        )


# what the attacker gains, and what is taken out for it
GAINS = {
    "the policy": (script_runs, {"headers": headers("content-security-policy")}, {}),
    "default-src": (script_runs, {"headers": headers(part="default-src")}, {}),
    "frame-ancestors": (
        page_is_framed,
        {"headers": headers(part="frame-ancestors"), "guards": NO_SITE},
        {"guards": NO_SITE},
    ),
    "form-action": (form_leads_away, {"headers": headers(part="form-action")}, {}),
    "base-uri": (links_lead_away, {"headers": headers(part="base-uri")}, {}),
    "COOP": (window_is_held, {"headers": headers("cross-origin-opener-policy")}, {}),
    "CORP": (
        script_is_taken,
        {"headers": headers("cross-origin-resource-policy"), "guards": NO_SITE},
        {"guards": NO_SITE},
    ),
}


@pytest.mark.parametrize("name", GAINS)
def test_without_it_the_attack_succeeds(misled, tmp_path, name):  # noqa: F811
    attack, mutant, otherwise = GAINS[name]
    with entered(misled, tmp_path / "work", **otherwise) as (page, server):
        assert not attack(page, server)
    with entered(misled, tmp_path / "other", **mutant) as (page, server):
        assert attack(page, server)


def test_every_part_of_the_policy_is_taken_out_or_covered_by_another():
    named = {part.partition(" ")[0] for part in POLICY.split("; ")}
    assert named == {*GAINS} - {"the policy", "COOP", "CORP"} | {"object-src"}  # as default-src


# -- the cookie ----------------------------------------------------------------------------------


def cookie_is_read(page, server):
    """A script in the page reads the cookie, and could send it away."""
    return server.known.cookie in page.evaluate("document.cookie")


def cookie_comes_along(page, server):
    """A link on another site leads into the app with the cookie of the steward."""
    with site(f'<!DOCTYPE html><a href="{server.address}/">app</a>') as (port, _):
        page.goto(f"http://evil.test:{port}/")
        with page.expect_navigation() as led:
            page.click("a")
        return led.value.status == 200


@pytest.mark.parametrize(
    ("attack", "flag"), [(cookie_is_read, "HttpOnly"), (cookie_comes_along, "SameSite=strict")]
)
def test_without_the_flag_of_the_cookie_the_attack_succeeds(
    misled,  # noqa: F811
    tmp_path,
    monkeypatch,
    attack,
    flag,
):
    with entered(misled, tmp_path / "work") as (page, server):
        assert not attack(page, server)
    real = guard.welcome

    def careless(known, landing):
        answer = real(known, landing)
        answer.headers["set-cookie"] = answer.headers["set-cookie"].replace(f"; {flag}", "")
        assert flag not in answer.headers["set-cookie"]
        return answer

    monkeypatch.setattr(guard, "welcome", careless)
    with entered(misled, tmp_path / "other") as (page, server):
        assert attack(page, server)


# -- files that are dropped ----------------------------------------------------------------------

# what is put in place of which part of the script, and what then succeeds
DROPS = {
    drops.the_page_stays: ("event.preventDefault();\n      const zone", "const zone"),
    drops.nothing_is_taken_elsewhere: (
        'event.target.closest("[data-drop]")',
        'document.querySelector("[data-drop]")',
    ),
    drops.one_file_at_a_time: (
        'if (files.length > 1 && !field.multiple) return say("One file at a time.");',
        "",
    ),
    drops.no_more_than_the_limit: (
        'field.dispatchEvent(new Event("change", { bubbles: true }));',
        "",
    ),
}


def test_every_rule_of_drops_has_a_mutant():
    assert set(DROPS) == set(drops.RULES)


@pytest.mark.parametrize("rule", drops.RULES, ids=lambda rule: rule.__name__)
def test_without_it_a_dropped_file_goes_astray(steward, rule):
    part, mutant = DROPS[rule]
    visit = steward()
    script = SCRIPT.read_text(encoding="utf-8")
    assert part in script
    visit.page.route("**/app.js*", lambda route: route.fulfill(body=script.replace(part, mutant)))
    page = visit.at("/")
    with pytest.raises(AssertionError):
        drops.holds(page, rule)
