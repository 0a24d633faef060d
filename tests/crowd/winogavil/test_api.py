"""The association game in the REST API."""

from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.db import connection
from django.test.utils import CaptureQueriesContext

from crowd.pictures.services.removing_pictures import remove_pictures
from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from crowd.winogavil.domain import CREATE, SOLVE, SOLVER_TEST
from crowd.winogavil.models import Association, CueReport, Game, PictureSet
from crowd.winogavil.play.models import DailyFeedback, WebGame
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winogavil.services.withdrawal import report_cue
from hits.core.models.audit_events import AuditEvent
from hits.identity.api_tokens import Scope
from hits.identity.roles import OPERATOR, RESEARCHER, REVIEWER
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.annotation.annotators import annotate, draw, make_selected, open_batch
from tests.crowd.winogavil.game import make_game_batch
from tests.crowd.winogavil.play.table import make_game, make_player, play, work_through
from tests.crowd.winogavil.releases.data import make_final
from tests.crowd.winogavil.test_admin import fill_pool
from tests.crowd.winogavil.test_swow_baseline import CONCEPTS, CUES
from tests.factories import (
    NOW,
    make_association,
    make_batch,
    make_picture,
    make_study,
    make_user,
    make_worker,
)
from tests.hits.calling import Notebook
from tests.people import make_member
from tests.qualifications.files import said
from tests.qualifications.lists import make_list

pytestmark = pytest.mark.django_db
LISTS = [
    "picture-sets", "associations", "solutions", "cue-reports", "annotation-draws", "annotations",
    "web-games", "player-standings", "association-games",
]  # fmt: skip
RECIPE = {"kind": "skills", "most": "all", "sources": ["file", "worker"], "seed": 1}


def held_by(study: Study, role: str = RESEARCHER, **more: Any) -> Notebook:
    return Notebook(make_member(role, study), **more)


def rows(held: Notebook, path: str, **query: str) -> list[dict[str, Any]]:
    answer = held.get(path, **query)
    assert answer.status_code == 200, answer.content
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


def game_at(study: Study, verb: str = "") -> str:
    return f"association-games/{study.public_id}/{verb}"


def test_study_plays_by_the_defaults_until_its_rules_are_changed(study: Study) -> None:
    held = held_by(study)
    before = held.get(game_at(study)).json()

    told = held.patch(game_at(study), {"selection_threshold": 60, "names_allowed": True})
    again = held.patch(game_at(study), {"inner_marks": True}).json()

    game = Game.objects.get(study=study)
    assert (before["is_set_up"], before["selection_threshold"], before["feedback"]) == (False, 80, "final")
    assert (told.status_code, told.json()["is_set_up"], told.json()["selection_threshold"]) == (200, True, 60)
    assert (again["names_allowed"], again["inner_marks"], again["selection_threshold"]) == (True, True, 60)
    assert (game.selection_threshold, game.feedback) == (60, "final")
    assert AuditEvent.objects.filter(kind="selection.changed").count() == 1


def test_set_up_and_changes_stand_in_the_history_and_in_the_audit_log(study: Study) -> None:
    held = held_by(study)
    held.patch(game_at(study), {"selection_threshold": 60})
    held.patch(game_at(study), {"names_allowed": True})
    held.patch(game_at(study), {"names_allowed": True})

    history = LogEntry.objects.filter(user=held.user).order_by("pk")
    assert [entry.get_change_message() for entry in history] == [
        "Added.",
        "Changed selection_threshold.",
        "Changed names_allowed.",
    ]
    assert [*AuditEvent.objects.filter(study=study).order_by("pk").values_list("kind", flat=True)] == [
        "association_game.set_up",
        "selection.changed",
    ]


def test_rules_that_the_page_refuses_change_nothing(study: Study) -> None:
    held = held_by(study)
    foreign = make_batch(task=SOLVE, study=make_study())

    answers = [
        held.patch(game_at(study), body)
        for body in (
            {"selection_threshold": 101},
            {"feedback": "always"},
            {"grows": True},
            {"solve_batch": str(foreign.public_id)},
        )
    ]

    assert [answer.status_code for answer in answers] == [400] * 4
    assert [list(answer.json()) for answer in answers] == [
        ["selection_threshold"],
        ["feedback"],
        ["grows"],
        ["solve_batch"],
    ]
    assert not Game.objects.exists()
    assert not LogEntry.objects.exists()


def test_batch_that_solves_is_chosen_and_taken_away(study: Study) -> None:
    batch = make_game_batch(SOLVE, study=study, launched_at=NOW)
    held = held_by(study)

    chosen = held.patch(game_at(study), {"solve_batch": str(batch.public_id), "grows": True}).json()
    gone = held.patch(game_at(study), {"solve_batch": None, "grows": False}).json()

    assert (chosen["solve_batch"], chosen["grows"]) == (str(batch.public_id), True)
    assert (gone["solve_batch"], gone["grows"]) == (None, False)


def test_picture_sets_are_drawn_and_told_with_their_pictures(study: Study) -> None:
    fill_pool()
    held = held_by(study)

    drawn = held.post(game_at(study, "draw/"), {"size": 5, "count": 2, "seed": 7})
    few = held.post(game_at(study, "draw/"), {"size": 12, "count": 2, "seed": 7})
    bad = held.post(game_at(study, "draw/"), {"size": 7, "count": 2, "seed": 7})

    first, _ = rows(held, "picture-sets/", study=str(study.public_id), task=CREATE)
    assert drawn.json()["message"].startswith("2 picture sets are ready for spymasters.")
    assert (few.status_code, bad.status_code, list(bad.json())) == (409, 400, ["size"])
    assert (first["recipe"]["seed"], first["in_use"], len(first["pictures"])) == (7, True, 5)
    assert [one["position"] for one in first["pictures"]] == [0, 1, 2, 3, 4]


def test_words_for_a_test_and_a_baseline_are_added_to_drafts_of_the_study(study: Study) -> None:
    for concept in CONCEPTS:
        make_picture(concept=concept)
    answers = [
        row
        for number, cue in enumerate(CUES)
        for row in said(cue, ("other", 90), *((concept, 9) for concept in CONCEPTS[number : number + 3]))
    ]
    swow = make_list([*answers, *(row for concept in CONCEPTS for row in said(concept, ("other", 1)))])
    solving, foreign = make_batch(task=SOLVE, study=study), make_batch(task=SOLVER_TEST, study=make_study())
    held = held_by(study)
    body = {"association_list": str(swow.public_id), "count": 1, "seed": 3}

    order = {**body, "sizes": "5", "batch": str(solving.public_id)}
    old = held.post(game_at(study, "baseline/"), {**order, "seen": 4})
    before = solving.items.count()
    made = held.post(game_at(study, "baseline/"), {**order, "seen": 0})
    refused = held.post(
        game_at(study, "test-questions/"), {**body, "size": 5, "batch": str(foreign.public_id)}
    )
    wrong_task = held.post(
        game_at(study, "test-questions/"), {**body, "size": 5, "batch": str(solving.public_id)}
    )
    strange = held.post(
        game_at(study, "baseline/"),
        {**body, "sizes": "5", "batch": str(solving.public_id), "association_list": str(study.public_id)},
    )

    assert (old.status_code, before) == (409, 0)
    assert (made.status_code, solving.items.count()) == (200, 1), made.content
    assert Association.objects.get().source == "swow"
    assert [one.status_code for one in (refused, wrong_task, strange)] == [400] * 3
    assert [list(one.json()) for one in (refused, wrong_task, strange)] == [
        ["batch"],
        ["batch"],
        ["association_list"],
    ]


def test_association_is_told_with_its_scores_its_candidates_and_its_solvers(study: Study) -> None:
    one = make_final(study, cue="cold", picks=((0, 1), (0, 1), (0, 2)))
    make_final(study, cue="odd", picks=((3, 4), (3, 4), (3, 4)))
    held = held_by(study, REVIEWER)

    (told,) = rows(held, "associations/", cue="cold", study=str(study.public_id))
    solved = rows(held, "solutions/", association=str(one.pk))
    selected = rows(held, "associations/", is_selected="false")

    assert told == held.get(f"associations/{one.pk}/").json()
    assert (told["fool_score"], told["is_selected"]) == (one.fool_score, False)
    assert (told["solvable_numerator"], told["solvable_denominator"]) == (
        one.solvers_numerator,
        one.solvers_denominator,
    )
    assert [candidate["chosen"] for candidate in told["candidates"]] == [True, True, False, False, False]
    assert [candidate["predicted"] for candidate in told["candidates"]] == [True, False, True, False, False]
    assert {answer["worker"] for answer in solved} == {s.worker.pseudonym for s in one.solutions.all()}
    assert [answer["picked"] for answer in solved] == [[0, 1], [0, 1], [0, 2]]
    assert [row["cue"] for row in selected] == ["cold", "odd"]


def test_rows_of_other_studies_are_not_there(study: Study) -> None:
    theirs = make_final(make_study())
    held = held_by(study)

    assert [rows(held, f"{path}/") for path in LISTS if path != "association-games"] == [[]] * 8
    assert held.get(f"associations/{theirs.pk}/").status_code == 404
    assert held.get(game_at(theirs.item.study)).status_code == 404
    assert held.patch(game_at(theirs.item.study), {"grows": False}).status_code == 404


def test_set_and_word_with_a_removed_picture_are_out_of_use(study: Study) -> None:
    pictures = [make_picture() for _ in range(5)]
    item = seed_picture_set(study=study, pictures=pictures)
    held = held_by(study)

    remove_pictures(pictures=pictures[:1], reason="Bad.", by=make_user(), now=NOW)

    (row,) = rows(held, "picture-sets/")
    assert (row["item"], row["in_use"]) == (str(item.public_id), False)


def test_report_of_a_word_is_decided_and_decided_otherwise(study: Study) -> None:
    association, worker = make_association(study=study), make_worker()
    report_cue(association=association, worker=worker, reason="other", text="Hm.", now=NOW)
    held = held_by(study)

    (row,) = rows(held, "cue-reports/", status="open")
    here = f"cue-reports/{row['number']}/"
    upheld = held.post(f"{here}uphold/")
    again = held.post(f"{here}uphold/")
    dismissed = held.post(f"{here}dismiss/")
    refused = held_by(study, REVIEWER).post(f"{here}uphold/")

    assert (row["cue"], row["worker"], row["text"]) == (association.cue, worker.pseudonym, "Hm.")
    assert (upheld.json()["status"], upheld.json()["decided_by"]) == ("upheld", held.user.username)
    assert (again.status_code, again.json()["code"]) == (409, "decided_already")
    assert (dismissed.json()["status"], refused.status_code) == ("dismissed", 403)
    assert CueReport.objects.get().status == "dismissed"


def test_annotations_are_drawn_told_with_their_answers_and_taken_back(study: Study) -> None:
    make_selected(study, cue="cold")
    held = held_by(study)

    nothing = held.post(game_at(study, "draw-annotations/"), {**RECIPE, "sizes": [12]})
    drawn = held.post(game_at(study, "draw-annotations/"), RECIPE)
    (made,) = rows(held, "annotation-draws/", kind="skills")
    old = held.post(f"annotation-draws/{made['number']}/take-back/", {"seen": 2})
    kept = Annotation.objects.count()
    taken = held.post(f"annotation-draws/{made['number']}/take-back/", {"seen": made["untouched"]})
    nothing_left = held.post(f"annotation-draws/{made['number']}/take-back/")

    assert (nothing.status_code, "No association of this study fits" in nothing.json()["message"]) == (
        409,
        True,
    )
    assert (drawn.status_code, made["added"], made["untouched"]) == (200, 1, 1)
    assert (old.status_code, kept) == (409, 1)
    assert (taken.json()["message"][:13], Annotation.objects.count()) == ("1 taken back.", 0)
    assert (nothing_left.status_code, nothing_left.json()["code"]) == (409, "refused")


def test_final_annotation_is_told_by_pseudonym(study: Study) -> None:
    make_selected(study)
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["general"], ["general"], ["visual"])
    finalize_annotations(now=NOW)
    held = held_by(study, REVIEWER)

    (row,) = rows(held, "annotations/", study=str(study.public_id), kind="skills")

    judgements = Annotation.objects.get().judgements.order_by("pk")
    assert [one["worker"] for one in row["judgements"]] == [one.worker.pseudonym for one in judgements]
    assert [one["given"] for one in row["judgements"]] == [one.given for one in judgements]
    assert row["final_at"]


def test_web_game_is_made_given_a_text_opened_changed_and_closed(study: Study) -> None:
    held = held_by(study)

    made = held.post(game_at(study, "web-game/"), {"title": "Fool it"})
    (row,) = rows(held, "web-games/", study=str(study.public_id))
    here = f"web-games/{row['public_id']}/"
    assert row["join_url"].endswith(f"/register/{row['public_id']}/")
    assert len(row["code"]) == 6
    too_soon = held.post(f"{here}open/")
    held.post(f"{here}consent/", {"text": "We keep words."})
    opened = held.post(f"{here}open/").json()
    values = {"title": "Outwit it", "solves_per_cue": 2, "fewest_final": 5, "shows_uploads": True}
    changed = held.post(f"{here}change-settings/", values)
    wrong = held.post(f"{here}change-settings/", {**values, "solves_per_cue": 9})
    shown = held.get(here).json()
    held.post(f"{here}close/")

    game = WebGame.objects.get()
    assert (made.status_code, too_soon.status_code, too_soon.json().keys() >= {"code", "message"}) == (
        200,
        409,
        True,
    )
    assert opened["message"] == "The game is open: players can join."
    assert (changed.status_code, wrong.status_code, list(wrong.json())) == (200, 400, ["solves_per_cue"])
    assert (shown["is_open"], shown["title"], shown["shows_uploads"]) == (True, "Outwit it", True)
    assert [(text["version"], text["text"]) for text in shown["consents"]] == [(1, "We keep words.")]
    assert game.is_open is False


def test_daily_feedback_is_switched_with_the_scope_of_letters(study: Study) -> None:
    held, drafting = held_by(study), held_by(study, scopes=[Scope.READ, Scope.DRAFT])

    refused = drafting.post(game_at(study, "daily-feedback/"), {"is_on": True, "hour": 9})
    none = DailyFeedback.objects.count()
    held.post(game_at(study, "daily-feedback/"), {"is_on": True, "hour": 9})

    feedback = DailyFeedback.objects.get()
    assert (refused.status_code, none) == (403, 0)
    assert (feedback.is_on, feedback.hour, feedback.by) == (True, 9, held.user)


def test_players_stand_by_pseudonym_and_no_name_is_told() -> None:
    game = make_game()
    player = make_player(game, name="Real Person")
    play(player)
    work_through()
    held = held_by(game.study)

    answer = held.get("player-standings/", game=str(game.public_id))

    (row,) = answer.json()["results"]
    assert (row["worker"], row["cues"]) == (player.worker.pseudonym, 1)
    assert "Real Person" not in answer.content.decode()
    assert player.worker.external_id not in answer.content.decode()


@pytest.mark.parametrize(
    ("verb", "body"),
    [
        ("draw/", {"size": 5, "count": 2, "seed": 7}),
        ("draw-annotations/", RECIPE),
        ("web-game/", {"title": "Fool it"}),
        ("daily-feedback/", {"is_on": True, "hour": 9}),
        ("", {"selection_threshold": 60}),
    ],
)
def test_verbs_are_for_who_may_do_it_on_the_page(study: Study, verb: str, body: dict[str, Any]) -> None:
    fill_pool()
    make_selected(study)
    before = (PictureSet.objects.count(), Item.objects.count())

    for held in (held_by(study, REVIEWER), held_by(study, OPERATOR, scopes=[Scope.READ])):
        sent = held.post(game_at(study, verb), body) if verb else held.patch(game_at(study), body)
        assert sent.status_code == 403

    assert (PictureSet.objects.count(), Item.objects.count()) == before
    assert not any(model.objects.exists() for model in (Draw, WebGame, DailyFeedback, Game))


def test_lists_ask_as_often_for_many_rows_as_for_few(study: Study) -> None:
    held = held_by(study)
    held.get("associations/")
    counts: list[dict[str, int]] = []
    for many in (1, 3):
        for _ in range(many):
            _add_of_everything(held)
        counts.append({})
        for path in LISTS:
            with CaptureQueriesContext(connection) as queries:
                assert len(rows(held, f"{path}/")) >= many
            counts[-1][path] = len(queries)

    assert counts[0] == counts[1]


def _add_of_everything(held: Notebook) -> None:
    """Add a study of the reader with a row of each kind."""
    game = make_game(picture_sets=1)
    study = game.study
    held.user.studies.add(study)
    make_player(game)
    make_final(study)
    draw(study, Kind.SKILLS, sources=("worker",))
    annotate(open_batch(study, Kind.SKILLS), ["general"], ["general"], ["visual"])
    finalize_annotations(now=NOW)
    report_cue(
        association=make_association(study=study), worker=make_worker(), reason="other", text="", now=NOW
    )
