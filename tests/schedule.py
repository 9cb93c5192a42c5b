"""What goes to which worker of a run, and when: long files first, and one Spark and one browser for
all of them."""

import re

from xdist.scheduler import LoadFileScheduling

# What takes long, the longest first: a run would else end with one of them, and one core idle.
LONG = (
    "browser",
    "spark",
    "tests/engines/test_described.py",
    "tests/app/test_release.py",
    "tests/app/test_projects.py",
    "tests/hostile/test_masking.py",
    "tests/papers/test_local_suppression.py",
    "tests/unit/test_advice.py",
    "tests/unit/test_plan.py",
    "tests/unit/test_multivariate_mdav.py",
    "tests/unit/test_progress.py",
    "tests/unit/test_lattice_sweep.py",
    "tests/app/test_requirements.py",
    "postgres",
    "tests/contract/test_addon.py",
    "tests/contract/test_recipes.py",
    "tests/contract/test_result_words.py",
    "tests/app/test_forms.py",
    "tests/properties/test_swept_conditions.py",
    "tests/unit/test_docs.py",
    "tests/app/test_explore.py",
    "tests/app/test_screens.py",
    "tests/engines/test_connect.py",
    "tests/hostile/test_killed_runs.py",
    "tests/twins/test_twins.py",
    "tests/papers/test_rebuilt.py",
    "tests/browser/test_guards_by_mutation.py",
    "tests/unit/test_font.py",
    "tests/unit/test_docs_site.py",
    "tests/unit/test_codes.py",
    "tests/unit/test_information_loss.py",
    "tests/unit/test_ledger.py",
    "tests/unit/test_known_sets_contributions.py",
    "tests/unit/test_settings.py",
    "tests/unit/test_local_suppression.py",
)

# Files of tests/unit that compile many kernels: left out by make quick, as is what takes long.
COMPILES = tuple(
    f"tests/unit/test_{name}.py"
    for name in (
        "attack", "averages", "bits", "compilation", "confidential_keys", "disclosure_risk", "final_check", "generalize",
        "household_role", "individual_risk", "infinite_numbers", "key_candidates", "known_sets_sums",
        "lattice_pairwise", "likeness", "local_recoding", "losses_that_apply", "microaggregate", "minimal_uniques",
        "model_risk", "multivariate_blocks", "multivariate_exchange",
        "multivariate_mixed", "multivariate_variable", "perturbation_surfaces",
        "plan_measures", "population_criteria", "population_risk", "population_uniqueness",
        "probabilistic_loss",
        "protect_individual_risk",
        "readings", "recode", "recommend", "record_risk", "regression_loss", "related_tuples", "report", "report_parts",
        "report_population", "risk_bounds", "ru_map",
        "sample", "sample_weights", "schools", "search_limits", "separation", "special_uniques",
        "subject", "suppress_cells",
        "unchanged",
        "univariate", "weight_triangles", "weights", "written_files",
    )
)  # fmt: skip

# What make test leaves to make thorough: tests that prove once more, in other surroundings, what a
# test that stays proves already. Which they are below tests/, and what stays.
AGAIN = {
    r"engines/(?!test_described|test_counting|test_spark).*\[spark":
        "every method on Spark, in test_described.py; what crosses, in test_spark.py",
    r"engines/test_described.py::test_a_criterion_is_searched.*\[spark-(?!KAnonymity|KMap)":
        "two searches there, every criterion judged there, every search on the other engines",
    r"engines/test_described.py::test_a_m(asking_gives|easure_finds).*\[spark-(?!generalize|suppress_cells|individual_risk|linkage)":
        "two maskings and two measures there, all of them on PostgreSQL",
    r"engines/test_spark.py::test_each_verb.*\[(?!risk|generalize\])": "two verbs",
    r"engines/test_counting.py::test_(a_check_finds|the_values_of|weights_are|numbers_of).*\[spark":
        "every criterion judged there, in test_described.py; the sets of columns in the same file",
    r"engines/test_spark.py::test_values_of_classes.*\[(?!entropy)": "one criterion of values",
    r"engines/test_spark.py::test_(the_demo|views_and_kept|what_compares)":
        "the other tests of the file; what is refused, in test_described.py",
    r"engines/test_column_types.py::test_every_type.*\[(?!a zone).*-(arrow|pandas|polars|duckdb)":
        "every type from a Parquet file, one type from every source",
    r"cli/test_finish.py::test_a_reader_that_closes.*\[arguments[135]": "five of eight commands",
    r"engines/test_(connect|interrupted|released_files).py": "the verbs of test_spark.py",
    r"(app|browser)/test_guards_by_mutation.py": "the guards; here each is taken away in turn",
    r"unit/test_font.*\[(dejavu|liberation|noto|none)":
        "reports in the fonts of the machine, in browser/test_report.py",
    r"browser/test_font_sets.py":
        "reports and pages in the fonts of the machine, in test_report.py",
    r"app/test_inputs.py::.*\[(?!masked.csv-(file|symbolic|hard))":
        "a file and two kinds of links, with one name",
    r"browser/test_whole_way.py":
        "twelve clicks in test_words_first.py, each page in the file of its own, the keyboard on Explore, "
        "and jobs that end badly in test_app.py",
    r"browser/test_report.py::test_.*\[(public|microaggregated)": "an internal and a hostile one",
    r"browser/test_mistakes.py::test_(?!a_(requirement|code|weight)|erasing)":
        "four mistakes; all of them without a browser, in tests/app",
    r"browser/test_explore.py::test_(a_level_is_stepped|enter_and_space|a_sweep_shows)":
        "the keyboard along the edges, in the same file; a job that is cancelled, in test_app.py",
    r"browser/test_explore.py::test_(a_click|the_keyboard|the_page_fits).*\[(?!(.*-)?12\])":
        "the smallest of the lattices",
    r"hostile/test_killed_runs.py": "runs that fail in the middle, in test_written_files.py",
    r"(papers|unit)/test_local_suppression.py::test_(few_cells|the_fewest_cells_in_the_wild).*\[(7|5 keys, k = 5)":
        "five keys and k = 3",
    r"unit/test_local_suppression.py::test_(the_fewest_cells_in_the_wildcard|eight_keys)":
        "the other readings, and tests/papers/test_local_suppression.py",
    r"papers/test_local_recoding_adult.py::test_(at_most_half.*\[(p|distinct)|eight.*\[quick)":
        "two of four criteria, and the usual search",
    r"engines/test_schema.*\[failure": "an end with success",
    r"twins/test_twins.py": "the twins in tests/properties",
    r"hostile/test_secrets_everywhere.py::.*\[(?!risk\]|protect\]|run)": "three commands",
    r"hostile/test_interrupted.py::test_a_(full_disk|stopped).*\[(m.parquet|2-130)": "another of the kind",
    r"unit/test_advice.py::test_every_proposal_holds(_on_random|\[(?!KAnonymity|PSensitive|KMap))":
        "three criteria; every criterion is kept by every search, in tests/properties",
    r"unit/test_compilation.py::test_a_first_use":
        "what is kept, in the same file; first use in benchmarks/first_use.py",
    r"unit/test_docs_site.py::test_(every_(page_is_built|link|picture|public)|nothing|the_search)":
        "links and examples of the pages before they are built, in test_docs.py",
    r"engines/(?!test_described|test_counting).*\[(duckdb|polars)":
        "the embedded engine, which all other tests use; every method there in test_described.py, and these tests "
        "on PostgreSQL",
    r"unit/test_recommend.py::test_(on_adult|the_proposal_meets.*-[23]\])":
        "two generated tables, in the same file",
    r"unit/test_multivariate_mdav.py::test_pruned_searches.*-(1|2|10)\]": "groups of 3 and 300",
    r"unit/test_univariate.py::test_losses_equal.*-(3|16|50)-": "groups of 2 and 7",
    r"unit/test_univariate.py::test_no_exact.*\[elements[34]": "three kinds of values",
    r"unit/test_known_sets_sums.py::test_a_larger_file.*\[1-": "parts of 4,096 records",
    r"unit/test_losses_that_apply.py::test_the_(report|map)_shows.*(public|then|emptied|no key)":
        "the report for insiders, after one masking; the figures after several, in the same file",
    r"cli/test_finish.py::test_(a_mistake|the_help).*\[(?!risk|protect|run|check)": "four commands",
    r"cli/test_finish.py::test_what_is_printed.*\[(?!arguments0)": "one command",
    r"unit/test_docs.py::test_every_block.*\[docs/(?!first-steps|plan|api)":
        "the README and the pages that most people read",
    r"app/test_server.py::test_it_ends_in_order.*\[(1|15)": "one signal of three",
    r"browser/test_words_first.py::test_adult": "the same clicks on patients, in the same file",
    r"browser/test_home.py::test_after_a_kill":
        "a kill without a browser, in app/test_server.py; a release made again, in test_projects.py",
    r"browser/test_values.py::test_a_rare_value": "values of all types, in test_shown_values.py",
    r"browser/.*axe_finds_nothing\[(.*-)?(400|700)": "the wide window, not enlarged",
    r"unit/test_lattice_sweep.py::test_(conditions|keys_of_several|masks_of_any|two_valued|best_nodes)":
        "every node against its recount, tests/properties/test_swept_conditions.py and papers/test_003_adult.py",
    r"papers/test_rebuilt.py::test_the_whole_committed_page": "every figure of it, in the tests of its paper",
    r"unit/test_plan.py::test_the_plan_of_a_masking.*\[(parquet|csv-(cat|val|noise|tails|round|places))":
        "the same as CSV; the perturbations in test_perturbation_surfaces.py",
    r"properties/test_row_order.py::test_sums.*\[(statistics|losses-[12])":
        "the sums of losses, in one other order",
    r"engines/test_cells.py::test_a_.*_is_the_same": "the same, with another search, in test_described.py",
    r"unit/test_local_recoding.py::test_nine_keys": "the same keys, in papers/test_local_recoding_adult.py",
    r"app/test_release.py::test_the_script_makes": "the script of every masking, in unit/test_plan.py",
    r"engines/test_counting.py::test_a_frequency_set_counts.*\[spark-names[1-9]":
        "one set of columns there, all of them on PostgreSQL",
}  # fmt: skip


_AGAIN = [(pattern, re.compile(f"tests/{pattern}")) for pattern in AGAIN]


def repeats(nodeid):
    """The pattern of the tests that prove once more, where a test is one of them."""
    return next((pattern for pattern, fits in _AGAIN if fits.match(nodeid)), None)


# A test that needs an engine or a browser, which has to be started: by its parameter, or by its file.
STARTED = re.compile(
    r"tests/engines/(?:.*\[(?P<by>spark|postgres)\b|test_(?P<of>spark|postgres)\.py)"
    r"|tests/(?P<shown>browser)/(?!test_guards_by_mutation)"
)
ALSO = {
    "tests/engines/test_interrupted.py": "spark",
    "tests/engines/test_released_files.py": "spark",
    "tests/engines/test_schema.py": "postgres",
}


def together(nodeid):
    """What a test has to share a worker with: those of its engine or of the browser, or those of
    its file."""
    file = nodeid.partition("::")[0]
    found = STARTED.match(nodeid)
    return found[found.lastgroup] if found else ALSO.get(file, file)


def rank(nodeid):
    """When a test begins: those that take long first, the others as they come."""
    place = together(nodeid)
    return LONG.index(place) if place in LONG else len(LONG)


class InTurn(LoadFileScheduling):
    """Files and engines, in the order of the collection."""

    def __init__(self, config, log=None):
        super().__init__(config, log)
        config.option.loadscopereorder = False

    def _split_scope(self, nodeid):
        return together(nodeid)
