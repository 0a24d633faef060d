"""The paper's figures of a project as tables: the page and the files show the same ones."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from crowd.winoventi.admin.charts import Bars, draw_bars
from crowd.winoventi.admin.words import QUESTIONS
from crowd.winoventi.challenge.statistics import Statistics, statistics_of
from crowd.winoventi.domain import KINDS
from crowd.winoventi.domain.evaluation import Share
from crowd.winoventi.models import Premise, Project
from crowd.winoventi.queries.models import COMPARED_KS, Result, likenesses, results

Cell = str | int
LONGEST_LABEL = 14
UNKNOWN = "–"
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


@dataclass(frozen=True, kw_only=True)
class Table:
    """The first column names its row. `empty` is said where there are no rows."""

    name: str
    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    about: str = ""
    empty: str = "Nothing yet."
    bars: Bars | None = None


def tables_of(project: Project) -> list[Table]:
    found, models = statistics_of(project), results(project)
    return [
        _counts(found),
        _by_k(found),
        _sentences(found),
        _objections(project, found),
        _judged(found),
        _people(found),
        _models(found, models),
        _likenesses(project),
        _workers(found),
    ]


def percent(share: Fraction | float | None) -> str:
    return UNKNOWN if share is None else f"{float(100 * share):.1f} %"


def _counts(found: Statistics) -> Table:
    rows = [
        (words, found.counts[name], percent(_part(found.counts[name], found.counts[of])) if of else "")
        for name, (words, of) in COUNTS.items()
    ]
    about = "A share is that of the figure it is a part of: of pairs posted, of exceptions, of premises."
    return Table(
        name="counts",
        title="From pairs to a challenge set",
        header=("Figure", "Count", "Share"),
        rows=rows,
        about=about,
    )


def _by_k(found: Statistics) -> Table:
    rows = [
        (f"k = {row.k}", row.posted, row.nonsense, percent(_part(row.nonsense, row.posted)), row.pairs)
        for row in found.by_k
    ]
    return Table(
        name="by-k",
        title="Pairs by k",
        header=("k", "Pairs posted", "No sense", "Share of no sense", "Valid pairs"),
        rows=rows,
        about="A pair counts for the smallest k that finds it.",
        bars=draw_bars((f"k = {row.k}", row.posted, f"{row.posted} posted") for row in found.by_k),
    )


def _sentences(found: Statistics) -> Table:
    sentences = found.sentences
    mean = UNKNOWN if sentences.mean_words is None else f"{float(sentences.mean_words):.2f}"
    thirds = [
        (f"Special word in the {third} third", count, percent(_part(count, sentences.count)))
        for third, count in sentences.thirds.items()
    ]
    return Table(
        name="sentences",
        title="Sentences of valid pairs",
        header=("Figure", "Value", "Share"),
        rows=[("Sentences", sentences.count, ""), ("Words, on average", mean, ""), *thirds],
        about="The bracket counts as one word. Parts of speech are not counted: a guess without a tagger "
        "would be no figure.",
    )


def _objections(project: Project, found: Statistics) -> Table:
    failed = _failed_by(project)
    every = found.counts["failed_validation"]
    rows = [
        (words, found.objections[name], failed[name], percent(_part(failed[name], every)))
        for name, words in QUESTIONS.items()
    ]
    return Table(
        name="objections",
        title="What validators object to",
        header=("Question", "Said yes", "Pairs failed by it", "Share of failed pairs"),
        rows=rows,
        about="Yes is bad on all four. A pair may fail by several.",
        bars=draw_bars(
            (name.replace("_", " "), found.objections[name], f"{found.objections[name]}")
            for name in QUESTIONS
        ),
    )


def _failed_by(project: Project) -> Counter[str]:
    """Pairs by the questions that they failed by."""
    reasons = project.premises.filter(state=Premise.State.FAILED).values_list("reason", flat=True)
    return Counter(code for reason in reasons.iterator() for code in reason.split(",") if code)


def _judged(found: Statistics) -> Table:
    return Table(
        name="judged",
        title="Judgements for each premise",
        header=("Judgements", "Well-formed premises"),
        rows=[(str(times), count) for times, count in sorted(found.judged.items())],
    )


def _people(found: Statistics) -> Table:
    shares = {kind: _human(found, kind) for kind in KINDS}
    return Table(
        name="people",
        title="How people do",
        header=("Prompt", "Right", "Of", "Accuracy"),
        rows=[(kind, share.right, share.all, percent(share.value)) for kind, share in shares.items()],
        bars=draw_bars(
            ((kind, float(share.value or 0), percent(share.value)) for kind, share in shares.items()), most=1
        )
        if any(share.all for share in shares.values())
        else None,
    )


def _human(found: Statistics, kind: str) -> Share:
    right, of = found.counts[f"human_{kind}"]
    return Share(right=right, all=of)


def _models(found: Statistics, models: Sequence[Result]) -> Table:
    rows = [row for one in models for row in _rows_of(one)]
    return Table(
        name="models",
        title="How models do",
        header=(
            "Model",
            "Words of several pieces",
            "Subset",
            "Generic: right",
            "Of",
            "Accuracy",
            "Exception: right",
            "Of",
            "Accuracy",
        ),
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
            label = f"{_short(name)}: {kind[:3]}."
            yield label, float(shares[kind].value or 0), percent(shares[kind].value)


def _rows_of(one: Result) -> Iterator[Sequence[Cell]]:
    subsets = {"All": one.everything, "Individual": one.individual, "Intersection": one.of_intersection}
    way = one.evaluation.get_way_display() if one.evaluation.way else "uploaded"
    for name, shares in subsets.items():
        cells: list[Cell] = [str(one.evaluation), way, name]
        for kind in KINDS:
            share = shares[kind] if shares is not None else None
            known: Iterable[Cell] = (share.right, share.all, percent(share.value)) if share else ()
            cells += known or (UNKNOWN,) * 3
        yield cells


def _likenesses(project: Project) -> Table:
    header = ["Model", "Nouns"]
    header += [f"k = {k}" for k in COMPARED_KS]
    header += [f"k = {k}, without empty rows" for k in COMPARED_KS]
    rows: list[list[Cell]] = []
    for one in likenesses(project):
        shares = [one.with_empty[k] for k in COMPARED_KS] + [one.without_empty[k] for k in COMPARED_KS]
        rows.append([str(one.rival), one.nouns, *(_index(share) for share in shares)])
    own = project.generics_model or "the project's own model"
    return Table(
        name="jaccard",
        title="Associations of other models",
        header=header,
        rows=rows,
        about=f"The mean Jaccard index of their generics with those of {own}. Where both find nothing they "
        "are all alike, or, without empty rows, the noun is left out.",
        empty="No other model has read the nouns. Ask one to.",
    )


def _workers(found: Statistics) -> Table:
    rows = [(one.pseudonym, one.statements, one.premises, one.judgements, one.all) for one in found.workers]
    return Table(
        name="workers",
        title="Workers",
        header=("Worker", "Pairs answered", "Premises", "Judgements", "Together"),
        rows=rows,
        about=f"{len(rows)} of {found.workers_count}, whoever did most first.",
    )


def _part(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None


def _index(share: Fraction | None) -> str:
    return UNKNOWN if share is None else f"{float(share):.3f}"


def _short(name: str) -> str:
    return name if len(name) <= LONGEST_LABEL else f"{name[: LONGEST_LABEL - 1]}…"
