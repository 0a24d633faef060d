"""The tables of a report on quality: on the page, and as files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.urls import reverse

from hits.datasets.columns import NUMBER, TEXT
from hits.datasets.stat_table import SHARE, UNKNOWN, ShownCell, StatTable, head, percent

if TYPE_CHECKING:
    from scoring.quality.quality_report import Confusion, ItemAnswer, QualityReport, QuestionAgreement
    from scoring.quality.worker_evidence import WorkerEvidence
    from scoring.quality.worker_signs import NamedPair

MOST_ITEMS, MOST_PAIRS, MOST_CONFUSED = 30, 20, 10
SEVERAL = "several alike"
Interval = tuple[float, float] | None


def tables_of(report: QualityReport, work_ids: Mapping[str, int]) -> dict[str, StatTable]:
    """Return the tables by name. Items of the page lead to the works named here, by public id."""
    has_names = any(one.question for one in report.agreement)
    tables = [
        _agreement_table(report.agreement, has_names=has_names),
        _worker_table(report.evidence.workers),
        _pair_table(report.evidence.pairs, has_names=has_names),
        _item_table(report.items, work_ids, has_names=has_names),
        _confusion_table(report, has_names=has_names),
    ]
    return {table.name: table for table in tables}


def _agreement_table(found: Sequence[QuestionAgreement], *, has_names: bool) -> StatTable:
    return StatTable(
        name="agreement",
        title="How far people agree",
        columns=[
            head("Question" if has_names else "Answers to", TEXT, name="question", of=_question_or_all),
            head("Answers", of=lambda one: one.answers),
            head("Workers", of=lambda one: one.workers),
            head("Items", of=lambda one: one.items),
            head("With two or more", name="compared", of=lambda one: one.compared),
            head("Several lead", name="tied", of=lambda one: one.tied),
            head("Equal pairs", SHARE, name="equal_share", of=lambda one: one.equal),
            head("Alpha", NUMBER, digits=3, of=lambda one: one.alpha.value),
            head("Other items", TEXT, name="", of=lambda one: _interval(one.alpha.by_items)),
            head("Other people", TEXT, name="", of=lambda one: _interval(one.alpha.by_workers)),
            *(
                head("", NUMBER, name=f"alpha_{name}", of=_end_of(of, end))
                for name, of, end in (
                    ("low_by_items", "by_items", 0),
                    ("high_by_items", "by_items", 1),
                    ("low_by_workers", "by_workers", 0),
                    ("high_by_workers", "by_workers", 1),
                )
            ),
        ],
        rows=found,
        empty="Nobody has answered anything yet.",
        note="Equal pairs: of all two answers to one item, those that say the same. Alpha is Krippendorff's, "
        "of answers that are equal or not: 1 if all agree, 0 if they agree as by chance. Its intervals of 95 "
        "% say what it would be with other items like these, and with other people like these.",
        exact=True,
    )


def _worker_table(workers: Sequence[WorkerEvidence]) -> StatTable:
    return StatTable(
        name="workers",
        title="Workers, by the evidence",
        columns=[
            head("Worker", TEXT, of=lambda one: one.worker),
            head("Evidence", NUMBER, digits=1, of=lambda one: one.weight),
            head("Stands out", TEXT, of=lambda one: "yes" if one.stands_out else "no"),
            head("What it rests on", TEXT, name="signs", of=lambda one: " ".join(_sentences(one))),
            head("Answers", of=lambda one: one.answers),
            head("Compared", of=lambda one: one.compared),
            head("Agreement", SHARE, of=lambda one: one.agreement),
            head("Agreement of two others", SHARE, of=lambda one: one.usual),
            head("Right by the others", SHARE, of=lambda one: one.right),
            head("Skill", NUMBER, digits=2, of=lambda one: one.skill),
            head("Informed", NUMBER, digits=2, of=lambda one: one.informed),
            head("Median seconds", NUMBER, digits=1, of=lambda one: one.median_s),
            head("Unread", SHARE, of=lambda one: one.unread),
            head("Majority hangs on", of=lambda one: one.decided),
            head("Attention items", of=lambda one: one.attention and one.attention.met),
            head("Attention items as known", of=lambda one: one.attention and one.attention.right),
        ],
        rows=workers,
        exact=True,
    )


def _pair_table(pairs: Sequence[NamedPair], *, has_names: bool) -> StatTable:
    told = [one for one in pairs if one.is_told]
    return StatTable(
        name="pairs",
        title="Pairs who say the same",
        columns=[
            head("Worker", TEXT, name="one", of=lambda one: one.one),
            head("And worker", TEXT, name="other", of=lambda one: one.other),
            head("Question" if has_names else "", TEXT, name="question", of=lambda one: one.question),
            head("Shared", of=lambda one: one.pair.shared),
            head("Same", of=lambda one: one.pair.same),
            head("Usual for their skills", NUMBER, name="usual", digits=1, of=lambda one: one.pair.usual),
            head("Surprise", NUMBER, digits=1, of=lambda one: one.pair.surprise),
        ],
        rows=told,
        page_rows=told[:MOST_PAIRS],
        empty="No two workers say the same more often than their skills explain.",
        note="Of two who copy, or who are one person, the mistakes are the same too. Two who learned the "
        "task together may look alike as well.",
        exact=True,
    )


def _item_table(items: Sequence[ItemAnswer], work_ids: Mapping[str, int], *, has_names: bool) -> StatTable:
    opened = sum(one.is_open for one in items)
    return StatTable(
        name="items",
        title="Items, the open ones first",
        columns=[
            head("", TEXT, name="item", of=lambda one: _item_of(one.item)),
            head("Item", TEXT, name="", of=lambda one: _item_link(one.item, work_ids)),
            head("Question" if has_names else "", TEXT, name="question", of=lambda one: one.question),
            head("Answers", of=lambda one: one.answers),
            head("Most say", TEXT, name="majority", of=_majority),
            head("Equal pairs", SHARE, name="equal_share", of=lambda one: one.equal),
            head("Dawid and Skene", TEXT, name="dawid_skene", of=lambda one: one.skene),
            head("Sure", SHARE, name="dawid_skene_sure", of=lambda one: one.skene_sure),
            head("One skill each", TEXT, name="one_skill", of=lambda one: one.coin),
            head("Sure", SHARE, name="one_skill_sure", of=lambda one: one.coin_sure),
        ],
        rows=items,
        page_rows=items[:MOST_ITEMS],
        about=f"{opened} of {len(items)} are open: several answers lead, or a model that weighs people by "
        "their skill holds another answer likelier than the one that most have given.",
        note=f"The page shows {MOST_ITEMS} at most, the least sure first, each with a link to a work that "
        "answers it; the files have all.",
        exact=True,
    )


def _majority(one: ItemAnswer) -> ShownCell:
    return ShownCell(words=SEVERAL if one.majority is None else str(one.majority), mark="open" * one.is_open)


def _confusion_table(report: QualityReport, *, has_names: bool) -> StatTable:
    first = {one.worker for one in report.evidence.workers[:MOST_CONFUSED]}
    return StatTable(
        name="confusions",
        title="What is called what, by worker",
        columns=[
            head("Worker", TEXT, of=lambda one: one.worker),
            head("Question" if has_names else "", TEXT, name="question", of=lambda one: one.question),
            head("By the others", TEXT, name="truth", of=lambda one: one.truth),
            head("Called", TEXT, name="answer", of=lambda one: one.answer),
            head("Times", NUMBER, digits=1, of=lambda one: one.times),
            head("Share", SHARE, of=lambda one: one.share),
        ],
        rows=report.confusions,
        page_rows=sorted(
            (one for one in report.confusions if one.worker in first), key=_confusion_order(report)
        ),
        note="How often a worker has called what the others' answers make likely by each answer. The page "
        f"shows the first {MOST_CONFUSED} workers of the list above; the files have all.",
        exact=True,
        is_folded=True,
    )


def _confusion_order(report: QualityReport) -> Any:
    places: Mapping[Any, int] = {one.worker: at for at, one in enumerate(report.evidence.workers)}

    def order(one: Confusion) -> tuple[int, str, str, float]:
        return places[one.worker], one.question, str(one.truth), -one.share

    return order


def ranking_rows(workers: Sequence[WorkerEvidence], worker_ids: Mapping[str, int]) -> list[dict[str, Any]]:
    """Return the page's rows of workers, each with a link to the worker's page and the sentences."""
    return [
        {
            "evidence": one,
            "sentences": _sentences(one),
            "agreement": percent(one.agreement, 0),
            "usual": percent(one.usual, 0),
            "url": reverse("admin:hits_worker_change", args=[worker_ids[one.worker]]),
        }
        for one in workers
    ]


def _sentences(one: WorkerEvidence) -> list[str]:
    return [sign.words for sign in one.signs]


def _question_or_all(one: QuestionAgreement) -> str:
    return one.question or "everything"


def _item_of(item: Any) -> str:
    """An item by its id, and which of its things is meant."""
    return f"{item[0]} {item[1]}".strip()


def _item_link(item: Any, work_ids: Mapping[str, int]) -> ShownCell:
    """The beginning of an item's id, with a link to its question as a worker saw it."""
    work = work_ids.get(item[0])
    url = reverse("admin:hits_assignment_work", args=[work]) if work else ""
    return ShownCell(words=f"{item[0][:8]}… {item[1][:12]}".strip(), url=url)


def _interval(found: Interval) -> str:
    return UNKNOWN if found is None else f"{found[0]:.2f} to {found[1]:.2f}"


def _end_of(of: str, end: int) -> Any:
    def read(one: QuestionAgreement) -> float | None:
        interval: Interval = getattr(one.alpha, of)
        return None if interval is None else interval[end]

    return read
