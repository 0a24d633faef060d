"""What a report says of a small crowd."""

import pytest

from scoring.quality.judged_labels import Label, make_labels
from scoring.quality.quality_report import report_of
from tests.scoring.quality.odd_people import Way, make_crowd
from tests.scoring.quality.small_crowds import labels_of

pytestmark = pytest.mark.pure


def test_open_items_come_first_and_agreement_is_counted() -> None:
    rows = [("even", "a", "x"), ("even", "b", "y")]
    rows += [(f"sure {item}", worker, "xy"[item % 2]) for item in range(8) for worker in "abc"]

    report = report_of({"": labels_of(*rows)})

    first, *others = report.items
    [agreement] = report.agreement
    assert (first.item, first.majority, first.equal, first.is_open) == ("even", None, 0.0, True)
    assert not any(one.is_open for one in others)
    assert {(one.majority, one.skene, one.coin) for one in others} == {("x", "x", "x"), ("y", "y", "y")}
    assert (agreement.answers, agreement.items, agreement.compared, agreement.tied) == (26, 9, 9, 1)
    assert agreement.equal == pytest.approx(24 / 25)


def test_a_confusion_says_what_a_worker_calls_a_truth() -> None:
    crowd = make_crowd(odd={Way.FAVORS_ONE: 1}, honest=12, items=600, seed=2)
    [odd] = crowd.who(Way.FAVORS_ONE)

    report = report_of({"": crowd.labels})

    shares = {(one.truth, one.answer): one.share for one in report.confusions if one.worker == odd}
    assert sum(shares[0, answer] for answer in (0, 1) if (0, answer) in shares) == pytest.approx(1, abs=0.01)
    favored = max(shares, key=lambda one: shares[one])[1]
    assert min(share for (_, answer), share in shares.items() if answer == favored) > 0.85


def test_questions_are_told_apart() -> None:
    names = ["a", "b"]
    labels = {
        name: make_labels(
            (Label(item, worker, item % 2) for item in range(6) for worker in names), workers=names
        )
        for name in ("first", "second")
    }

    report = report_of(labels)

    assert [(one.question, one.answers, one.workers) for one in report.agreement] == [
        ("first", 12, 2),
        ("second", 12, 2),
    ]
    assert {one.question for one in report.items} == {"first", "second"}
    assert [one.answers for one in report.evidence.workers] == [24 // 2, 24 // 2]


def test_nothing_is_reported_of_nothing() -> None:
    report = report_of({})

    assert (report.agreement, report.items, report.confusions, report.evidence.workers) == ([], [], [], [])
