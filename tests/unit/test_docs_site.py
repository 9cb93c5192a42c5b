"""The built site: every page is in it, every link leads somewhere, and nothing is fetched."""

import html
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import discreet as ds
from papers.gallery import FOLDER, PAGE, blocks

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))["project"]
PAGES = {p.relative_to(ROOT / "docs").as_posix() for p in (ROOT / "docs").rglob("*.md")}
BUILD = "from zensical.main import cli; cli()"
FETCHED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object|input)\b[^>]*?\b(?:src|data|poster)="
    r'["\']?(?:https?:)?//|<link\b[^>]*?href=["\']?(?:https?:)?//',
    re.IGNORECASE,
)
IMPORTED = re.compile(r"@import|url\(\s*[\"']?(?:https?:)?//", re.IGNORECASE)


def listed(entries):
    """The pages of a navigation, however deep."""
    for entry in entries:
        if isinstance(entry, str):
            yield entry
        else:
            for below in entry.values():
                yield from [below] if isinstance(below, str) else listed(below)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The site, built anew from copies of what it is made of."""
    folder = tmp_path_factory.mktemp("site")
    for name in ("docs", "src"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "benchmarks").mkdir()
    for name in ("zensical.toml", "benchmarks/README.md", "benchmarks/results.md"):
        shutil.copy(ROOT / name, folder / name)
    done = subprocess.run(
        [sys.executable, "-c", BUILD, "build", "--strict", "--clean"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture(scope="module")
def built(site):
    return {p.relative_to(site).as_posix(): p.read_text("utf-8") for p in site.rglob("*.html")}


def test_every_page_is_in_the_navigation_and_the_navigation_has_no_other():
    assert set(listed(CONFIG["nav"])) == PAGES


def test_every_page_is_built(built):
    assert {page.removesuffix(".md") + ".html" for page in PAGES} <= set(built)


def test_nothing_is_fetched_from_elsewhere(built, site):
    assert [page for page, text in built.items() if FETCHED.search(text)] == []
    styles = {p.name: p.read_text("utf-8") for p in site.rglob("*.css")}
    assert [name for name, text in styles.items() if IMPORTED.search(text)] == []


def test_a_page_that_fetches_would_be_noticed():
    for text in (
        '<script src="https://unpkg.com/x"></script>',
        '<link rel="stylesheet" href="//fonts.example/css">',
        '<img alt="" src=http://example.org/a.png>',
    ):
        assert FETCHED.search(text)
    assert not FETCHED.search('<a href="https://example.org">elsewhere</a><script src="./a.js">')


def test_every_link_and_picture_leads_to_a_file_of_the_site(built, site):
    broken = []
    for page, text in built.items():
        for target in re.findall(r'<(?:a|img|script|link)\b[^>]*?(?:href|src)="([^"]+)"', text):
            path = html.unescape(target).partition("#")[0].partition("?")[0]
            outside = re.match(r"[a-z]+:|/", path) and page != "404.html"
            if path and not outside and not (site / page).parent.joinpath(path).exists():
                broken.append((page, target))
    assert [b for b in broken if b[0] != "404.html"] == []


def test_every_picture_has_words(built):
    pictures = [tag for text in built.values() for tag in re.findall(r"<img\b[^>]*>", text)]
    assert len(pictures) >= 15
    assert [tag for tag in pictures if not re.search(r'alt="[^"]{20,}"', tag)] == []


def test_every_public_name_has_an_entry_in_the_api_pages(built):
    pages = "".join(text for page, text in built.items() if page.startswith("api"))
    names = set(ds.__all__) - {"__version__", "datasets", "errors"}
    assert [name for name in sorted(names) if f'id="discreet.{name}"' not in pages] == []
    assert [n for n in ds.datasets.__all__ if f'id="discreet.datasets.{n}"' not in pages] == []


def test_the_search_knows_the_pages(site):
    index = (site / "search.json").read_text(encoding="utf-8")
    for words in ("How to choose k", "prosecutor risk", "classification matrix"):
        assert words.lower() in index.lower()


def test_the_gallery_has_a_picture_for_every_chart_that_it_draws():
    drawn = set(re.findall(r'(?:draw|write_svg)\("([\w-]+\.svg)"', "".join(blocks())))
    shown = re.findall(r"!\[.+\]\(images/gallery/([\w-]+\.svg)\)", PAGE.read_text("utf-8"))
    assert drawn == set(shown) == {path.name for path in FOLDER.iterdir()}
    assert len(drawn) >= 8
