"""Statistics of simulated crowds: the truth is known, and every share is counted a second time here."""

from collections import Counter

import pytest

from crowd.pictures.models import Picture
from crowd.whoops.judge.domain.caption_errors import Rights
from crowd.whoops.judge.domain.votes import Share
from crowd.whoops.judge.queries.judgements import caption_patterns, judged
from crowd.whoops.models import Image
from crowd.whoops.models.judged_items import Question
from hits.work.models.assignments import Assignment
from tests.crowd.whoops.making_results import Crowd, Kind, Variant, ask, cast, make_results
from tests.factories import NOW

pytestmark = pytest.mark.django_db


def majority(votes: list[bool]) -> bool:
    return 2 * sum(votes) > len(votes)


def test_identification_of_sixty_pairs_by_a_crowd_that_errs() -> None:
    project, images = make_results(images=60)
    options = [
        (ask(image, Kind.IDENTIFY, offers=(("", label),), variant=variant)[0], label)
        for image in images
        for variant, label in ((Variant.WEIRD, True), (Variant.NORMAL, False))
    ]

    said = Crowd(project, people=3, right=0.8, seed=10).vote(options)

    found = judged(project, Kind.IDENTIFY)
    truth = [label for _, label in options]
    right = sum(majority(votes) is label for votes, label in zip(said, truth, strict=True))
    together = sum(len(set(votes)) == 1 for votes in said)
    weird = sum(majority(votes) for votes, label in zip(said, truth, strict=True) if label)
    assert found.agreement().right == Share(right=right, of=120)
    assert found.agreement().unanimous == Share(right=together, of=120)
    assert found.agreement(lambda one: one.label is True).right == Share(right=weird, of=60)
    assert (found.open, found.agreement().splits) == (0, 0)
    # Expected of 120: 0.8³ + 3·0.8²·0.2 = 0.896, so 107.5 right; 0.8³ + 0.2³ = 0.52, so 62.4 together.
    assert (right, together) == (106, 61)


def test_explanations_are_rated_by_source() -> None:
    project, images = make_results(images=60)
    truths = {"people": 0.9, "designer": 1.0, "machine": 0.3}
    sources = list(truths)
    options = [
        (option, index % 10 < 10 * truths[option.source])
        for index, image in enumerate(images)
        for option in ask(image, Kind.EXPLAIN, offers=[(source, None) for source in sources])
    ]

    said = Crowd(project, people=3, right=0.9, seed=3).vote(options)

    found = judged(project, Kind.EXPLAIN)
    marked = Counter(
        option.source for (option, _), votes in zip(options, said, strict=True) if majority(votes)
    )
    assert found.sources == ["people", "designer", "machine"]
    for source in sources:
        share = found.accepted(lambda one, source=source: one.source == source)  # type: ignore[misc]
        assert share == Share(right=marked[source], of=60)
        # Found acceptable: 0.972 of what is acceptable, and 0.028 of what is not.
        assert abs(marked[source] / 60 - (0.028 + 0.944 * truths[source])) < 0.06


def test_answers_agree_with_their_labels() -> None:
    project, images = make_results(images=40)
    labels = [True, True, True, False] * 10
    options = [
        (ask(image, Kind.VERIFY, offers=(("machine", label),))[0], label)
        for image, label in zip(images, labels, strict=True)
    ]

    said = Crowd(project, people=3, right=0.75, seed=7).vote(options)

    found = judged(project, Kind.VERIFY)
    right = Counter(label for votes, label in zip(said, labels, strict=True) if majority(votes) is label)
    assert found.agreement().right == Share(right=right[True] + right[False], of=40)
    assert found.agreement(lambda one: one.label is True).right == Share(right=right[True], of=30)
    assert found.agreement(lambda one: one.label is False).right == Share(right=right[False], of=10)


def test_captions_by_variant_and_the_types_of_their_errors() -> None:
    project, images = make_results(images=8)
    wanted = [Rights(True, True, True)] * 4 + [Rights(False, True, True)] * 3 + [Rights(False, False, True)]
    options = [
        (ask(image, Kind.RATE, offers=(("machine", None),), variant=variant)[0], is_right)
        for image, rights in zip(images, wanted, strict=True)
        for variant, is_right in zip(Variant, rights, strict=True)
    ]

    Crowd(project, people=3, right=1, seed=1).vote(options)

    found = judged(project, Kind.RATE)
    shares = [found.accepted(lambda one, v=v: one.variant == v) for v in Variant]  # type: ignore[misc]
    assert shares == [Share(right=4, of=8), Share(right=7, of=8), Share(right=8, of=8)]
    counted = {pattern: count for pattern, count in caption_patterns(found)["machine"].items() if count}
    assert counted == Counter(wanted)


def test_scene_without_all_its_variants_is_in_no_pattern() -> None:
    project, (image, _, _) = make_results()
    options = [
        ask(image, Kind.RATE, offers=(("machine", None),), variant=variant)[0]
        for variant in (Variant.WEIRD, Variant.NORMAL)
    ]

    Crowd(project, people=3, right=1, seed=1).vote((option, True) for option in options)

    assert sum(caption_patterns(judged(project, Kind.RATE))["machine"].values()) == 0


def test_question_whose_judges_are_missing_is_open_and_in_no_share() -> None:
    project, images = make_results(images=3)
    options = [ask(image, Kind.IDENTIFY, offers=(("", True),))[0] for image in images]
    people = Crowd(project, people=3, right=1, seed=1).people
    cast(options[0], [True, True, False], people)
    cast(options[1], [True, True], people)

    found = judged(project, Kind.IDENTIFY)

    assert (found.agreement().right, found.open) == (Share(right=1, of=1), 2)


def test_split_of_an_even_number_is_no_majority() -> None:
    project, (image, *_) = make_results(judges_wanted=4)
    (option,) = ask(image, Kind.IDENTIFY, offers=(("", True),))
    cast(option, [True, True, False, False], Crowd(project, people=4, right=1, seed=1).people)

    found = judged(project, Kind.IDENTIFY).agreement()

    assert (found.right, found.splits) == (Share(right=0, of=1), 1)


@pytest.mark.parametrize(
    "changes", [{"kept_out": True}, {"status": Assignment.Status.REJECTED, "rejection_feedback": "No."}]
)
def test_work_that_does_not_count_is_in_no_figure(changes: dict[str, object]) -> None:
    project, (image, *_) = make_results()
    (option,) = ask(image, Kind.IDENTIFY, offers=(("", True),))
    people = Crowd(project, people=4, right=1, seed=1).people
    cast(option, [True, False, True, False], people)
    known = {name: value for name, value in changes.items() if name != "rejection_feedback"}
    Assignment.objects.filter(pk=people[1].pk).update(**known)

    found = judged(project, Kind.IDENTIFY)

    assert [(one.votes.yes, one.votes.of) for one in found.closed] == [(2, 3)]


@pytest.mark.parametrize("away", ["withdrawn", "refused", "removed"])
def test_what_is_away_counts_nowhere(away: str) -> None:
    project, (image, *_) = make_results()
    (option,) = ask(image, Kind.IDENTIFY, offers=(("", True),))
    cast(option, [True] * 3, Crowd(project, people=3, right=1, seed=1).people)
    if away == "withdrawn":
        Question.objects.update(withdrawn_at=NOW)
    elif away == "refused":
        Image.objects.filter(pk=image.pk).update(state=Image.State.REFUSED)
    else:
        removed = {"status": "removed", "former_status": "fit", "removed_at": NOW}
        Picture.objects.filter(pk=image.picture_id).update(**removed)

    found = judged(project, Kind.IDENTIFY)

    assert (list(found.closed), found.open) == ([], 0)
