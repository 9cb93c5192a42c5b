"""Files that are dropped on the first page: each rule is a function of the page, and of what it
sends, that fails when the rule is broken.
"""

DROP = """([zone, names]) => {
    const held = new DataTransfer();
    for (const name of names) held.items.add(new File(["age,sex\\n23,F\\n37,M\\n38,M\\n"], name));
    const made = { bubbles: true, cancelable: true, dataTransfer: held };
    const over = new DragEvent("dragover", made), drop = new DragEvent("drop", made);
    const target = document.querySelector(zone);
    target.dispatchEvent(over);
    target.dispatchEvent(drop);
    return [over.defaultPrevented, drop.defaultPrevented];
}"""


def dropped(page, zone, names):
    """Drop files; whether the browser is kept from going to them."""
    return page.evaluate(DROP, [zone, names])


def holds(page, rule):
    """Hold a rule against a page, from which nothing is let out."""
    sent = []
    page.route("**/open", lambda route: (sent.append(route.request.url), route.fulfill(status=204)))
    rule(page, sent)
    page.unroute("**/open")


def the_page_stays(page, _sent):
    """Without it, the browser would go to a file that was dropped beside its field."""
    assert dropped(page, "h1", ["t.csv"]) == [True, True]


def nothing_is_taken_elsewhere(page, sent):
    """Only a drop on the zone is an answer to what the zone asks."""
    dropped(page, "h1", ["t.csv"])
    page.evaluate("new Promise((done) => setTimeout(done, 50))")  # a form would be sent by now
    assert sent == []


def one_file_at_a_time(page, sent):
    """No file is left aside unsaid."""
    dropped(page, ".drop", ["t.csv", "u.csv"])
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert sent == []
    assert page.inner_text("#status") == "One file at a time."


def no_more_than_the_limit(page, sent):
    """A file that is too large is refused as if it had been chosen."""
    page.evaluate("document.getElementById('file').dataset.most = 3")
    dropped(page, ".drop", ["t.csv"])
    page.evaluate("new Promise((done) => setTimeout(done, 50))")
    assert sent == []


RULES = (the_page_stays, nothing_is_taken_elsewhere, one_file_at_a_time, no_more_than_the_limit)
