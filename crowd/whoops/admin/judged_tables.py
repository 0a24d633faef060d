"""The paper's tables of what people judge, with our numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction

from crowd.whoops import domain
from crowd.whoops.admin.charts import Bars, draw_bars
from crowd.whoops.admin.tables import SHARE, Cell, Table, percent, share_cells
from crowd.whoops.domain.caption_errors import PATTERNS, Rights
from crowd.whoops.domain.votes import Agreement, Share
from crowd.whoops.models import Project
from crowd.whoops.queries.judged import Judged, Judgement, Kind, Variant, caption_patterns, judged
from crowd.whoops.queries.matching import Result

SOURCES = {domain.PEOPLE: "Annotators", domain.DESIGNER: "Designers"}
Which = Callable[[Judgement], bool]
MARKS = {True: "right", False: "wrong"}


def judged_tables(project: Project) -> Iterator[Table]:
    explained = judged(project, Kind.EXPLAIN)
    captions = judged(project, Kind.RATE)
    yield _identified(judged(project, Kind.IDENTIFY))
    yield _explained(explained)
    yield _explained_by_category(explained)
    yield _verified(judged(project, Kind.VERIFY))
    yield _captions(captions)
    yield _patterns(captions)


def matching_table(found: Sequence[Result]) -> Table:
    rows = [
        (
            one.scores.name,
            one.found.pairs.right,
            one.found.pairs.of,
            *share_cells(one.found.pairs),
            percent(one.found.mean_of_images),
            one.lacking,
        )
        for one in found
    ]
    return Table(
        name="matching",
        title="Detailed against underspecified captions",
        header=("Model", "Ranked rightly", "Pairs", *SHARE, "Mean of images", "Pairs without scores"),
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


def _identified(found: Judged) -> Table:
    parts: Sequence[tuple[str, Which]] = (
        ("All images", lambda _: True),
        ("Weird images", lambda one: one.label is True),
        ("Normal partners", lambda one: one.label is False),
    )
    return Table(
        name="identification",
        title="Weird or normal",
        header=AGREEMENT,
        rows=_agreements(found, parts),
        about=f"The majority of judges against what the image is; chance is 50 %. {_open(found)}",
        empty=_nothing(found),
        bars=_agreement_bars(found, parts),
    )


def _verified(found: Judged) -> Table:
    parts: Sequence[tuple[str, Which]] = (
        ("All answers", lambda _: True),
        ("Taken for right", lambda one: one.label is True),
        ("Wrong on purpose", lambda one: one.label is False),
    )
    return Table(
        name="answers",
        title="Questions and answers",
        header=AGREEMENT,
        rows=_agreements(found, parts),
        about=f"The majority of judges against the label that came with the answer. {_open(found)}",
        empty=_nothing(found),
        bars=_agreement_bars(found, parts),
    )


AGREEMENT = ("Of", "Majority is right", "Judged", *SHARE, "All agree", "Share", "Splits")


def _agreements(found: Judged, parts: Sequence[tuple[str, Which]]) -> list[Sequence[Cell]]:
    return [_agreement(name, found.agreement(which)) for name, which in parts] if found.closed else []


def _agreement(name: str, one: Agreement) -> Sequence[Cell]:
    return (
        name,
        one.right.right,
        one.right.of,
        *share_cells(one.right),
        one.unanimous.right,
        percent(one.unanimous.value),
        one.splits,
    )


def _agreement_bars(found: Judged, parts: Sequence[tuple[str, Which]]) -> Bars | None:
    shares = [(name, found.agreement(which).right) for name, which in parts]
    return _bars(shares) if found.closed else None


def _explained(found: Judged) -> Table:
    rows = [(source, found.accepted(_of(source))) for source in found.sources]
    return Table(
        name="explanations",
        title="Explanations by source",
        header=("Source", "Acceptable", "Judged", *SHARE),
        rows=[(source_name(name), one.right, one.of, *share_cells(one)) for name, one in rows],
        about="An explanation is acceptable where most judges have marked it. Nobody was told whose it is. "
        f"{_unanimous(found)} {_open(found)}",
        empty=_nothing(found),
        bars=_bars([(source_name(name), one) for name, one in rows]),
    )


def _explained_by_category(found: Judged) -> Table:
    rows: list[Sequence[Cell]] = []
    for category in found.categories:
        shares = [found.accepted(_of(source, category=category)) for source in found.sources]
        rows.append((category, *(f"{percent(one.value)} of {one.of}" if one.of else "–" for one in shares)))
    return Table(
        name="explanations-by-category",
        title="Explanations by category",
        header=("Category", *(source_name(source) for source in found.sources)),
        rows=rows,
        about="The share that is acceptable, and of how many explanations.",
        empty=_nothing(found),
    )


def _captions(found: Judged) -> Table:
    rows: list[tuple[str, str, Share]] = [
        (source_name(source), Variant(variant).label, share)
        for source in found.sources
        for variant in Variant
        if (share := found.accepted(_of(source, variant))).of
    ]
    return Table(
        name="captions",
        title="Captions by model and variant",
        header=("Model", "Variant", "Right", "Judged", *SHARE),
        rows=[(source, variant, one.right, one.of, *share_cells(one)) for source, variant, one in rows],
        about=f"A caption is right where most judges say so. {_unanimous(found)} {_open(found)}",
        empty=_nothing(found),
        bars=_bars([(f"{source}: {variant.lower()}", one) for source, variant, one in rows]),
        words=2,
    )


def _patterns(found: Judged) -> Table:
    rows: list[Sequence[Cell]] = [
        (source_name(source), words, *_marks(pattern), counts[pattern], percent(_part(counts, pattern)))
        for source, counts in caption_patterns(found).items()
        if any(counts.values())
        for pattern, words in PATTERNS.items()
    ]
    return Table(
        name="caption-errors",
        title="Types of caption errors",
        header=("Model", "Error", "Weird", "Normal", "Natural", "Scenes", "Share"),
        rows=rows,
        about="Over scenes whose weird image and both partners have a judged caption of the same model. "
        "A split counts nowhere.",
        empty="There is no scene yet of which the captions of all three variants are judged.",
        words=5,
    )


def _marks(pattern: Rights) -> Sequence[str]:
    return [MARKS[is_right] for is_right in pattern]


def _part(counts: Mapping[Rights, int], pattern: Rights) -> Fraction:
    return Fraction(counts[pattern], sum(counts.values()))


def _of(source: str, variant: str = "", *, category: str = "") -> Which:
    """Empty: any."""
    return lambda one: (
        one.source == source and variant in ("", one.variant) and category in ("", one.category)
    )


def _bars(shares: Sequence[tuple[str, Share]]) -> Bars | None:
    return draw_bars(
        ((name, float(share.value or 0), percent(share.value)) for name, share in shares), most=1
    )


def _unanimous(found: Judged) -> str:
    share = found.unanimous()
    return f"All judges agree on {percent(share.value)}." if share.of else ""


def _open(found: Judged) -> str:
    """What no share counts yet."""
    return f"Open, because judges are missing: {found.open}." if found.open else ""


def _nothing(found: Judged) -> str:
    return f"No question has all its judges yet. {_open(found)}".strip()
