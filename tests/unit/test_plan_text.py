"""The text of plans: what is written is read back, the same each time, and its lines are known."""

import datetime as dt
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.plan.lines import lines_of
from discreet.plan.toml import to_toml

names = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
scalars = st.one_of(
    st.booleans(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    names,
    st.dates(dt.date(1900, 1, 1)),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(names, values, max_size=6)


@given(documents)
def test_a_document_is_read_back_as_it_was_written(document):
    text = to_toml(document)
    assert tomllib.loads(text) == document
    assert to_toml(tomllib.loads(text)) == text


def ways(node, way=()):
    """Every key and item of a document."""
    inner = (
        enumerate(node)
        if isinstance(node, list)
        else node.items()
        if isinstance(node, dict)
        else []
    )
    for name, value in inner:
        yield (*way, name)
        yield from ways(value, (*way, name))


@given(documents)
def test_every_key_and_item_has_a_line_that_holds_its_name(document):
    text = to_toml(document)
    lines = lines_of(text)
    rows = text.split("\n")
    assert set(lines) == set(ways(document))
    for way, line in lines.items():
        assert 1 <= line <= len(rows)
        if isinstance(way[-1], str) and way[-1].isascii() and way[-1].isalnum():
            assert way[-1] in rows[line - 1]


HAND_WRITTEN = '''
# a comment with [brackets] and "quotes"
"a b".c = 1   # dotted, quoted
[x] # [y]
y = """
[not a section]
k = 5
"""
z = [ # items
  1, { q = 2, "r.s" = [3,
    4] },   # the end
]
w = \'\'\'a'\'\'\'\'
[[s]]
m = 'a # ]'
[s.crit]
k = 5
[[s]]
m = "b \\" ]"
  [[s.t]]
  d = 2020-01-01T00:00:00
'''


def test_lines_of_a_file_written_by_hand():
    found = lines_of(HAND_WRITTEN)
    assert set(found) == set(ways(tomllib.loads(HAND_WRITTEN)))
    wanted = {
        ("a b", "c"): 3,
        ("x", "y"): 5,
        ("x", "z", 1, "r.s", 1): 11,
        ("x", "w"): 13,
        ("s", 0, "crit", "k"): 17,
        ("s", 1, "m"): 19,
        ("s", 1, "t", 0, "d"): 21,
    }
    assert {way: found[way] for way in wanted} == wanted


def test_notes_stand_behind_their_keys_and_items_and_above_their_tables():
    text = to_toml(
        {"roles": {"keys": ["a", "b"], "weight": "w"}},
        {("roles",): "two\nlines", ("roles", "keys", 1): "why b", ("roles", "weight"): "why w"},
    )
    assert text.splitlines() == [
        "# two",
        "# lines",
        "[roles]",
        "keys = [",
        '    "a",',
        '    "b",  # why b',
        "]",
        'weight = "w"  # why w',
    ]


@pytest.mark.parametrize("sign", ["\n", "\r", "\0", "\x7f", "\u2028", '"', "\\", "#", "]", "="])
def test_no_sign_of_a_name_breaks_out_of_its_line(sign):
    document = {"types": {f"a{sign}b": "nominal"}}
    text = to_toml(document)
    assert tomllib.loads(text) == document
    assert len(text.splitlines()) == 2
