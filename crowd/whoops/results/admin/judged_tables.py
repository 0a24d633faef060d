"""The paper's tables of what people judge, with our numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from crowd.whoops import domain
from crowd.whoops.judge.domain.caption_errors import PATTERNS, Rights
from crowd.whoops.judge.domain.votes import Agreement, Share
from crowd.whoops.judge.queries.judgements import (
    Judgement,
    Kind,
    KindJudgements,
    Variant,
    caption_patterns,
    judged_by_kind,
)
from crowd.whoops.models import Project
from crowd.whoops.results.admin.share_cells import OF_ALL, WITH_INTERVAL, share_cells
from crowd.whoops.results.queries.matching_results import Result
from hits.datasets.bars import Bars, draw_bars
from hits.datasets.columns import TEXT
from hits.datasets.stat_table import SHARE, UNKNOWN, WORDS, StatTable, head, percent

SOURCES = {domain.PEOPLE: "Annotators", domain.DESIGNER: "Designers"}
Which = Callable[[Judgement], bool]
MARKS = {True: "right", False: "wrong"}
Row = Sequence[Any]
AGREEMENT = (
    head("Of", TEXT),
    head("Majority is right"),
    head("Judged"),
    *WITH_INTERVAL,
    head("All agree"),
    head("Share", SHARE, name="share_of_all_agree"),
    head("Splits"),
)
MATCHING = (
    head("Model", TEXT),
    head("Ranked rightly"),
    head("Pairs"),
    *WITH_INTERVAL,
    head("Mean of images", SHARE),
    head("Pairs without scores"),
)
ERRORS = (
    *(head(title, TEXT) for title in ("Model", "Error", "Weird", "Normal", "Natural")),
    head("Scenes"),
    OF_ALL,
)


def judged_tables(project: Project) -> Iterator[StatTable]:
    found = judged_by_kind(project, [Kind.IDENTIFY, Kind.EXPLAIN, Kind.VERIFY, Kind.RATE])
    yield _identified(found[Kind.IDENTIFY])
    yield _explained(found[Kind.EXPLAIN])
    yield _explained_by_category(found[Kind.EXPLAIN])
    yield _verified(found[Kind.VERIFY])
    yield _captions(found[Kind.RATE])
    yield _patterns(found[Kind.RATE])


def matching_table(found: Sequence[Result]) -> StatTable:
    rows = [
        (
            one.scores.name,
            one.found.pairs.right,
            one.found.pairs.of,
            *share_cells(one.found.pairs),
            one.found.mean_of_images,
            one.lacking,
        )
        for one in found
    ]
    return StatTable(
        name="matching",
        title="Detailed against underspecified captions",
        columns=MATCHING,
        rows=rows,
        about="How often a model scores the detailed caption higher. A tie is wrong; chance is 50 %.",
        empty="No model has scores yet. Upload a file of them.",
        bars=draw_bars(
            (
                (one.scores.name, float(one.found.pairs.value or 0), percent(one.found.pairs.value))
                for one in found
            ),
            most=1,
        ),
    )


def source_name(source: str) -> str:
    return SOURCES.get(source, source) or "Not named"


def _identified(found: KindJudgements) -> StatTable:
    parts: Sequence[tuple[str, Which]] = (
        ("All images", lambda _: True),
        ("Weird images", lambda one: one.label is True),
        ("Normal partners", lambda one: one.label is False),
    )
    return StatTable(
        name="identification",
        title="Weird or normal",
        columns=AGREEMENT,
        rows=_agreements(found, parts),
        about=f"The majority of judges against what the image is; chance is 50 %. {_open(found)}",
        empty=_nothing(found),
        bars=_agreement_bars(found, parts),
    )


def _verified(found: KindJudgements) -> StatTable:
    parts: Sequence[tuple[str, Which]] = (
        ("All answers", lambda _: True),
        ("Taken for right", lambda one: one.label is True),
        ("Wrong on purpose", lambda one: one.label is False),
    )
    return StatTable(
        name="answers",
        title="Questions and answers",
        columns=AGREEMENT,
        rows=_agreements(found, parts),
        about=f"The majority of judges against the label that came with the answer. {_open(found)}",
        empty=_nothing(found),
        bars=_agreement_bars(found, parts),
    )


def _agreements(found: KindJudgements, parts: Sequence[tuple[str, Which]]) -> list[Row]:
    return [_agreement(name, found.agreement(which)) for name, which in parts] if found.closed else []


def _agreement(name: str, one: Agreement) -> Row:
    return (
        name,
        one.right.right,
        one.right.of,
        *share_cells(one.right),
        one.unanimous.right,
        one.unanimous.value,
        one.splits,
    )


def _agreement_bars(found: KindJudgements, parts: Sequence[tuple[str, Which]]) -> Bars | None:
    shares = [(name, found.agreement(which).right) for name, which in parts]
    return _bars(shares) if found.closed else None


def _explained(found: KindJudgements) -> StatTable:
    rows = [(source, found.accepted(_of(source))) for source in found.sources]
    return StatTable(
        name="explanations",
        title="Explanations by source",
        columns=(head("Source", TEXT), head("Acceptable"), head("Judged"), *WITH_INTERVAL),
        rows=[(source_name(name), one.right, one.of, *share_cells(one)) for name, one in rows],
        about="An explanation is acceptable where most judges have marked it. Nobody was told whose it is. "
        f"{_unanimous(found)} {_open(found)}",
        empty=_nothing(found),
        bars=_bars([(source_name(name), one) for name, one in rows]),
    )


def _explained_by_category(found: KindJudgements) -> StatTable:
    rows: list[Row] = []
    for category in found.categories:
        shares = [found.accepted(_of(source, category=category)) for source in found.sources]
        rows.append(
            (category, *(f"{percent(one.value)} of {one.of}" if one.of else UNKNOWN for one in shares))
        )
    return StatTable(
        name="explanations-by-category",
        title="Explanations by category",
        columns=(
            head("Category", TEXT),
            *(head(source_name(source), WORDS, name=f"source {source}") for source in found.sources),
        ),
        rows=rows,
        about="The share that is acceptable, and of how many explanations.",
        empty=_nothing(found),
    )


def _captions(found: KindJudgements) -> StatTable:
    rows: list[tuple[str, str, Share]] = [
        (source_name(source), Variant(variant).label, share)
        for source in found.sources
        for variant in Variant
        if (share := found.accepted(_of(source, variant))).of
    ]
    return StatTable(
        name="captions",
        title="Captions by model and variant",
        columns=(head("Model", TEXT), head("Variant", TEXT), head("Right"), head("Judged"), *WITH_INTERVAL),
        rows=[(source, variant, one.right, one.of, *share_cells(one)) for source, variant, one in rows],
        about=f"A caption is right where most judges say so. {_unanimous(found)} {_open(found)}",
        empty=_nothing(found),
        bars=_bars([(f"{source}: {variant.lower()}", one) for source, variant, one in rows]),
    )


def _patterns(found: KindJudgements) -> StatTable:
    rows: list[Row] = [
        (source_name(source), words, *_marks(pattern), counts[pattern], _part(counts, pattern))
        for source, counts in caption_patterns(found).items()
        if any(counts.values())
        for pattern, words in PATTERNS.items()
    ]
    return StatTable(
        name="caption-errors",
        title="Types of caption errors",
        columns=ERRORS,
        rows=rows,
        about="Over scenes whose weird image and both partners have a judged caption of the same model. "
        "A split counts nowhere.",
        empty="There is no scene yet of which the captions of all three variants are judged.",
    )


def _marks(pattern: Rights) -> Sequence[str]:
    return [MARKS[is_right] for is_right in pattern]


def _part(counts: Mapping[Rights, int], pattern: Rights) -> Fraction:
    return Fraction(counts[pattern], sum(counts.values()))


def _of(source: str, variant: str = "", *, category: str = "") -> Which:
    """Select judgements by source, variant and category; an empty one selects any."""
    return lambda one: (
        one.source == source and variant in ("", one.variant) and category in ("", one.category)
    )


def _bars(shares: Sequence[tuple[str, Share]]) -> Bars | None:
    return draw_bars(
        ((name, float(share.value or 0), percent(share.value)) for name, share in shares), most=1
    )


def _unanimous(found: KindJudgements) -> str:
    share = found.unanimous()
    return f"All judges agree on {percent(share.value)}." if share.of else ""


def _open(found: KindJudgements) -> str:
    """Say how many questions are open, which no share counts yet."""
    return f"Open, because judges are missing: {found.open}." if found.open else ""


def _nothing(found: KindJudgements) -> str:
    return f"No question has all its judges yet. {_open(found)}".strip()
