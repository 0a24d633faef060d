"""The paper's tables: columns that the page shows of a study's figures, and that their files hold."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from crowd.winogavil.releases.admin.charts import draw_concreteness, draw_scatters, draw_shapes
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import StatColumn, StatTable, head

# Most people shown on the page; the files have all of them.
SHOWN = 50
# No table has a JSON file of its own: one file has the JSON of all tables.
_table = partial(StatTable, exact=True, files=("csv",))
Row = Mapping[str, Any]
Figures = Mapping[str, Sequence[Row]]


def _count(name: str, title: str = "") -> StatColumn:
    return head(title, name=name)


def _mean(name: str, title: str = "") -> StatColumn:
    return head(title, NUMBER, name=name)


def _name(name: str, title: str) -> StatColumn:
    return head(title, TEXT, name=name)


def _spread(title: str, name: str) -> StatColumn:
    """Column of the page that shows the mean and the deviation together."""
    return head(title, NUMBER, name="", of=_both(f"{name}_mean", f"{name}_std"))


def _both(mean: str, deviation: str) -> Callable[[Row], str | None]:
    return lambda row: None if row[mean] is None else f"{row[mean]} ± {row[deviation]}"


def _sizes(threshold: int) -> Sequence[StatColumn]:
    selected = head(f"Selected: people {threshold} % or more", name="", of=lambda row: row["selected"])
    return (*SIZES, selected)


def _rating_words(row: Row) -> str:
    """Return the ends of a bin in words."""
    return "not in the list" if row["from"] is None else f"{row['from']:g} to {row['to']:g}"


SIZES = (
    _name("candidates", "Candidates"),
    _count("made", "Made"),
    _count("final", "Final"),
    _count("selected"),
    _mean("model", "Model"),
    _mean("human", "People"),
    _mean("random", "Chance"),
)
THRESHOLDS = (
    _count("threshold", "Threshold, in per cent"),
    _count("selected", "Selected"),
    _mean("share", "Share of what is final"),
    _mean("human", "People, on what is selected"),
    head("", TEXT, name="is_own"),
    head("Used by", TEXT, name="", of=lambda row: "this study" if row["is_own"] else ""),
)
SHAPES = (
    _name("candidates", "Candidates"),
    _count("chosen", "Chosen"),
    _count("made"),
    _count("selected", "Selected"),
    _mean("human", "People"),
    _mean("model", "Model"),
    _mean("fool", "Fool-the-AI"),
    _mean("random", "Chance"),
    _mean("random_printed", "Chance in the paper, for any number chosen"),
)
PEOPLE = (
    _name("candidates", "Candidates"),
    _count("creators", "Creators"),
    _mean("associations_each", "Associations each"),
    _mean("fool", "Fool-the-AI"),
    _mean("solvable", "Solvable by humans"),
    _count("solvers", "Solvers"),
    _mean("answers_each", "Answers each"),
    _mean("jaccard", "Jaccard index"),
)
CREATORS = (
    _name("creator", "Creator"),
    _count("made", "Made"),
    _count("selected", "Selected"),
    _mean("fool", "Fool-the-AI"),
    _mean("solvable", "Solvable"),
    *(
        one
        for tail, group in (("5_6", "5 & 6"), ("10_12", "10 & 12"))
        for one in (
            _count(f"made_{tail}"),
            _count(f"selected_{tail}"),
            _mean(f"fool_{tail}", f"Fool-the-AI, {group}"),
            _mean(f"solvable_{tail}", f"Solvable, {group}"),
        )
    ),
)
SOLVERS = (
    _name("solver", "Solver"),
    _count("answers", "Answers"),
    _mean("jaccard", "Jaccard index"),
    _count("answers_5_6"),
    _mean("jaccard_5_6", "5 & 6"),
    _count("answers_10_12"),
    _mean("jaccard_10_12", "10 & 12"),
)
AGREEMENT = (
    _name("candidates", "Candidates"),
    _count("associations"),
    _count("answers", "Answers"),
    _spread("With the author", "author"),
    _mean("author_mean"),
    _mean("author_std"),
    _mean("within_std", "Within"),
    _spread("By pairs", "pairs"),
    _mean("pairs_mean"),
    _mean("pairs_std"),
    _spread("All together", "together"),
    _mean("together_mean"),
    _mean("together_std"),
)
CONCRETENESS = (
    head("Concreteness", TEXT, name="", of=_rating_words),
    _mean("from"),
    _mean("to"),
    _count("cues", "Different cues, of selected associations"),
    _count("associations", "Final associations"),
    _mean("human", "People"),
    _mean("model", "Model"),
)
CORRELATIONS = (
    _name("whose", "Jaccard index of"),
    _count("associations", "Associations"),
    head("r", NUMBER, name="r", digits=3),
    head("p", NUMBER, name="p", digits=4),
)
CUES = (
    _count("selected"),
    _count("distinct"),
    _count("sets_of_several_creators"),
    _count("sets_where_cues_differ"),
    _mean("share_where_cues_differ"),
)


def tables_of(figures: Figures) -> list[StatTable]:
    threshold = next(row["threshold"] for row in figures["thresholds"] if row["is_own"])
    return [
        _table(
            name="sizes",
            title="Collected, by the number of candidates",
            columns=_sizes(threshold),
            rows=figures["sizes"],
        ),
        _table(
            name="thresholds",
            title="Selected, by threshold",
            columns=THRESHOLDS,
            rows=figures["thresholds"],
            about="How much other thresholds would select. The study's own is a setting of its game, and "
            "each release has one.",
        ),
        _shapes(figures["shapes"], threshold=threshold),
        _table(
            name="people",
            title="People, on average",
            columns=PEOPLE,
            rows=figures["people"],
            about="Each person counts once, however much they did.",
        ),
        _creators(figures["creators"]),
        _table(
            name="solvers",
            title="Solvers",
            columns=SOLVERS,
            rows=figures["solvers"],
            page_rows=figures["solvers"][:SHOWN],
            empty="Nobody yet. Solvers are counted once an association is final.",
            note=_some(figures["solvers"], "answered"),
        ),
        _agreement(figures["agreement"]),
        *_concreteness(figures.get("concreteness", ()), figures.get("correlations", ())),
    ]


def tables_of_cues(figures: Figures) -> list[StatTable]:
    """Tables of cues, which the page shows differently: one row as a list of facts, and the words folded."""
    words = (_name("cue", "Cue"), _count("associations", "Selected associations"))
    return [
        _table(name="cues", title="Cues", columns=CUES, rows=figures["cues"]),
        _table(name="words", title="Most frequent cues", columns=words, rows=figures["words"]),
    ]


def _shapes(rows: Sequence[Row], *, threshold: int) -> StatTable:
    selected = [row for row in rows if row["selected"]]
    return _table(
        name="shapes",
        title="Selected, by candidates and chosen",
        columns=SHAPES,
        rows=rows,
        page_rows=selected,
        empty="Nothing is selected yet. An association is selected once three people have solved it, with a "
        f"mean of {threshold} % or more.",
        charts=draw_shapes(selected),
    )


def _creators(rows: Sequence[Row]) -> StatTable:
    return _table(
        name="creators",
        title="Creators",
        columns=CREATORS,
        rows=rows,
        page_rows=rows[:SHOWN],
        empty="Nobody yet. Associations from a file have no creator.",
        note=_some(rows, "made"),
        charts=draw_scatters(rows),
    )


def _agreement(rows: Sequence[Row]) -> StatTable:
    return _table(
        name="agreement",
        title="Agreement",
        columns=AGREEMENT,
        rows=rows,
        about="The Jaccard index of solvers with the author's choice, of each two solvers, and of all "
        "solvers of an association together (what all picked, over what any of them picked), with standard "
        "deviations. Within: the deviation of an association's solvers, on average.",
    )


def _concreteness(rows: Sequence[Row], correlations: Sequence[Row]) -> list[StatTable]:
    cues = sum(row["cues"] for row in rows)
    rated = sum(row["cues"] for row in rows if row["from"] is not None)
    about = f"{rated} of {cues} different cues of selected associations are in the list. " if rows else ""
    return [
        _table(
            name="concreteness",
            title="Concreteness of cues",
            columns=CONCRETENESS,
            rows=rows,
            about=f"{about}From 1 (abstract) to 5 (concrete), as the uploaded list rates words. "
            "A bin holds its lower end. Means are over all final associations, selected or not.",
            empty="There is no concreteness list. Upload one to see how concrete the cues are.",
            charts=draw_concreteness(rows),
        ),
        _table(
            name="correlations",
            title="Correlation with the concreteness of the cue",
            columns=CORRELATIONS,
            rows=correlations,
            about="Pearson's r over final associations whose cue is in the list, selected or not, since "
            "selection goes by how well people solve them. p: how probable an r as far from 0 is where there "
            "is no correlation.",
            empty="There is no concreteness list.",
        ),
    ]


def _some(rows: Sequence[Row], did: str) -> str:
    """Note on which people the page shows: those who did most come first."""
    some = f"The {SHOWN} who {did} most, of {len(rows)}; all of them:"
    return some if len(rows) > SHOWN else f"Those who {did} most come first."
