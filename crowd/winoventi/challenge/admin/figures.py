"""The paper's figures of a project as tables, the same on the page and in the files."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from crowd.winoventi.challenge.admin.association_tables import association_tables
from crowd.winoventi.challenge.admin.parts_table import no_word, parts_table
from crowd.winoventi.challenge.queries.figures import Statistics, statistics_of
from crowd.winoventi.challenge.queries.model_comparison import Result, results
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.evaluation import Share
from crowd.winoventi.models import Premise, Project
from crowd.winoventi.reason_words import QUESTIONS
from hits.datasets.bars import draw_bars, shorten
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import SHARE, StatTable, head, percent

LONGEST_LABEL = 14
COUNTS: Mapping[str, tuple[str, str]] = {
    "pairs_posted": ("Pairs posted", ""),
    "nonsense": ("Statements that make no sense", "pairs_posted"),
    "exceptions": ("Exceptions", ""),
    "passed_filter": ("Passed the filter", "exceptions"),
    "premises": ("Premises", ""),
    "well_formed_premises": ("Well-formed premises", "premises"),
    "validated": ("Validated", "well_formed_premises"),
    "failed_validation": ("Failed their validation", "well_formed_premises"),
    "valid_pairs": ("Valid pairs", "well_formed_premises"),
    "entities": ("Different nouns of valid pairs", ""),
    "generics": ("Different generics of valid pairs", ""),
}


MODELS = (
    head("Model", TEXT),
    head("Words of several pieces", TEXT),
    head("Subset", TEXT),
    *(
        one
        for kind in ("Generic", "Exception")
        for one in (
            head(f"{kind}: right"),
            head("Of", name=f"{kind.lower()}_of"),
            head("Accuracy", SHARE, name=f"{kind.lower()}_accuracy"),
        )
    ),
)


def tables_of(project: Project) -> list[StatTable]:
    found, models = statistics_of(project), results(project)
    return [
        _counts(found),
        _by_k(found),
        _sentences(found),
        parts_table(project),
        _objections(project, found),
        _judged(found),
        _people(found),
        _models(found, models),
        *association_tables(project),
        _workers(found),
    ]


def _counts(found: Statistics) -> StatTable:
    rows = [
        (words, found.counts[name], _part(found.counts[name], found.counts[of]) if of else "")
        for name, (words, of) in COUNTS.items()
    ]
    about = "A share is that of the figure it is a part of: of pairs posted, of exceptions, of premises."
    return StatTable(
        name="counts",
        title="From pairs to a challenge set",
        columns=(head("Figure", TEXT), head("Count"), head("Share", SHARE)),
        rows=rows,
        about=about,
    )


def _by_k(found: Statistics) -> StatTable:
    rows = [
        (f"k = {row.k}", row.posted, row.nonsense, _part(row.nonsense, row.posted), row.pairs)
        for row in found.by_k
    ]
    return StatTable(
        name="by-k",
        title="Pairs by k",
        columns=(
            head("k", TEXT),
            head("Pairs posted"),
            head("No sense"),
            head("Share of no sense", SHARE),
            head("Valid pairs"),
        ),
        rows=rows,
        about="A pair counts for the smallest k that finds it.",
        bars=draw_bars((f"k = {row.k}", row.posted, f"{row.posted} posted") for row in found.by_k),
    )


def _sentences(found: Statistics) -> StatTable:
    sentences = found.sentences
    thirds = [
        (f"Special word in the {third} third", count, _part(count, sentences.count))
        for third, count in sentences.thirds.items()
    ]
    return StatTable(
        name="sentences",
        title="Sentences of valid pairs",
        columns=(head("Figure", TEXT), head("Value", NUMBER, digits=2), head("Share", SHARE)),
        rows=[("Sentences", sentences.count, ""), ("Words, on average", sentences.mean_words, ""), *thirds],
        about="The bracket counts as one word.",
        note=no_word(found.counts["valid_pairs"] - sentences.count),
    )


def _objections(project: Project, found: Statistics) -> StatTable:
    failed = _failed_by(project)
    every = found.counts["failed_validation"]
    rows = [
        (words, found.objections[name], failed[name], _part(failed[name], every))
        for name, words in QUESTIONS.items()
    ]
    return StatTable(
        name="objections",
        title="What validators object to",
        columns=(
            head("Question", TEXT),
            head("Said yes"),
            head("Pairs failed by it"),
            head("Share of failed pairs", SHARE),
        ),
        rows=rows,
        about="Yes is bad on all four. A pair may fail by several.",
        bars=draw_bars(
            (name.replace("_", " "), found.objections[name], f"{found.objections[name]}")
            for name in QUESTIONS
        ),
    )


def _failed_by(project: Project) -> Counter[str]:
    """Number of pairs that failed by each question; a pair may fail by several."""
    reasons = project.premises.filter(state=Premise.State.FAILED).values_list("reason", flat=True)
    return Counter(code for reason in reasons.iterator() for code in reason.split(",") if code)


def _judged(found: Statistics) -> StatTable:
    return StatTable(
        name="judged",
        title="Judgements for each premise",
        columns=(head("Judgements", TEXT), head("Well-formed premises")),
        rows=[(str(times), count) for times, count in sorted(found.judged.items())],
    )


def _people(found: Statistics) -> StatTable:
    shares = {kind: _human(found, kind) for kind in KINDS}
    return StatTable(
        name="people",
        title="How people do",
        columns=(head("Prompt", TEXT), head("Right"), head("Of"), head("Accuracy", SHARE)),
        rows=[(kind, share.right, share.all, share.value) for kind, share in shares.items()],
        bars=draw_bars(
            ((kind, float(share.value or 0), percent(share.value)) for kind, share in shares.items()), most=1
        )
        if any(share.all for share in shares.values())
        else None,
    )


def _human(found: Statistics, kind: str) -> Share:
    right, of = found.counts[f"human_{kind}"]
    return Share(right=right, all=of)


def _models(found: Statistics, models: Sequence[Result]) -> StatTable:
    rows = [row for one in models for row in _rows_of(one)]
    return StatTable(
        name="models",
        title="How models do",
        columns=MODELS,
        rows=rows,
        about="All: every valid pair. Individual: those whose generic the model favors without a premise. "
        "Intersection: those of all models that were asked without premises. A tie is wrong.",
        empty="No model has answered yet. Ask a registered one, or upload answers.",
        bars=draw_bars(_model_bars(found, models), most=1) if models else None,
    )


def _model_bars(found: Statistics, models: Sequence[Result]) -> Iterator[tuple[str, float, str]]:
    people = {kind: _human(found, kind) for kind in KINDS}
    for name, shares in [("people", people), *((str(one.evaluation), one.everything) for one in models)]:
        for kind in KINDS:
            label = f"{shorten(name, to=LONGEST_LABEL)}: {kind[:3]}."
            yield label, float(shares[kind].value or 0), percent(shares[kind].value)


def _rows_of(one: Result) -> Iterator[Sequence[Any]]:
    subsets = {"All": one.everything, "Individual": one.individual, "Intersection": one.of_intersection}
    way = one.evaluation.get_way_display() if one.evaluation.way else "uploaded"
    for name, shares in subsets.items():
        found = [shares[kind] if shares is not None else None for kind in KINDS]
        cells = [(share.right, share.all, share.value) if share else (None,) * 3 for share in found]
        yield (str(one.evaluation), way, name, *cells[0], *cells[1])


def _workers(found: Statistics) -> StatTable:
    rows = [(one.pseudonym, one.statements, one.premises, one.judgements, one.all) for one in found.workers]
    return StatTable(
        name="workers",
        title="Workers",
        columns=(
            head("Worker", TEXT),
            *(head(title) for title in ("Pairs answered", "Premises", "Judgements", "Together")),
        ),
        rows=rows,
        about=f"{len(rows)} of {found.workers_count} workers, the busiest first.",
    )


def _part(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
