"""The researcher's pages of the game: who sees what, and what the buttons do."""

import html
import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from crowd.pictures.models import Picture
from crowd.pictures.services import preparation
from crowd.winogavil.annotation.models import Kind
from crowd.winogavil.models import Association, CueReport, Game, PictureSet, Solution
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winogavil.services.withdrawal import report_cue
from hits.core.models.audit_events import AuditEvent
from hits.identity.models.users import User
from hits.identity.roles import PAYMENTS_PREPARER, RESEARCHER, REVIEWER
from hits.studies.models import Batch, Study
from hits.work.models.hits import HIT
from hits.work.models.items import Item
from tests.crowd.pictures.test_preparing import FakeReader
from tests.crowd.winogavil.game import SOLVE, make_game_batch
from tests.factories import (
    NOW,
    make_association,
    make_picture,
    make_study,
    make_worker,
)
from tests.pages import text_of
from tests.people import make_member, sign_in, sign_in_with

pytestmark = pytest.mark.django_db
# Order of the work, and after which step batches can be launched once the game is set up.
EVERYTHING = [
    "Bring pictures in…", "Check pictures…", "Pictures", "Draw picture sets…", "Picture sets",
    "Associations", "Make the SWOW baseline…",
    "Questions for the solver's test…", "See the reports",
        "Annotations…", "Statistics", "Releases",
    "Make a release…", "Web game…",
]  # fmt: skip
NEXT = EVERYTHING[0]
LAUNCHES = {
    "Picture sets": ["Launch a batch…"],
    "Associations": ["Launch a batch…"],
    "Questions for the solver's test…": ["Launch a batch…"] * 2,
    "Annotations…": ["Launch a batch…"] * 3,
}
BUTTON = re.compile(r'<a class="button[^"]*" href="([^"]+)"[^>]*>([^<]+)</a>')
DRAW = {"size": "5", "count": "4", "seed": "7", "swow": ""}


@pytest.fixture
def foreign() -> Study:
    return make_study(name="Theirs")


@pytest.fixture
def researcher(study: Study) -> User:
    return make_member(RESEARCHER, study)


@pytest.fixture
def signed_in(client: Client, researcher: User) -> Client:
    client.force_login(researcher)
    return client


def links_of(page: str) -> list[str]:
    return [html.unescape(link) for link, _ in BUTTON.findall(page)]


def names_of_links(page: str) -> list[str]:
    return [html.unescape(name) for _, name in BUTTON.findall(page)]


def fill_pool(count: int = 8) -> None:
    for number in range(count):
        make_picture(concept=f"concept {chr(97 + number)}")


def test_lists_show_the_own_studies_and_no_other(signed_in: Client, study: Study, foreign: Study) -> None:
    for owner, cue in ((study, "frosty"), (foreign, "secretive")):
        association = make_association(study=owner, cue=cue)
        report_cue(association=association, worker=make_worker(), reason="other", text="", now=NOW)
        Game.objects.create(study=owner)

    for name in ("association", "cuereport", "game", "pictureset"):
        text = text_of(signed_in.get(reverse(f"admin:winogavil_{name}_changelist")))
        assert "secretive" not in text
        assert "Theirs" not in text
    found = text_of(signed_in.get(reverse("admin:winogavil_association_changelist")))
    assert "frosty" in found
    theirs = Game.objects.get(study=foreign)
    page = signed_in.get(reverse("admin:winogavil_game_change", args=[theirs.pk]))
    assert page.status_code == 404


def test_sets_are_looked_at_before_they_are_drawn(signed_in: Client, study: Study) -> None:
    fill_pool()
    address, asked = reverse("admin:winogavil_draw"), {**DRAW, "study": str(study.pk)}

    looked = signed_in.get(address, {**asked, "asked": "yes"})
    nothing_yet = PictureSet.objects.count()
    drawn = signed_in.post(address, {**asked, "confirmed": "yes"}, follow=True)

    assert "What would be drawn" in text_of(looked)
    assert "Draw 4 sets" in text_of(looked)
    assert (nothing_yet, PictureSet.objects.count()) == (0, 4)
    assert "4 picture sets are ready" in text_of(drawn)


def test_draw_says_that_letters_are_still_being_read(
    signed_in: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(preparation, "installed_reader", FakeReader)
    fill_pool()
    Picture.objects.update(read_by="somebody")
    Picture.objects.filter(pk=Picture.objects.latest("pk").pk).update(media_type="image/png", read_by="")

    page = text_of(signed_in.get(reverse("admin:winogavil_draw")))

    assert "The letters on 1 picture of these are still being read" in page


def test_study_goes_along_from_the_list_to_the_draw_and_on_to_a_batch(
    signed_in: Client, study: Study
) -> None:
    fill_pool()
    sets, draw = reverse("admin:winogavil_pictureset_changelist"), reverse("admin:winogavil_draw")
    narrowed = f"{sets}?item__study__id__exact={study.pk}"

    listed = text_of(signed_in.get(narrowed))
    drawn = signed_in.post(draw, {**DRAW, "study": str(study.pk), "confirmed": "yes"}, follow=True)

    add = f"{reverse('admin:hits_batch_add')}?study={study.pk}&task=winogavil.create"
    assert f'<a href="{draw}?study={study.pk}" class="addlink">' in listed
    assert f'<a href="{draw}" class="addlink">' in text_of(signed_in.get(sets))
    assert drawn.redirect_chain == [(narrowed, 302)]
    assert f'<a class="button default" href="{escape(add)}">Launch a batch…</a>' in text_of(drawn)


def test_sets_may_be_drawn_without_a_look_and_lead_to_the_launch_of_a_game_that_is_set_up(
    signed_in: Client, study: Study
) -> None:
    fill_pool()
    game = Game.objects.create(study=study)
    address = reverse("admin:winogavil_draw")

    asked = text_of(signed_in.get(address))
    drawn = signed_in.post(address, {**DRAW, "study": str(study.pk), "confirmed": "yes"}, follow=True)

    assert re.search(r'name="confirmed" value="yes"> ?Draw the sets', asked)
    assert re.search(r"> ?Preview some sets", asked)
    assert reverse("admin:winogavil_draft", args=[game.pk, "winogavil.create"]) in text_of(drawn)


def test_no_more_sets_are_offered_than_the_pool_can_show_without_repeating(
    signed_in: Client, study: Study
) -> None:
    fill_pool(6)
    address = reverse("admin:winogavil_draw")

    asked = text_of(signed_in.get(address))
    looked = text_of(signed_in.get(address, {**DRAW, "size": "6", "study": str(study.pk), "asked": "yes"}))

    assert '<option value="6" selected>6</option>' in asked
    assert re.search(r'name="count" value="1"', asked)
    assert "there is only 1 set of 6 pictures, so 1 set is offered below" in asked
    assert "3 sets show the same pictures as another one." in looked


def test_few_pictures_are_offered_in_small_sets_of_which_there_are_many(
    signed_in: Client, study: Study
) -> None:
    fill_pool(10)

    asked = text_of(signed_in.get(reverse("admin:winogavil_draw")))

    assert '<option value="6" selected>6</option>' in asked
    assert re.search(r'name="count" value="20"', asked)
    assert "sets of 6 are offered below: 210 of them differ." in asked


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"size": "12"}, "none like another"),
        ({"count": "0"}, "greater than or equal to 1"),
        ({"count": "x"}, "Enter a whole number"),
        ({"size": "7"}, "Select a valid choice"),
        ({"study": "0"}, "Select a valid choice"),
        ({"seed": "-1"}, "greater than or equal to 0"),
    ],
    ids=["too-few", "none", "no-number", "no-size", "no-study", "no-seed"],
)
def test_what_cannot_be_drawn_is_said(
    signed_in: Client, study: Study, changes: dict[str, str], words: str
) -> None:
    fill_pool()

    page = signed_in.post(
        reverse("admin:winogavil_draw"), {**DRAW, "study": str(study.pk), "confirmed": "yes", **changes}
    )

    assert words in text_of(page)
    assert not PictureSet.objects.exists()


def test_sets_are_drawn_for_no_foreign_study_and_by_no_reviewer(
    client: Client, signed_in: Client, study: Study, foreign: Study
) -> None:
    fill_pool()
    address = reverse("admin:winogavil_draw")

    signed_in.post(address, {**DRAW, "study": str(foreign.pk), "confirmed": "yes"})
    sign_in(client, REVIEWER, study)
    refused = client.post(address, {**DRAW, "study": str(study.pk), "confirmed": "yes"})

    assert refused.status_code == 403
    assert not PictureSet.objects.exists()


def test_reports_are_decided_by_who_may(client: Client, signed_in: Client, study: Study) -> None:
    association = make_association(study=study)
    report = report_cue(association=association, worker=make_worker(), reason="other", text="", now=NOW)
    address = reverse("admin:winogavil_cuereport_changelist")
    chosen = {"_selected_action": str(report.pk)}

    signed_in.post(address, {**chosen, "action": "uphold"})
    upheld = (CueReport.objects.get().status, Item.objects.get().pulled_at is None)
    signed_in.post(address, {**chosen, "action": "dismiss"})
    dismissed = (CueReport.objects.get().status, Item.objects.get().pulled_at is None)
    sign_in(client, REVIEWER, study)
    client.post(address, {**chosen, "action": "uphold"})

    assert (upheld, dismissed) == (("upheld", False), ("dismissed", True))
    assert CueReport.objects.get().status == "dismissed"


@pytest.fixture
def solving(study: Study, researcher: User) -> Batch:
    for _ in range(4):
        make_association(study=study)
    return make_game_batch(SOLVE, study=study, launched_by=researcher, items_per_assignment=2)


def test_click_adds_the_hits_that_lack(signed_in: Client, study: Study, solving: Batch) -> None:
    game = Game.objects.create(study=study, solve_batch=solving)
    address = reverse("admin:winogavil_game_change", args=[game.pk])

    Batch.objects.update(status=Batch.Status.DRAFT)
    unlaunched = text_of(signed_in.get(address))
    Batch.objects.update(status=Batch.Status.OPEN)
    before = text_of(signed_in.get(address))
    signed_in.post(reverse("admin:winogavil_grow", args=[game.pk, solving.public_id]))
    after = text_of(signed_in.get(address))

    launch = f'href="{reverse("admin:winogavil_draft", args=[game.pk, SOLVE])}"'
    go_on = f'href="{reverse("admin:hits_batch_launch", args=[solving.pk])}"'
    assert f'<a class="button default" {go_on}' in unlaunched
    assert f'<a class="button plain" {launch}' in before
    assert "4 items wait for workers" in before
    assert "Add 2 HITs to the running batch" in before
    assert HIT.objects.filter(batch=solving).count() == 2
    assert "to the running batch" not in after


def test_solving_batch_is_one_of_the_study(signed_in: Client, study: Study, foreign: Study) -> None:
    elsewhere = make_game_batch(SOLVE, study=foreign)
    game = Game.objects.create(study=study)
    values = {"feedback": "final", "solve_batch": str(elsewhere.pk)}

    page = signed_in.post(reverse("admin:winogavil_settings", args=[game.pk]), values)

    assert "Select a valid choice" in text_of(page)
    assert Game.objects.get().solve_batch is None


def test_what_grows_needs_a_batch(signed_in: Client, study: Study) -> None:
    game = Game.objects.create(study=study)
    values = {"feedback": "final", "solve_batch": "", "grows": "on"}

    page = signed_in.post(reverse("admin:winogavil_settings", args=[game.pk]), values)

    assert "Choose the batch that is to grow." in text_of(page)
    assert not Game.objects.get().grows


def test_lists_say_what_they_hold_while_they_are_empty(signed_in: Client) -> None:
    for name, title, about in (
        ("pictureset", "Picture sets", "ask about the sets that still need words"),
        ("association", "Associations", "final once its solvers have answered"),
        ("cuereport", "Reports of cues", "found unfit"),
        ("game", "Association game", "plays by the rules that a new game has"),
    ):
        text = text_of(signed_in.get(reverse(f"admin:winogavil_{name}_changelist")))

        assert f"<h1>{title}</h1>" in text
        assert about in text


def test_list_of_associations_shows_the_pictures_of_their_authors(signed_in: Client, study: Study) -> None:
    association = make_association(study=study, size=5, chosen=2)
    keys = association.places.values_list("picture__key", flat=True)

    page = signed_in.get(reverse("admin:winogavil_association_changelist")).text

    assert [f"/pictures/{key}/160/" in page for key in keys.filter(chosen=True)] == [True, True]
    assert not any(f"/pictures/{key}/" in page for key in keys.filter(chosen=False))


def test_page_of_an_association_shows_who_took_which_picture(signed_in: Client, study: Study) -> None:
    association = make_association(study=study, cue="frosty")
    first, second, third, *_ = association.places.all()
    association.places.filter(pk__in=[second.pk, third.pk]).update(predicted=True)
    for picked in ([first.position], [first.position, third.position]):
        Solution.objects.create(
            association=association, worker=make_worker(), picked=picked, numerator=1, denominator=2
        )

    text = text_of(signed_in.get(reverse("admin:winogavil_association_change", args=[association.pk])))

    assert f"<strong>{first.label}</strong>" in text
    assert text.count("picked by 2 of 2 solvers") == 1
    assert text.count("picked by 1 of 2 solvers") == 1
    assert text.count("taken by the model") == 2
    assert text.count("chosen by the author") == sum(place.chosen for place in association.places.all())


def test_page_of_a_picture_set_shows_its_pictures_and_words(signed_in: Client, study: Study) -> None:
    item = seed_picture_set(study=study, pictures=[make_picture(concept=name) for name in "abcde"])
    association = make_association(study=study, cue="frosty")
    Association.objects.filter(pk=association.pk).update(picture_set=item.picture_set)

    text = text_of(signed_in.get(reverse("admin:winogavil_pictureset_change", args=[item.picture_set.pk])))

    assert text.count("<figure>") == 5
    back = text_of(signed_in.get(reverse("admin:winogavil_association_change", args=[association.pk])))
    assert f'<a href="{reverse("admin:winogavil_pictureset_change", args=[item.picture_set.pk])}">' in back
    assert (
        f'<a href="{reverse("admin:winogavil_association_change", args=[association.pk])}">frosty</a>' in text
    )


def test_report_leads_to_the_word_with_its_pictures(signed_in: Client, study: Study) -> None:
    association = make_association(study=study, cue="frosty")
    report_cue(association=association, worker=make_worker(), reason="other", text="", now=NOW)

    text = text_of(signed_in.get(reverse("admin:winogavil_cuereport_changelist")))

    address = reverse("admin:winogavil_association_change", args=[association.pk])
    assert f'<a href="{address}">frosty</a>' in text


def test_study_leads_to_its_game_and_the_game_to_everything_else(signed_in: Client, study: Study) -> None:
    page = text_of(signed_in.get(reverse("admin:hits_study_change", args=[study.pk])))
    address = reverse("admin:winogavil_of_study", args=[study.pk])
    unset = text_of(signed_in.get(address))
    game = Game.objects.create(study=study)
    then = signed_in.get(address)

    assert re.findall(r'<h3><a href="([^"]+)">Association game</a>', page) == [address]
    assert names_of_links(unset) == [NEXT, *EVERYTHING]
    assert {signed_in.get(link).status_code for link in links_of(unset)} == {200}
    rooms = [link for link in links_of(unset) if link.endswith(f"/{study.pk}/")]
    for room in rooms:
        assert f'<a href="{address}">Association game of {study}</a>' in text_of(signed_in.get(room))
    assert len(rooms) == 3
    assert "Its bonuses are only those of the study's own table" in html.unescape(unset)
    assert f'href="{reverse("admin:winogavil_game_add")}?study={study.pk}">Set it up</a>' in unset
    assert then.headers["Location"] == reverse("admin:winogavil_game_change", args=[game.pk])
    assert names_of_links(text_of(signed_in.get(then.headers["Location"]))) == [
        NEXT,
        *(name for link in EVERYTHING for name in (link, *LAUNCHES.get(link, ()))),
    ]


def test_set_up_on_the_page_stands_in_the_audit_log(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)
    rules = {"feedback": "final", "selection_threshold": "70"}

    client.post(reverse("admin:winogavil_game_add"), {"study": study.pk, **rules})

    (event,) = AuditEvent.objects.filter(study=study)
    assert (event.kind, event.words) == (
        "association_game.set_up",
        "The association game is set up. Its selection threshold is 70 %.",
    )


def test_reviewer_sees_a_game_that_was_never_set_up(client: Client, study: Study, foreign: Study) -> None:
    sign_in(client, REVIEWER, study)

    page = text_of(client.get(reverse("admin:winogavil_of_study", args=[study.pk])))

    assert names_of_links(page) == [
        "Check pictures…", "Pictures", "Picture sets", "Associations", "See the reports",
        "Annotations…", "Statistics", "Releases",
    ]  # fmt: skip
    assert "Set it up</a>" not in page
    assert client.get(reverse("admin:winogavil_of_study", args=[foreign.pk])).status_code == 404
    assert not Game.objects.exists()


def test_study_leads_a_payer_to_no_page_of_the_game(client: Client, study: Study) -> None:
    sign_in(client, PAYMENTS_PREPARER, study)

    text = text_of(client.get(reverse("admin:hits_study_change", args=[study.pk])))

    assert ">Money</a></li>" in text
    assert ">Association game</a>" not in text


def test_page_of_the_game_has_the_cards_and_links_that_a_person_may_see(client: Client, study: Study) -> None:
    game = Game.objects.create(study=study)
    sign_in_with(client, *["winogavil.view_game", "winogavil.change_game", "hits.add_batch"], studies=[study])

    text = text_of(client.get(reverse("admin:winogavil_game_change", args=[game.pk])))
    tasks = (SOLVE, Kind.TYPES.task)
    drafts = [client.get(reverse("admin:winogavil_draft", args=[game.pk, task])) for task in tasks]

    assert re.findall(r"<h2[^>]*>([^<]+)</h2>", text) == [
        "Picture sets",
        "Solving",
        "SWOW baseline",
        "Tests of workers",
        "Data",
    ]
    assert names_of_links(text) == ["Launch a batch…"] * 4
    assert [draft.status_code for draft in drafts] == [200, 404]


def test_game_offers_no_way_to_delete_a_batch(signed_in: Client, study: Study) -> None:
    game = Game.objects.create(study=study)

    text = text_of(signed_in.get(reverse("admin:winogavil_settings", args=[game.pk])))

    assert 'name="solve_batch"' in text
    assert "related-widget-wrapper-link" not in text
