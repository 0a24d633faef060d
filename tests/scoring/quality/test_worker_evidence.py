"""Who stands out of crowds of which it is known who works honestly, and why."""

import numpy as np
import pytest

from scoring.quality.attention_shares import Attention
from scoring.quality.judged_labels import Label, make_labels
from scoring.quality.worker_evidence import CrowdEvidence, WorkerEvidence, weigh_workers
from scoring.quality.worker_signs import SignName
from tests.bench.quality.found_people import ATTENTION, CROWDS, copied_pairs, find_in
from tests.scoring.quality.odd_people import Way, make_crowd

pytestmark = pytest.mark.pure
SEEDS = range(8)


def of(evidence: CrowdEvidence, worker: str) -> WorkerEvidence:
    return next(one for one in evidence.workers if one.worker == worker)


@pytest.mark.parametrize(
    ("crowd", "recall"),
    [
        ("three answers each", 0.85),
        ("one answer is true of 85 %", 0.75),
        ("four answers to choose from", 0.98),
    ],
)
def test_spammers_come_first_with_one_in_twenty_honest_people(crowd: str, recall: float) -> None:
    found = find_in(CROWDS[crowd], seeds=SEEDS).values()

    assert found["recall_at_5_percent_false"] >= recall
    assert found["in_order"] > 0.94


def test_of_honest_people_hardly_anybody_stands_out() -> None:
    found = [find_in(CROWDS[name], seeds=SEEDS).standing[Way.HONEST] for name in CROWDS]

    assert np.mean([stands_out for one in found for stands_out in one]) < 0.01


@pytest.mark.parametrize("how", ATTENTION)
def test_of_honest_people_who_miss_attention_items_hardly_anybody_stands_out(how: str) -> None:
    found = find_in(CROWDS["all are honest"], seeds=SEEDS, **ATTENTION[how])

    assert np.mean(found.standing[Way.HONEST]) < 0.01


def test_easy_attention_items_find_more_of_those_who_guess() -> None:
    crowd = {**CROWDS["three answers each"], "odd": {Way.GUESSES: 6}}
    without, beside = (find_in(crowd, seeds=SEEDS, **more) for more in ({}, ATTENTION["20 %, easy"]))

    assert np.mean(beside.standing[Way.GUESSES]) > np.mean(without.standing[Way.GUESSES]) + 0.2


def test_a_worker_who_misses_known_answers_stands_out_and_it_is_said() -> None:
    crowd = make_crowd(odd={}, honest=12, items=60)
    first, *others = crowd.ways
    met = {name: Attention(met=15, right=15) for name in others} | {first: Attention(met=15, right=4)}

    evidence = weigh_workers({"": crowd.labels}, attention=met)

    odd = evidence.workers[0]
    assert (odd.worker, odd.stands_out, odd.attention) == (first, True, Attention(met=15, right=4))
    [sign] = [sign for sign in odd.signs if sign.name == SignName.ATTENTION]
    assert sign.words == (
        "Answers 4 of 15 attention items as is known; half of the crowd does so in over 98 %."
    )


def test_without_attention_items_no_figure_changes() -> None:
    crowd = make_crowd(odd={Way.GUESSES: 2}, honest=12, items=60)

    evidence = weigh_workers({"": crowd.labels})

    assert {one.attention for one in evidence.workers} == {None}
    assert all(sign.name != SignName.ATTENTION for one in evidence.workers for sign in one.signs)
    assert evidence.told_from == weigh_workers({"": crowd.labels}, attention={}).told_from


def test_who_copies_is_told_with_whom() -> None:
    pairs = list(copied_pairs(seeds=range(6)))

    told = [is_told for is_copied, is_told in pairs if is_copied]
    others = [is_told for is_copied, is_told in pairs if not is_copied]
    assert np.mean(told) > 0.5
    assert np.mean(others) < 0.002


@pytest.mark.parametrize(
    ("way", "signs"),
    [
        (Way.HURRIES, {SignName.FAST, SignName.UNREAD}),
        (Way.FAVORS_ONE, {SignName.FAVORS}),
        (Way.FAVORS_PLACE, {SignName.PLACE}),
    ],
)
def test_each_way_is_told_by_its_own_sign(way: Way, signs: set[SignName]) -> None:
    crowd = make_crowd(odd={way: 1}, items=1000, seed=5)
    [odd] = crowd.who(way)

    first, *others = weigh_workers({"": crowd.labels}).workers

    assert first.worker == odd
    assert first.stands_out
    assert signs <= {sign.name for sign in first.signs}
    assert all(sign.words.endswith(".") for sign in first.signs)
    assert not any(signs & {sign.name for sign in one.signs if sign.surprise > 4} for one in others)


def test_the_sentences_say_the_figures() -> None:
    crowd = make_crowd(odd={Way.HURRIES: 1}, honest=20, items=500, seed=5)
    [odd] = crowd.who(Way.HURRIES)

    found = of(weigh_workers({"": crowd.labels}), odd)

    words = {sign.name: sign.words for sign in found.signs}
    assert found.median_s
    assert found.unread
    assert f"Takes {found.median_s:.1f} s for an answer" in words[SignName.FAST]
    assert f"{round(found.unread * found.answers)} of {found.answers} answers came" in words[SignName.UNREAD]
    assert 0.45 < (found.right or 0) < 0.75


def test_questions_are_weighed_together() -> None:
    first = make_crowd(odd={Way.GUESSES: 2}, items=400, seed=1)
    second = make_crowd(odd={Way.GUESSES: 2}, items=400, seed=2)
    names = sorted(first.ways)
    labels = {
        name: make_labels(
            (
                Label(crowd.labels.items[item], crowd.labels.workers[worker], int(answer))
                for item, worker, answer in zip(
                    crowd.labels.item, crowd.labels.worker, crowd.labels.answer, strict=True
                )
            ),
            workers=names,
        )
        for name, crowd in (("one", first), ("two", second))
    }

    both, alone = weigh_workers(labels), weigh_workers({"one": labels["one"]})

    assert {one.worker for one in both.workers[:2]} == first.who(Way.GUESSES)
    assert of(both, "w001").answers == sum(
        int((labels[name].worker == names.index("w001")).sum()) for name in labels
    )
    assert of(both, "w033").weight > of(alone, "w033").weight


def test_a_crowd_of_one_answer_each_has_figures_and_no_signs() -> None:
    labels = make_labels(Label(f"i{item}", f"w{item % 3}", item % 2, 10.0) for item in range(30))

    evidence = weigh_workers({"": labels})

    assert [(one.answers, one.agreement, one.decided) for one in evidence.workers] == [(10, None, 10)] * 3
    assert not any(one.signs or one.stands_out for one in evidence.workers)


def test_without_answers_there_is_nobody() -> None:
    assert weigh_workers({"": make_labels([])}).workers == []
