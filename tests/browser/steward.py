"""A steward at a page of the app in a real browser, and all that the page said and asked for."""

from urllib.parse import urlsplit

from tests.app.visitor import Visitor
from tests.app.waiting import MILLISECONDS


def patient(context):
    """A context whose pages wait as long as a slow machine needs."""
    context.set_default_timeout(MILLISECONDS)
    return context


class Steward:
    """Pages in a browser, in a context that is shared, or in one of their own."""

    def __init__(self, context, server, width=1400, *, owner=False):
        self.context, self.server, self.width, self.owner = context, server, width, owner
        self.said, self.asked, self.tabs = [], [], []
        self.page = self.tab()

    @classmethod
    def alone(cls, browser, server, width=1400):
        """In a context of its own, which has not been let in."""
        return cls(patient(browser.new_context()), server, width, owner=True)

    def tab(self):
        page = self.context.new_page()
        page.set_viewport_size({"width": self.width, "height": 900})
        page.on("console", lambda message: self.said.append(message.text))
        page.on("pageerror", lambda error: self.said.append(str(error)))
        page.on("dialog", lambda dialog: self.said.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: self.asked.append(request.url))
        self.tabs.append(page)
        return page

    def enter(self):
        """Go to the first page by the link of the terminal."""
        self.page.goto(self.server.link)
        self.page.wait_for_url(f"{self.server.address}/**")
        self.page.wait_for_selector("h1")
        return self.page

    def open(self, name, content):
        """Upload a table by the form, and wait until it was read."""
        page = self.enter()
        page.set_input_files("#file", {"name": name, "mimeType": "text/csv", "buffer": content})
        page.click("form[action='/open'] button.primary")
        page.wait_for_selector("#columns-title")
        return page

    def at(self, path):
        """Go to a page, and enter first where that is needed."""
        if not any(one["name"] == self.server.known.cookie_name for one in self.context.cookies()):
            self.enter()
        self.page.goto(self.server.address + path)
        return self.page

    def with_table(self, name, content, path="data"):
        """The page of a table that was uploaded by a request."""
        made = Visitor(self.server).logged_in().open(name, content)
        assert made.job.state == "done", made.job.problems
        return self.at(f"/w/{made.id}/{path}")

    def give(self, column, role, kind=""):
        """Give a column of the table its role by a request."""
        at = f"/w/{self.workspace.id}/roles/{column}"
        fields = {f"role-{column}": role, f"type-{column}": kind}
        assert Visitor(self.server).logged_in().post(at, fields).status < 400

    @property
    def workspace(self):
        return self.server.workspaces.get(urlsplit(self.page.url).path.split("/")[2])

    def leave(self):
        for page in self.tabs:
            page.close()
        if self.owner:
            self.context.close()
