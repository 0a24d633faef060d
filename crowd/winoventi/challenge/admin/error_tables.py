"""The error analysis of models as tables: their worst and best prompts, and what these have in common."""

from collections.abc import Iterator, Sequence
from typing import Any

from crowd.winoventi.associations.queries.model_associations import widest_k
from crowd.winoventi.challenge.domain.model_errors import MOST, AnsweredPrompt, End, summarize
from crowd.winoventi.challenge.queries.model_errors import ModelErrors, model_errors
from crowd.winoventi.domain import EXCEPTION
from crowd.winoventi.models import PieceScoring, Project
from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import SHARE, StatTable, head

EMPTY = "No model has given probabilities for these prompts yet. Ask a registered one, or upload answers."
MODEL = (head("Model", TEXT), head("Prompts", TEXT, name="end"))
WORDS = (*MODEL, head("Generic", TEXT), head("Count"), head("Of"), head("Share", SHARE))
PROMPTS = (
    *MODEL,
    head("Place"),
    head("Prompt", TEXT),
    head("Right word", TEXT),
    head("Wrong word", TEXT),
    head("p of the right word", NUMBER, name="p_target", digits=4),
    head("p of the wrong word", NUMBER, name="p_incorrect", digits=4),
    head("Gap", NUMBER, digits=4),
    head("k"),
    head("Associative", TEXT),
)


def error_tables(project: Project, *, kind: str = EXCEPTION, most: int = MOST) -> list[StatTable]:
    found = model_errors(project, kind=kind, most=most)
    return [_summary(project, found, most=most), _words(found), _prompts(found)]


def _summary(project: Project, found: Sequence[ModelErrors], *, most: int) -> StatTable:
    ks = sorted(project.ks)
    return StatTable(
        name="errors",
        title="What the prompts at both ends have in common",
        columns=(
            *MODEL,
            head("Count"),
            *(head(f"k = {k}", SHARE) for k in ks),
            head("Commonest generic", TEXT),
            head("Share of it", SHARE),
            head("Nouns read", name="known"),
            head("Non-associative pairs", SHARE),
            head("Nouns without associations", SHARE),
        ),
        rows=[(*name, *_summed(prompts, ks)) for name, prompts in _ends(found)],
        about=f"Worst are the {most} wrong answers with the largest gap between the two probabilities, and "
        f"best the {most} right ones. A pair counts for the smallest k that finds it. A pair is "
        f"non-associative where k = {widest_k(project)} does not find its generic with this model, of those "
        "whose noun the model has read.",
        empty=EMPTY,
    )


def _summed(prompts: Sequence[AnsweredPrompt], ks: Sequence[int]) -> Sequence[Any]:
    summary = summarize(prompts)
    word, count = next(iter(summary.by_word.items()), (None, 0))
    return (
        summary.count,
        *(summary.share(summary.by_k.get(k, 0)) for k in ks),
        word,
        summary.share(count),
        summary.known,
        summary.share_of_known(summary.non_associative),
        summary.share_of_known(summary.without_associations),
    )


def _words(found: Sequence[ModelErrors]) -> StatTable:
    rows = [
        (*name, word, count, summary.count, summary.share(count))
        for name, prompts in _ends(found)
        for summary in [summarize(prompts)]
        for word, count in summary.by_word.items()
    ]
    return StatTable(
        name="error-words",
        title="Generics of these prompts",
        columns=WORDS,
        rows=rows,
        about="The commonest first: a model that fails on one word everywhere shows it here.",
        empty=EMPTY,
    )


def _prompts(found: Sequence[ModelErrors]) -> StatTable:
    rows = [
        (*name, place, *_row(one))
        for name, prompts in _ends(found)
        for place, one in enumerate(prompts, start=1)
    ]
    return StatTable(
        name="error-prompts",
        title="The prompts",
        columns=PROMPTS,
        rows=rows,
        about="The gap is the probability of the wrong word less that of the right one. Associative: whether "
        "the model itself ties the generic to the noun; unknown where it has not read the noun.",
        empty=EMPTY,
        exact=True,
    )


def _row(one: AnsweredPrompt) -> Sequence[Any]:
    associative = {True: "yes", False: "no", None: "unknown"}[one.is_associative]
    numbers = (one.p_target, one.p_incorrect, one.gap)
    return (one.text, one.target, one.incorrect, *numbers, one.k, associative)


def _ends(found: Sequence[ModelErrors]) -> Iterator[tuple[tuple[str, str], Sequence[AnsweredPrompt]]]:
    """Both ends of each model, with the cells that name them."""
    for one in found:
        as_one = one.evaluation.way == PieceScoring.ONE_TOKEN
        name = f"{one.evaluation}, each word as one token" if as_one else str(one.evaluation)
        for end in End:
            yield (name, end.value), one.ends[end]
