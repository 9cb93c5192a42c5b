"""Docstrings: every public name has an example that runs, and names the paper that defines it."""

import dataclasses
import doctest
import inspect
import re

import pytest

import discreet as ds

# Which papers define what: surnames and year, as they stand under References.
K_ANONYMITY = "Samarati (2001)"
SAMPLING = "Truta, Fotouhi, Barth-Jones (2004)"
GLOBAL = "Truta, Fotouhi, Barth-Jones (2005)"
P_SENSITIVE = "Truta, Vinay (2006)"
RECORD = "Orooji, Knapp (2018)"
INDIVIDUAL = "Franconi, Polettini (2004)"
MICROAGGREGATION = "Domingo-Ferrer, Torra (2005)"
PAPERS = {
    "Attack": ("Giomi, Boenisch, Wehmeyer, Tasnádi (2023)",),
    "AverageRisk": ("El Emam (2013)",),
    "BetaLikeness": ("Cao, Karras (2012)",),
    "DeltaDisclosure": ("Brickell, Shmatikov (2008)",),
    "DeltaPresence": ("Nergiz, Atzori, Clifton (2007)",),
    "DisclosureRisk": (SAMPLING, GLOBAL),
    "DisclosureRiskAtMost": (GLOBAL,),
    "Hierarchy": (K_ANONYMITY,),
    "IndividualRisk": (INDIVIDUAL,),
    "InformationLoss": (MICROAGGREGATION,),
    "KAnonymity": (K_ANONYMITY,),
    "KMap": ("Sweeney (2001)", "El Emam, Dankar (2008)"),
    "KeyCandidates": ("Motwani, Xu (2007)",),
    "JointReleases": ("Xiao, Tao (2007)",),
    "IntervalDisclosure": ("Domingo-Ferrer, Torra (2001)",),
    "Linkage": ("Domingo-Ferrer, Torra (2001)", "Nin, Herranz, Torra (2008)"),
    "LDiversity": ("Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam (2006)",),
    "ModelRisk": ("Skinner, Shlomo (2008)",),
    "PSensitiveKAnonymity": (P_SENSITIVE,),
    "PopulationUniqueness": ("Hoshino (2001)", "Dankar, El Emam, Neisa, Roffey (2012)"),
    "Propensity": ("Woo, Reiter, Oganian, Karr (2009)",),
    "RUMap": ("Duncan, Keller-McNulty, Stokes (2001)",),
    "Readings": ("Gionis, Mazza, Tassa (2008)",),
    "RecordRisk": (RECORD,),
    "Risk": (SAMPLING, P_SENSITIVE),
    "RiskSettings": (RECORD,),
    "SamplingRisk": (SAMPLING,),
    "Score": ("Domingo-Ferrer, Torra (2001)", MICROAGGREGATION),
    "Suda": ("Elliot, Manning, Ford (2002)",),
    "TCloseness": ("Li, Li, Venkatasubramanian (2007)",),
    "Weights": (SAMPLING, GLOBAL),
    "attack": ("Giomi, Boenisch, Wehmeyer, Tasnádi (2023)",),
    "compare_releases": ("Xiao, Tao (2007)",),
    "datasets.billing": (SAMPLING,),
    "datasets.school_records": (RECORD,),
    "disclosure_risk": (SAMPLING, GLOBAL),
    "generalize": (K_ANONYMITY, P_SENSITIVE),
    "individual_risk": ("Benedetti, Franconi (1998)", INDIVIDUAL),
    "information_loss": (MICROAGGREGATION, "Mateo-Sanz, Domingo-Ferrer, Sebé (2005)"),
    "interval_disclosure": ("Domingo-Ferrer, Torra (2001)",),
    "key_candidates": ("Motwani, Xu (2007)",),
    "linkage": ("Domingo-Ferrer, Torra (2001)", "Nin, Herranz, Torra (2008)", "Jaro (1989)"),
    "microaggregate": (MICROAGGREGATION, "Hansen, Mukherjee (2003)"),
    "model_risk": ("Skinner, Shlomo (2008)", "Skinner, Holmes (1998)"),
    "population_uniqueness": ("Hoshino (2001)", "Zayatz (1991)", "Chen, Keller-McNulty (1998)"),
    "propensity": ("Woo, Reiter, Oganian, Karr (2009)",),
    "protect_records": (RECORD,),
    "readings": ("Gionis, Mazza, Tassa (2008)",),
    "pram": ("Gouweleeuw, Kooiman, Willenborg, de Wolf (1998)", "van den Hout, Elamir (2006)"),
    "rank_swap": ("Moore (1996)", "Nin, Herranz, Torra (2008)"),
    "add_noise": ("Kim (1986)", "Burridge (2003)", "Höhne (2004)"),
    "shuffle": ("Muralidhar, Sarathy (2006)",),
    "recode": ("LeFevre, DeWitt, Ramakrishnan (2006)",),
    "record_risk": (RECORD,),
    "risk": (SAMPLING, P_SENSITIVE),
    "ru_map": ("Duncan, Keller-McNulty, Stokes (2001)", MICROAGGREGATION),
    "sample": (SAMPLING,),
    "sampling_risk": (SAMPLING,),
    "score": ("Domingo-Ferrer, Torra (2001)", MICROAGGREGATION),
    "suda": ("Elliot, Manning, Ford (2002)", "Manning, Haglin, Keane (2008)"),
}


def described(name, value):
    """A public name, and what can be made with it: builders of a class, functions of a module."""
    if inspect.ismodule(value):
        for inner in value.__all__:
            yield from described(f"{name}.{inner}", getattr(value, inner))
    elif inspect.isfunction(value) or inspect.isclass(value):
        yield name, value
    if inspect.isclass(value):
        for inner, one in vars(value).items():
            own = isinstance(one, classmethod | staticmethod) and _stands_in(one, value)
            if own and not inner.startswith("_"):
                yield f"{name}.{inner}", getattr(value, inner)


def _stands_in(method, cls):
    """Whether a class was written with the method; marks add one that is not for users."""
    return method.__func__.__qualname__.startswith(f"{cls.__name__}.")


# One error is like another: the example of their base stands for all of ``ds.errors``.
PUBLIC = [name for name in ds.__all__ if name != "errors"]
NAMES = dict(pair for name in PUBLIC for pair in described(name, getattr(ds, name)))


def section(value, title):
    """A section of a docstring; empty where there is none."""
    text = inspect.cleandoc(value.__doc__ or "")
    found = re.search(rf"^{title}\n-+\n(.*?)(?=^\w[\w ]*\n---|\Z)", text, re.MULTILINE | re.DOTALL)
    return found[1] if found else ""


@pytest.mark.parametrize("name", NAMES)
def test_every_public_name_has_an_example_that_runs(name):
    examples = doctest.DocTestParser().get_examples(section(NAMES[name], "Examples"))
    assert [one.want for one in examples if one.want], "nothing is shown"
    assert not [one for one in examples if one.options.get(doctest.SKIP)], "left out"


def parameters(value, title="Parameters"):
    """The names that stand in a section, by default those of the parameters."""
    lines = section(value, title).splitlines()
    heads = [line.partition(" :")[0] for line in lines if line and not line.startswith(" ")]
    return {name.strip(" *") for head in heads for name in head.split(",")}


@pytest.mark.parametrize("name", [name for name, one in NAMES.items() if inspect.isfunction(one)])
def test_every_parameter_of_a_public_function_is_documented(name):
    assert parameters(NAMES[name]) == {*inspect.signature(NAMES[name]).parameters}


# Fields that serve the object itself: what it was made from, and parts of its sentences.
INNER = {
    "kind",
    "provenance",
    "DisclosureRisk.id_name",
    "LocalRecoding.said",
    "Microdata.origin",
    "Microdata.source",
    "Plan.where",
    "PostRandomization.n",
    "SuppressedCells.said",
}
CLASSES = [n for n, one in NAMES.items() if dataclasses.is_dataclass(one) and n != "Weights"]


@pytest.mark.parametrize("name", CLASSES)
def test_every_field_of_a_public_class_is_documented(name):
    """Those of its own; ``Weights`` are made by class methods and looked at through them."""
    cls = NAMES[name]
    base = {field.name for one in cls.__mro__[1:] if dataclasses.is_dataclass(one)
            for field in dataclasses.fields(one)}  # fmt: skip
    said = parameters(cls, "Attributes") | parameters(cls)
    own = {field.name for field in dataclasses.fields(cls) if not field.name.startswith("_")} - base
    assert sorted(f for f in own - said if not {f, f"{name}.{f}"} & INNER) == []


@pytest.mark.parametrize("name", PAPERS)
def test_what_a_paper_defines_names_the_paper(name):
    said = " ".join(section(NAMES[name], "References").split())
    assert [paper for paper in PAPERS[name] if paper not in said] == []


def test_the_builders_and_the_functions_of_modules_are_looked_at():
    assert {"Hierarchy.prefixes", "Weights.from_matrix", "Plan.read", "datasets.patients"} <= {
        *NAMES
    }
    assert "KAnonymity.description" not in NAMES
