"""A measure of loss has a value where it sees everything that was changed, and none elsewhere.

Every masking meets every measure, made here and read back as a file masked elsewhere. Which measures
apply, and what they come to, is worked out again below from the values of both files alone.
"""

import functools
import itertools
import json
import math
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest

import discreet as ds
from discreet.data.link import link
from discreet.errors import InvalidParameter, InvalidRole, NotSupported
from discreet.loss.comparison import Asked, compare
from discreet.loss.information import MEASURES

N = 60
SCALE = ["low", "middle", "high", "top"]
KINDS = {
    "age": "number",
    "pay": "number",
    "edu": "ordinal",
    "sex": "nominal",
    "town": "nominal",
    "wage": "number",
    "club": "nominal",
}
KEYS = ("age", "pay", "edu", "sex", "town")
NUMBERS = [name for name in MEASURES if name.startswith(("il", "pil"))]
NUMBERS += ["sse_ratio", "eigenvalues"]
NAMES = ["dist", "ctbil", "actbil"]
HIERARCHIES = {
    "age": ds.Hierarchy.intervals([10, 30]),
    "edu": ds.Hierarchy.suppress(),
    "sex": ds.Hierarchy.suppress(),
    "town": ds.Hierarchy.prefixes([2, 1, 0]),
}


def table():
    rng = np.random.default_rng(5)
    return {
        "rec": list(range(N)),
        "age": rng.integers(1, 90, N).tolist(),
        "pay": np.round(rng.lognormal(3, 1, N), 1).tolist(),
        "edu": rng.choice(SCALE, N).tolist(),
        "sex": rng.choice(["F", "M"], N).tolist(),
        "town": [f"{a}{b}" for a, b in rng.choice(list("ABCDEF"), (N, 2))],
        "wage": rng.integers(100, 900, N).tolist(),
        "club": rng.choice(["x", "y", "z"], N).tolist(),
    }


def read(columns, keys=KEYS):
    return ds.read(columns, keys=list(keys), types={"edu": SCALE, "sex": "nominal"})


def at_levels(data, suppressed=0.0, k=1, **levels):
    given = {key: HIERARCHIES[key] for key in data.keys if key in HIERARCHIES}
    found = ds.generalize(data, given, ds.KAnonymity(k), max_suppressed=1.0)
    wanted = [levels.get(key, 0) for key in data.keys]
    nodes = range(found.task.lattice.nodes)
    node = next(n for n in nodes if list(found.task.lattice.levels_of(n)) == wanted)
    return found.node(node).mask()


def risky(data, share=0.7, **options):
    known, sensitivity = dict.fromkeys(data.keys, 0.5), {"club": 1.0}
    risk = ds.record_risk(data, known=known, sensitivity=sensitivity)
    limit = float(np.quantile(risk.values, share))
    return ds.protect_records(data, risk, at_most=limit, **options)


def averaged(*columns, **options):
    return lambda data: ds.microaggregate(data, list(columns), k=4, **options)


def half(data):
    return ds.sample(data, n=data.n // 2, seed=3)


MASKINGS = {
    "nothing": lambda d: ds.sample(d, fraction=1.0, seed=1),
    "sample": half,
    "suppression alone": lambda d: at_levels(d.with_roles(keys=["edu", "sex"]), k=7),
    "generalize": lambda d: at_levels(d, age=1, town=1),
    "generalize names": lambda d: at_levels(d, town=1, sex=1),
    "generalize and suppress": lambda d: at_levels(d.with_roles(keys=["age", "sex"]), k=10, age=2),
    "numbers": averaged("age", "pay"),
    "one number": averaged("age", method="optimal-univariate"),
    "steps": averaged("edu"),
    "names": averaged("town", "sex"),
    "steps and names": averaged("edu", "sex", "town"),
    "mixed": averaged("age", "edu", "sex"),
    "a number that is no key": averaged("wage"),
    "a name that is no key": averaged("club"),
    "cells emptied": risky,
    "cells of a number emptied": lambda d: risky(d, columns=["age"]),
    "cells of names emptied": lambda d: risky(d, columns=["sex", "town"]),
    "risky records averaged": lambda d: risky(
        d.with_roles(keys=["age"]), share=0.2, method="microaggregate"
    ),
    "generalize, then sample": lambda d: half(MASKINGS["generalize"](d)),
    "sample, then generalize": lambda d: at_levels(half(d), age=1),
    "sample, then numbers": lambda d: averaged("age", "pay")(half(d)),
    "generalize, then another key": lambda d: averaged("pay")(MASKINGS["generalize"](d)),
    "generalize, then no key": lambda d: averaged("wage")(MASKINGS["generalize"](d)),
    "numbers, then generalize": lambda d: at_levels(averaged("pay")(d), town=1),
    "generalize twice": lambda d: at_levels(at_levels(d, town=1), sex=1),
    "numbers, then names": lambda d: averaged("sex")(averaged("age")(d)),
    "numbers, then cells emptied": lambda d: risky(averaged("pay")(d), columns=["age"]),
}
PLACES = ["here", "elsewhere"]


@functools.cache
def made(name, place):
    """The initial and the masked file, the records of both by their number, and the link."""
    whole = table()
    masked = MASKINGS[name](read(whole))
    initial = read(whole, masked.keys)
    rows = masked.to("arrow")
    if place == "elsewhere":
        types = {n: "nominal" for n in rows.column_names if pa.types.is_string(rows[n].type)}
        types |= {"edu": SCALE} if set(rows["edu"].to_pylist()) <= {*SCALE, None} else {}
        masked = ds.read(rows, keys=list(initial.keys), types=types)
        link = {"on": "rec"}
    else:
        initial, link = masked.initial, {}
    return initial.with_roles(keys=list(masked.keys)), masked, rows.to_pylist(), link


@functools.cache
def lost(name, place):
    initial, masked, _, link = made(name, place)
    return ds.information_loss(initial, masked, **link)


# -- the same, worked out from the values ----------------------------------------------------------


class Oracle:
    """Which measures apply and what they come to, by loops over the values."""

    def __init__(self, keys, rows):
        whole = table()
        self.keys = keys
        self.all = {n: whole[n] for n in KINDS}
        self.x = {n: [whole[n][r["rec"]] for r in rows] for n in KINDS}
        self.y = {n: [r[n] for r in rows] for n in KINDS}
        self.left_out = N - len(rows)
        self.changed = [n for n in KINDS if any(a != b for a, b in self.pairs(n))]
        self.scope = [n for n in KINDS if n in keys or n in self.changed]
        self.numbers = [n for n in self.scope if KINDS[n] == "number" and self.is_number(n)]
        named = [n for n in self.scope if KINDS[n] != "number"]
        self.names = [n for n in named if {*self.y[n]} <= {*self.all[n], *self.scale(n), None}]
        self.named = named

    def pairs(self, n):
        return list(zip(self.x[n], self.y[n], strict=True))

    def scale(self, n):
        return SCALE if KINDS[n] == "ordinal" else []

    def is_number(self, n):
        return not any(isinstance(v, str) for v in self.y[n])

    def emptied(self, n):
        return None in self.y[n]

    def sees(self, some):
        """Whether all that was changed is among some attributes, and something was, if records
        were left out."""
        return bool(some) and {*self.changed} <= {*some} and (self.changed or not self.left_out)

    def applies(self, measure):
        if measure in NUMBERS:
            pair = measure in ("il4", "il5", "pil_m11", "pil_r") and len(self.numbers) < 2
            return self.sees(self.numbers) and not any(map(self.emptied, self.numbers)) and not pair
        if measure in NAMES:
            steps = [n for n in self.names if KINDS[n] == "ordinal" and self.emptied(n)]
            return self.sees(self.names) and not (measure == "dist" and steps)
        if measure == "ebil":
            return self.sees(self.named)
        if measure == "hellinger":
            return self.sees([*self.numbers, *self.names])
        return {*self.changed} <= {*self.keys}

    def expected(self):
        found = {}
        if self.applies("il1"):
            found |= self.of_numbers()
        if self.applies("ctbil"):
            found |= self.of_names()
        if self.applies("hellinger"):
            every = [self.hellinger(n) for n in (*self.numbers, *self.names)]
            found["hellinger"] = np.mean(every)
        if self.applies("ebil"):
            found["ebil"] = sum(self.left_open(n) for n in self.named)
        if self.applies("ebil_share"):
            found |= self.of_keys()
        return found

    def hellinger(self, n):
        """By its definition, numbers between the quantiles 5% to 95%; these are all different."""
        sides = self.x[n], self.y[n]
        if n in self.numbers:
            complete = [
                i for i in range(len(sides[0]))
                if all(self.x[m][i] is not None and self.y[m][i] is not None for m in self.numbers)
            ]  # fmt: skip
            cuts = np.quantile([sides[0][i] for i in complete], np.arange(1, 20) / 20)
            assert len({*cuts}) == 19
            sides = [
                [None if v is None else sum(v > c + 1e-9 * abs(c) for c in cuts) for v in side]
                for side in sides
            ]
        shares = [{v: side.count(v) / len(side) for v in side} for side in sides]
        apart = (
            math.sqrt(shares[0].get(v, 0)) - math.sqrt(shares[1].get(v, 0))
            for v in {*shares[0], *shares[1]}
        )
        return math.sqrt(sum(d * d for d in apart) / 2)

    def of_numbers(self):
        x = np.array([self.x[n] for n in self.numbers], dtype=float)
        y = np.array([self.y[n] for n in self.numbers], dtype=float)
        found = {
            "il1": np.mean([abs(a - b) / a for a, b in zip(x.ravel(), y.ravel(), strict=True)]),
            "il2": np.mean(
                [abs(a.mean() - b.mean()) / a.mean() for a, b in zip(x, y, strict=True)]
            ),
            "il3": np.mean([abs(a.var() - b.var()) / a.var() for a, b in zip(x, y, strict=True)]),
        }
        pairs = list(itertools.combinations(range(len(x)), 2))
        if pairs:
            cov = [(np.cov(x[a], x[b])[0, 1], np.cov(y[a], y[b])[0, 1]) for a, b in pairs]
            cor = [np.corrcoef(x[a], x[b])[0, 1] - np.corrcoef(y[a], y[b])[0, 1] for a, b in pairs]
            found["il4"] = np.mean([abs(a - b) / abs(a) for a, b in cov])
            found["il5"] = np.mean(np.abs(cor))
        ratios = [
            ((a - b) ** 2).sum() / ((a - a.mean()) ** 2).sum()
            for n, a, b in zip(self.numbers, x, y, strict=True)
            if n in self.changed
        ]
        found["il"] = 100 * np.mean(list(found.values()))
        spread = x.std(axis=1, ddof=1)
        found["il1s"] = np.mean(np.abs(x - y) / spread[:, None]) / math.sqrt(2)
        first, second = (
            np.linalg.eigvalsh(np.cov(v / spread[:, None]).reshape(len(v), -1)) for v in (x, y)
        )
        found["eigenvalues"] = np.mean(np.abs(first - second) / first)
        return {**found, "sse_ratio": np.mean(ratios) if ratios else 0.0}

    def of_names(self):
        dist = 0
        for n in self.names:
            for a, b in self.pairs(n):
                ordinal = KINDS[n] == "ordinal" and b is not None
                dist += abs(SCALE.index(a) - SCALE.index(b)) if ordinal else a != b
        lost = cells = 0
        sets = [*((n,) for n in self.names), *itertools.combinations(self.names, 2)]
        for chosen in sets:
            f, g = (
                Counter(zip(*(side[n] for n in chosen), strict=True)) for side in (self.x, self.y)
            )
            lost += sum(abs(f[cell] - g[cell]) / f[cell] for cell in f)
            cells += len(f)
        found = {"dist": dist, "ctbil": lost, "actbil": lost / cells}
        return {name: value for name, value in found.items() if self.applies(name)}

    def left_open(self, n):
        both, of_y = Counter(self.pairs(n)), Counter(self.y[n])
        return sum(c * math.log2(of_y[y] / c) for (_, y), c in both.items())

    def of_keys(self):
        whole = lost = 0.0
        for key in self.keys:
            counts = Counter(self.all[key])
            bits = {v: math.log2(N / c) for v, c in counts.items()}
            own = sum(bits[v] * c for v, c in counts.items())
            lost += own - sum(bits[v] for v in self.x[key]) + self.left_open(key)
            whole += own
        sizes = Counter(zip(*(self.y[key] for key in self.keys), strict=True)).values()
        return {
            "ebil_share": lost / whole,
            "discernibility": sum(s * s for s in sizes) + N * self.left_out,
            "average_class_size": sum(sizes) / len(sizes),
        }


ALONE = {
    "generalize",
    "generalize names",
    "generalize and suppress",
    "suppression alone",
    "sample, then generalize",
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", MASKINGS)
def test_a_measure_is_a_number_where_it_sees_all_that_was_changed(name, place):
    initial, masked, rows, _ = made(name, place)
    oracle = Oracle(masked.keys, rows)
    assert bool(oracle.changed or oracle.left_out) == (name != "nothing")
    found = lost(name, place)
    assert list(found.changed) == [n for n in initial.columns if n in oracle.changed]
    for measure, expected in oracle.expected().items():
        assert found.measures[measure] == pytest.approx(expected, rel=1e-9, abs=1e-9), measure
    for measure in MEASURES:
        if measure in ("loss", "precision_loss", "entropy"):
            node = place == "here" and name in ALONE
            applies = node or name == "nothing"
        else:
            applies = oracle.applies(measure)
        value = found.measures[measure]
        assert (value is not None) == bool(applies), (measure, value)
        assert (measure in found.not_applicable) == (not applies), measure
        assert value is None or math.isfinite(value), measure
    if place == "here" and name in ALONE:
        assert found.loss == masked.steps[-1].parameters["loss"]


@pytest.mark.parametrize("name", MASKINGS)
def test_what_is_masked_elsewhere_is_measured_as_what_is_masked_here(name):
    both = []
    for place in PLACES:
        found = lost(name, place).measures
        both.append(
            {n: v for n, v in found.items() if n not in ("loss", "precision_loss", "entropy")}
        )
    known = [{n: v for n, v in one.items() if v is not None} for one in both]
    assert known[0] == pytest.approx(known[1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", MASKINGS)
def test_no_surface_shows_a_number_for_a_measure_that_does_not_apply(name):
    found = lost(name, "here")
    absent = set(found.not_applicable)
    plain = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {n for n in MEASURES if plain[n] is None} == absent
    assert set(plain["not_applicable"]) == absent
    rows = found.table("arrow").to_pylist()
    assert {r["measure"] for r in rows if r["value"] is None} == absent
    assert {r["measure"] for r in rows if r["note"].startswith("does not apply: ")} == absent
    said = [part.split(" = ")[0] for part in repr(found).split(": ")[1].split(", ") if "=" in part]
    assert not absent & set(said)
    first = found.explain().splitlines()[0]
    lead = found.lead
    assert first.startswith("No single measure covers all" if lead is None else MEASURES[lead][0])
    for row in found.by_attribute:
        if row["attribute"] in found.changed:
            assert any(v for k, v in row.items() if k != "attribute"), row["attribute"]


@pytest.mark.parametrize("name", MASKINGS)
def test_the_map_shows_what_applies(name):
    initial, masked, _, _ = made(name, "here")
    found = lost(name, "here")
    loss = found.lead if found.lead in MEASURES else "ebil_share"
    if found.lead is None:
        with pytest.raises(NotSupported, match="applies to none"):
            ds.ru_map(initial, [masked], loss=loss)
    else:
        assert ds.ru_map(initial, [masked], loss=loss).points[0].loss == found.measures[loss]


@pytest.mark.parametrize("name", MASKINGS)
@pytest.mark.parametrize("audience", ["internal", "public"])
def test_the_report_shows_what_applies(audience, name):
    initial, masked, _, _ = made(name, "here")
    found = lost(name, "here")
    pytest.importorskip("altair")
    from discreet.reports import cost
    from discreet.reports.blocks import Table, Words
    from discreet.reports.facts import ReportInput, gather
    from discreet.reports.sentences import short

    facts = gather(initial, masked, ReportInput(), on=None, audience=audience, threshold=None)
    blocks = cost.section(facts).blocks
    tables = [b for b in blocks if isinstance(b, Table) and b.caption == "Information loss"]
    shown = {row[0] for one in tables for row in one.rows}
    assert shown == {short(n) for n in MEASURES if n not in found.not_applicable}
    words = [line for b in blocks if isinstance(b, Words) for line in b.lines]
    assert words[0].startswith(short(found.lead) if found.lead else "No single measure")
    assert ("Measures that do not apply to this masking:" in words) == bool(found.not_applicable)


# -- single cases ----------------------------------------------------------------------------------


def test_a_file_that_was_not_changed_lost_nothing():
    found = lost("nothing", "here")
    figures = {
        n: v for n, v in found.measures.items() if n not in ("discernibility", "average_class_size")
    }
    assert figures == pytest.approx(dict.fromkeys(figures, 0.0), abs=1e-12)


def test_the_attributes_that_a_measure_sees_can_be_named():
    initial, masked, _, _ = made("generalize, then no key", "here")
    assert ds.information_loss(initial, masked).lead is None
    keys = ds.information_loss(initial, masked, scope=list(initial.keys))
    assert (keys.lead, keys.loss) == ("loss", masked.steps[0].parameters["loss"])
    wages = ds.information_loss(initial, masked, scope=["wage"])
    assert (wages.changed, wages.lead, wages.il > 0) == (("wage",), "il1", True)
    assert "all keys" in wages.not_applicable["average_class_size"]
    assert ds.information_loss(initial, masked, scope="file").ebil_share > 0
    with pytest.raises(InvalidRole, match="wgae"):
        ds.information_loss(initial, masked, scope=["wgae"])
    with pytest.raises(InvalidParameter, match="names no column"):
        ds.information_loss(initial, masked, scope=[])
    with pytest.raises(InvalidParameter, match="dimension="):
        ds.information_loss(initial, masked, dimension=0)


def test_a_number_that_has_nothing_to_relate_to_has_no_relative_change():
    columns = {"rec": [1, 2, 3], "a": [0.0, 0.0, 0.0], "b": [1.0, 2.0, 4.0]}
    initial = ds.read(columns, keys=["a", "b"])
    masked = ds.read({**columns, "a": [1.0, 0.0, 2.0]}, keys=["a", "b"])
    found = ds.information_loss(initial, masked, on="rec")
    for measure in ("il1", "il2", "il3", "il", "sse_ratio"):
        assert found.measures[measure] is None
        assert "'a' has no" in found.not_applicable[measure]
    assert found.pil > 0


def test_a_change_in_records_that_miss_another_number_is_not_taken_for_none():
    initial = ds.read({"rec": [1, 2, 3], "a": [1, 2, 3], "b": [1.0, None, 4.0]}, keys=["a", "b"])
    masked = ds.read({"rec": [1, 2, 3], "a": [1, 9, 3], "b": [1.0, None, 4.0]}, keys=["a", "b"])
    found = ds.information_loss(initial, masked, on="rec")
    assert found.changed == ("a",)
    assert {found.measures[n] for n in NUMBERS} == {None}
    assert "records where a number is missing" in found.not_applicable["il"]


def test_a_score_needs_a_loss_that_applies():
    initial, masked, _, _ = made("generalize, then another key", "here")
    with pytest.raises(NotSupported, match="linkage by numbers does not cover") as error:
        ds.score(initial, masked)
    assert error.value.code == "N07"
    initial, masked, _, _ = made("sample", "here")
    with pytest.raises(NotSupported, match="IL does not apply: no value was changed"):
        ds.score(initial, masked)


def test_an_attribute_that_does_not_vary_has_no_correlation():
    initial = ds.read({"a": [1, 1, 1, 1], "b": [1, 2, 3, 4]}, keys=["a", "b"])
    found = ds.compare_statistics(initial, ds.microaggregate(initial, ["b"], k=2))
    assert found.rows[-1] == ("a, b", "correlation", None, None)
    assert "correlation" not in found.explain()
    assert found.to_dict()["statistics"][-1]["initial"] is None


def test_reasons_name_attributes_and_no_cell():
    for name in MASKINGS:
        told = " ".join(lost(name, "here").not_applicable.values())
        assert not {t for t in {*table()["town"], *SCALE} if f" {t} " in told or f"'{t}'" in told}


def test_records_that_miss_one_of_several_numbers_are_left_out():
    """A value that is missing in one of the two files is enough."""
    x = {"id": [1, 2, 3, 4, 5], "a": [1.0, None, 3.0, 4.0, 5.0], "b": [5.0, 4.0, 3.0, 2.0, 2.0]}
    y = {"id": [1, 2, 3, 4, 5], "a": [2.0, 2.0, 4.0, 4.0, 6.0], "b": [5.0, 4.0, None, 2.0, 1.0]}
    types = {"a": "continuous", "b": "continuous"}
    first, second = (ds.read(table, keys=["a", "b"], types=types) for table in (x, y))
    found = compare(link(first, second, "id"), Asked(("a", "b")))
    assert (found.left_out, found.continuous.n) == (2, 3)
    assert found.gaps == ("a", "b")


def test_values_are_compared_in_the_engine_as_they_are_here(monkeypatch):
    x = {
        "id": [1, 2, 3, 4, 5, 6],
        "v": [1.0, 2.0, 3.0, 4.0, 5.0, None],
        "edu": ["low", "low", "middle", "high", "top", None],
        "sex": list("fmfmfm"),
        "town": list("uvuvuv"),
    }
    changed = {"v": [1.0, 2.5, 3.0, 4.5, 5.0, 6.0], "edu": ["low", "high", "middle", "high", "top", "low"]}  # fmt: skip
    y = {**x, **changed, "town": ["u", "v", "w", "v", "v", "v"]}
    types = {"v": "continuous", "edu": SCALE, "sex": "nominal", "town": "nominal"}
    first, second = (ds.read(table, keys=["v"], types=types) for table in (x, y))
    asked = Asked(("v",), ("edu", "sex", "town"), (), ("sex",), 2)
    here = compare(link(first, second, "id"), asked)
    monkeypatch.setattr("discreet.data.link._FEW", 0)
    far = link(first, second, "id")
    there = compare(far, asked)
    assert not far.near
    for found in (here, there):
        assert (found.n, found.left_out) == (6, 1)
        assert found.touched == ("v", "edu", "town")
        assert found.gaps == ("v", "edu")
        assert found.foreign == ("town",)
        assert found.dist["sex"] == 0
        assert found.dist["town"] == 2
        assert found.ebil["sex"] == 0
        assert found.tables["town",] == pytest.approx((2 / 3 + 1 / 3, 2, 1))
    for part in ("dist", "ebil", "bits", "tables"):
        mine, theirs = getattr(there, part), getattr(here, part)
        assert mine.keys() == theirs.keys()
        assert all(mine[name] == pytest.approx(theirs[name]) for name in mine)


def test_a_gap_that_matches_every_value_leaves_all_measures_but_those_of_classes():
    columns = table() | {"age": [None if i % 9 == 0 else i for i in range(N)]}
    told = {}
    for policy in ("category", "wildcard"):
        data = ds.read(columns, keys=["age", "sex"], types={"age": "continuous"}, missing=policy)
        masked = ds.pram(data, ["sex"], keep=0.7, seed=1)
        told[policy] = ds.information_loss(data, masked)
    for name in MEASURES:
        own, other = (getattr(told[p], name) for p in ("category", "wildcard"))
        if name in ("discernibility", "average_class_size"):
            assert own is not None
            assert other is None
            assert "there are no classes" in told["wildcard"].not_applicable[name]
        else:
            assert own == other, name
