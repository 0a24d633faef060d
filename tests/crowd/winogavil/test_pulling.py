"""Causes for which an association is asked of nobody: each pulls at once, and is undone when put right."""

import pytest

from crowd.pictures.models import Picture
from crowd.pictures.services.flagged_pictures import drop_flagged
from crowd.pictures.services.removing_pictures import remove_pictures, restore_pictures
from crowd.winogavil.admin.cards import sets_card
from crowd.winogavil.domain import CREATE, SOLVE
from crowd.winogavil.models import Association, CueReport, Game
from crowd.winogavil.services import association_creation, withdrawal
from crowd.winogavil.services.seeded_associations import seed_picture_set
from hits.core.errors import RuleBroken
from hits.core.states import move
from hits.identity.models.users import User
from hits.studies.models import Study
from hits.sync.services import push_decisions
from hits.work.models.assignments import Assignment
from hits.work.models.items import Item
from hits.work.queries.items import answers_wanted
from hits.work.services import leasing
from tests.crowd.winogavil.game import make_cues, make_game_batch, solve
from tests.factories import NOW, make_association, make_picture, make_user, make_worker

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff() -> User:
    return make_user(is_superuser=True)


def is_pulled(item: Item) -> bool:
    return Item.objects.get(pk=item.pk).pulled_at is not None


def picture_of(association: Association) -> Picture:
    picture = association.places.all()[0].picture
    assert picture is not None
    return picture


def test_removed_picture_pulls_its_words_and_picture_sets_until_it_is_back(study: Study, staff: User) -> None:
    association, other = make_association(study=study), make_association(study=study)
    picture = picture_of(association)
    picture_set = seed_picture_set(study=study, pictures=[picture, *(make_picture() for _ in range(4))])

    remove_pictures(pictures=[picture], reason="blurred", by=staff, now=NOW)
    away = [is_pulled(item) for item in (association.item, other.item, picture_set)]
    restore_pictures(pictures=[picture], reason="it is not", by=staff, now=NOW)

    assert away == [True, False, True]
    assert [is_pulled(item) for item in (association.item, other.item, picture_set)] == [False, False, False]


def test_card_counts_sets_out_of_use_and_leads_to_the_decision_about_letters(
    study: Study, staff: User
) -> None:
    pictures = [make_picture() for _ in range(5)]
    seed_picture_set(study=study, pictures=pictures)
    Picture.objects.filter(pk=pictures[0].pk).update(shows_words=True)
    drop_flagged(now=NOW)

    card = sets_card(Game.objects.create(study=study), staff)

    (said,) = card.problems
    assert said == (
        "1 set that still needs words is out of use, because a picture is away. "
        "Letters were found on 1 picture: decide about them."
    )
    assert card.next == said
    assert card.stage is not None
    assert (card.stage.count, card.stage.of) == (0, 1)
    assert card.links[-1].url.endswith("?flag=undecided")


def test_nobody_is_leased_what_was_pulled(study: Study, staff: User) -> None:
    association = make_association(study=study)
    batch = make_game_batch(SOLVE, study=study)
    remove_pictures(pictures=[picture_of(association)], reason="blurred", by=staff, now=NOW)

    assert answers_wanted(batch) == 0
    assert solve(batch, make_worker(account=batch.account)) is None


def test_report_of_a_word_pulls_it_and_staff_decide(study: Study, staff: User) -> None:
    association = make_association(study=study)
    worker = make_worker()
    reports = [
        withdrawal.report_cue(association=association, worker=worker, reason="other", text=text, now=NOW)
        for text in ("It is rude.", "Again.")
    ]
    reported = is_pulled(association.item)

    withdrawal.decide_report(report=reports[0], uphold=False, by=staff, now=NOW)
    dismissed = is_pulled(association.item)
    with pytest.raises(RuleBroken, match="dismissed already"):
        withdrawal.decide_report(report=reports[0], uphold=False, by=staff, now=NOW)
    withdrawal.decide_report(report=reports[0], uphold=True, by=staff, now=NOW)

    assert (reported, dismissed, is_pulled(association.item)) == (True, False, True)
    assert CueReport.objects.get().text == "It is rude."


def test_two_causes_are_both_to_be_put_right(study: Study, staff: User) -> None:
    association = make_association(study=study)
    report = withdrawal.report_cue(
        association=association, worker=make_worker(), reason="inappropriate", text="", now=NOW
    )
    remove_pictures(pictures=[picture_of(association)], reason="blurred", by=staff, now=NOW)

    withdrawal.decide_report(report=report, uphold=False, by=staff, now=NOW)
    one_left = is_pulled(association.item)
    restore_pictures(pictures=[picture_of(association)], reason="fine", by=staff, now=NOW)

    assert (one_left, is_pulled(association.item)) == (True, False)


def test_author_who_is_kept_out_or_rejected_takes_the_words_away(study: Study) -> None:
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(5)])
    create = make_game_batch(CREATE, study=study)
    work = make_cues(create, make_worker(account=create.account), "snow")
    association_creation.make_associations(now=NOW)
    item = Association.objects.get().item

    leasing.keep_out(work, now=NOW)
    withdrawal.pull_disowned(now=NOW)
    assert is_pulled(item)

    # A rejection that is reversed makes the words count again.
    Assignment.objects.update(kept_out=False, status=Assignment.Status.REJECTED)
    work.refresh_from_db()
    move(work, Assignment.Status.APPROVED, approved_at=NOW)
    push_decisions.put_back(work, now=NOW)
    withdrawal.pull_disowned(now=NOW)
    assert not is_pulled(item)
    assert not Item.objects.filter(recount=True).exists()


def test_words_for_a_picture_that_was_removed_meanwhile_are_never_asked(study: Study, staff: User) -> None:
    pictures = [make_picture() for _ in range(5)]
    seed_picture_set(study=study, pictures=pictures)
    create = make_game_batch(CREATE, study=study)
    make_cues(create, make_worker(account=create.account), "snow")
    remove_pictures(pictures=[pictures[4]], reason="blurred", by=staff, now=NOW)

    association_creation.make_associations(now=NOW)

    assert is_pulled(Association.objects.get().item)
