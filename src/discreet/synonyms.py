"""Synonyms: names that users bring from sdcMicro, ARX and pycanon, and what stands for them here.

``docs/coming-from.md`` tells the same at length.
"""

from __future__ import annotations

# by the name without capitals and underscores: our names, and how they are called
_OURS: dict[str, tuple[str, str]] = {
    # sdcMicro
    "createsdcobj": ("read", "read(frame, keys=[…], confidential=[…], weight=…)"),
    "removedirectid": ("read", "read(frame, identifiers=[…]): they never leave"),
    "vartofactor": ("read", 'read(frame, types={column: "nominal"})'),
    "vartonumeric": ("read", 'read(frame, types={column: "continuous"})'),
    "readmicrodata": ("read", 'read("survey.sav", keys=[…])'),
    "freqcalc": ("risk", "risk(data)"),
    "freq": ("risk", "risk(data)"),
    "calcrisks": ("risk", "risk(data)"),
    "measurerisk": ("individual_risk", "individual_risk(data)"),
    "indivrisk": ("individual_risk", "individual_risk(data)"),
    "suda2": ("suda", "suda(data)"),
    "llmodglobalrisk": ("model_risk", "model_risk(data)"),
    "modrisk": ("model_risk", "model_risk(data)"),
    "riskycells": ("risky_combinations", "risky_combinations(data)"),
    "localsuppression": ("suppress_cells", "suppress_cells(data, ds.KAnonymity(3))"),
    "kanon": ("suppress_cells", "suppress_cells(data, ds.KAnonymity(3))"),
    "localsupp": ("protect_records", "protect_records(data, …)"),
    "globalrecode": ("generalize", "generalize(data, {key: ds.Hierarchy…}, ds.KAnonymity(3))"),
    "groupandrename": ("Hierarchy", "Hierarchy.from_dict({…}) with ds.generalize"),
    "groupvars": ("Hierarchy", "Hierarchy.from_dict({…}) with ds.generalize"),
    "localrecprog": ("recode", "recode(data, hierarchies, ds.KAnonymity(3))"),
    "microaggregation": ("microaggregate", "microaggregate(data, [columns], k=3)"),
    "mafast": ("microaggregate", "microaggregate(data, [columns], k=3)"),
    "mdav": ("microaggregate", 'microaggregate(data, [columns], k=3, method="mdav")'),
    "addnoise": ("add_noise", "add_noise(data, [columns], seed=…)"),
    "rankswap": ("rank_swap", "rank_swap(data, [columns], seed=…)"),
    "recordswap": ("swap_records", "swap_records(data, …)"),
    "topbotcoding": ("top_code", "top_code(data, {column: limit})"),
    "dutility": ("information_loss", "information_loss(data, masked)"),
    "ilcorrel": ("information_loss", "information_loss(data, masked)"),
    "ilvariables": ("information_loss", "information_loss(data, masked)"),
    "drisk": ("interval_disclosure", "interval_disclosure(data, masked)"),
    "driskrmd": ("linkage", "linkage(data, masked, [columns])"),
    "extractmanipdata": ("Masked", 'Masked: masked.to("pandas")'),
    "writesafefile": ("Masked", 'Masked: masked.write("release.csv")'),
    "undolast": ("Masked", "Masked: nothing is changed; go on with the file before the last step"),
    "sdcapp": ("settings", "settings: the app is started with `discreet app` in a terminal"),
    "ldiversity": ("LDiversity", "LDiversity(…) with ds.check or ds.generalize"),
    # ARX
    "arxanonymizer": ("generalize", "generalize(data, hierarchies, criterion)"),
    "anonymize": ("generalize", "generalize(data, hierarchies, criterion)"),
    "arxconfiguration": ("generalize", "generalize(data, hierarchies, criterion)"),
    "data": ("read", "read(…)"),
    "distinctldiversity": ("LDiversity", 'LDiversity(l, kind="distinct")'),
    "entropyldiversity": ("LDiversity", 'LDiversity(l, kind="entropy")'),
    "recursivecldiversity": ("LDiversity", 'LDiversity(l, kind="recursive", c=…)'),
    "equaldistancetcloseness": ("TCloseness", "TCloseness(t)"),
    "hierarchicaldistancetcloseness": ("TCloseness", "TCloseness(t, …)"),
    "orderdistancetcloseness": ("TCloseness", "TCloseness(t, …)"),
    "ddisclosureprivacy": ("DeltaDisclosure", "DeltaDisclosure(…)"),
    "dpresence": ("DeltaPresence", "DeltaPresence(…)"),
    "basicblikeness": ("BetaLikeness", 'BetaLikeness(…, kind="basic")'),
    "enhancedblikeness": ("BetaLikeness", 'BetaLikeness(…, kind="enhanced")'),
    "averagereidentificationrisk": ("AverageRisk", "AverageRisk(…)"),
    "hierarchybuilder": ("Hierarchy", "Hierarchy.intervals, .prefixes, .dates, .from_csv, …"),
    "getriskestimator": ("risk", "risk(data)"),
    # pycanon
    "kanonymity": ("risk", "risk(data).k"),
    "tcloseness": ("TCloseness", "check(data, ds.TCloseness(t))"),
    "basicbetalikeness": ("BetaLikeness", 'check(data, ds.BetaLikeness(…, kind="basic"))'),
    "enhancedbetalikeness": ("BetaLikeness", 'check(data, ds.BetaLikeness(…, kind="enhanced"))'),
    "deltadisclosure": ("DeltaDisclosure", "check(data, ds.DeltaDisclosure(…))"),
}


def hint(name: str, known: frozenset[str]) -> str:
    """What stands for a name of another program, where we have it; else an empty text.

    Examples
    --------
    >>> hint("localSuppression", frozenset({"suppress_cells"}))
    ' In discreet it is ds.suppress_cells(data, ds.KAnonymity(3)); see docs/coming-from.md.'
    >>> hint("localSuppression", frozenset())
    ''
    """
    ours, call = _OURS.get(name.replace("_", "").casefold(), ("", ""))
    return f" In discreet it is ds.{call}; see docs/coming-from.md." if ours in known else ""
