"""The selection threshold, a setting of a study and of a release, and the selection read from facts."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.releases.services import release_states
from crowd.winogavil.models import Association, Game
from crowd.winogavil.queries import of_study, reaches_own, selected, threshold_of
from crowd.winogavil.releases.statistics.kept_figures import statistics_of
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Study
from tests.crowd.winogavil.releases.data import make_final
from tests.factories import NOW, make_association, make_study, make_user
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db


def make_solved(study: Study, cue: str, mean: str) -> Association:
    """An association that solvers have found with this mean."""
    share = Fraction(mean)
    one = make_final(study, cue=cue)
    one.solvers_numerator, one.solvers_denominator = share.numerator, share.denominator
    one.save()
    return one


def words_selected(study: Study) -> list[str]:
    rows = selected(of_study(study), threshold=threshold_of(study))
    return sorted(rows.values_list("cue", flat=True))


def row(table: Sequence[dict[str, Any]], **wanted: Any) -> dict[str, Any]:
    (found,) = [one for one in table if wanted.items() <= one.items()]
    return found


@pytest.mark.parametrize(
    ("mean", "threshold", "is_selected"),
    [
        ("1", 100, True),
        ("4/5", 80, True),
        ("79999/100000", 80, False),
        ("7/9", 80, False),
        ("7/9", 77, True),
        ("7/9", 78, False),
        ("5/6", 83, True),
        ("5/6", 84, False),
        ("0", 1, False),
    ],
)
def test_the_mean_is_compared_exactly_in_rows_and_in_queries(
    study: Study, mean: str, threshold: int, is_selected: bool
) -> None:
    one = make_solved(study, "cold", mean)
    Game.objects.create(study=study, selection_threshold=threshold)

    of_own = Association.objects.filter(reaches_own())

    assert one.is_selected(threshold=threshold) == is_selected
    assert selected(of_study(study), threshold=threshold).exists() == is_selected
    assert of_own.exists() == is_selected


def test_what_is_not_final_is_never_selected(study: Study) -> None:
    one = make_association(study=study)

    assert not one.is_selected(threshold=1)
    assert not selected(of_study(study), threshold=1).exists()


def test_another_threshold_changes_the_selection_and_back_and_no_row(study: Study) -> None:
    make_solved(study, "low", "2/3")
    make_solved(study, "high", "1")
    game = Game.objects.create(study=study)
    facts = list(Association.objects.order_by("pk").values())
    counted = []

    for threshold in (80, 60, 100, 80):
        Game.objects.filter(pk=game.pk).update(selection_threshold=threshold)
        figures = statistics_of(study, sources=[], now=NOW).figures
        counted.append((words_selected(study), row(figures["sizes"], candidates="all")["selected"]))

    assert counted == [(["high"], 1), (["high", "low"], 2), (["high"], 1), (["high"], 1)]
    assert list(Association.objects.order_by("pk").values()) == facts


def test_statistics_say_what_other_thresholds_would_select(study: Study) -> None:
    make_solved(study, "low", "2/3")
    make_solved(study, "high", "1")
    Game.objects.create(study=study, selection_threshold=65)

    found = statistics_of(study, sources=[], now=NOW).figures["thresholds"]

    assert [one["threshold"] for one in found] == [50, 60, 65, 70, 80, 90, 100]
    assert row(found, is_own=True) == {
        "threshold": 65, "selected": 2, "share": 100.0, "human": 83.3, "is_own": True,
    }  # fmt: skip
    assert row(found, threshold=70)["selected"] == 1


def test_another_threshold_is_counted_at_once_however_long_that_takes(study: Study) -> None:
    make_solved(study, "low", "2/3")
    game = Game.objects.create(study=study)
    kept = statistics_of(study, sources=[], now=NOW)
    type(kept).objects.update(took_ms=3_600_000)

    Game.objects.filter(pk=game.pk).update(selection_threshold=50)
    again = statistics_of(study, sources=[], now=NOW)

    assert row(again.figures["sizes"], candidates="all")["selected"] == 1
    assert type(kept).objects.count() == 1


def settings_of(**changes: Any) -> dict[str, Any]:
    return {"feedback": "final", "selection_threshold": "80", "solve_batch": "", **changes}


def test_a_researcher_sets_it_and_the_audit_log_says_so(client: Client, study: Study) -> None:
    make_solved(study, "low", "2/3")
    game = Game.objects.create(study=study)
    by = sign_in(client, RESEARCHER, study)

    answer = client.post(
        reverse("admin:winogavil_settings", args=[game.pk]),
        settings_of(selection_threshold="60"),
        follow=True,
    )

    assert words_selected(study) == ["low"]
    assert "at least 60 %" in text_of(answer)
    event = AuditEvent.objects.get(kind="selection.changed")
    assert (event.by, event.study) == (by, study)
    assert "60 %" in event.words
    page = text_of(client.get(reverse("admin:winogavil_releases_statistics", args=[study.pk])))
    assert "Selected: people 60 % or more" in page


@pytest.mark.parametrize("wrong", ["0", "101", "-5", "79.5", "", "most"])
def test_what_is_no_per_cent_is_refused_and_changes_nothing(client: Client, study: Study, wrong: str) -> None:
    game = Game.objects.create(study=study)
    sign_in(client, RESEARCHER, study)

    address = reverse("admin:winogavil_settings", args=[game.pk])
    answer = client.post(address, settings_of(selection_threshold=wrong))

    assert 'class="errorlist"' in text_of(answer)
    assert threshold_of(study) == 80
    assert not AuditEvent.objects.filter(kind="selection.changed").exists()


def test_other_settings_are_no_change_of_the_selection(client: Client, study: Study) -> None:
    game = Game.objects.create(study=study)
    sign_in(client, RESEARCHER, study)

    client.post(reverse("admin:winogavil_settings", args=[game.pk]), settings_of(feedback="never"))

    game.refresh_from_db()
    assert game.feedback == "never"
    assert not AuditEvent.objects.filter(kind="selection.changed").exists()


def test_who_may_not_change_the_game_may_not_change_the_threshold(client: Client, study: Study) -> None:
    game = Game.objects.create(study=study)
    sign_in(client, REVIEWER, study)

    address = reverse("admin:winogavil_settings", args=[game.pk])
    answer = client.post(address, settings_of(selection_threshold="10"))

    assert answer.status_code == 403
    assert threshold_of(study) == 80


def test_the_list_holds_each_word_against_its_own_study(client: Client, study: Study) -> None:
    other = make_study()
    Game.objects.create(study=other, selection_threshold=60)
    for place in (study, other):
        make_solved(place, f"word of {place.pk}", "2/3")
    make_association(study=study, cue="open")
    sign_in(client, RESEARCHER, study, other)
    address = reverse("admin:winogavil_association_changelist")

    shown = {
        asked: [one.cue for one in client.get(address, {"selected": asked}).context["cl"].result_list]
        for asked in ("yes", "no", "open")
    }

    assert shown == {"yes": [f"word of {other.pk}"], "no": [f"word of {study.pk}"], "open": ["open"]}


def test_a_release_keeps_the_threshold_it_was_made_with(study: Study) -> None:
    make_final(study, cue="low", picks=[(0, 1), (0, 1), (0, 2)])  # seven ninths
    make_final(study, cue="high")
    game = Game.objects.create(study=study, selection_threshold=60)
    values: dict[str, Any] = {
        "family": "winogavil", "study": study, "title": "Words", "licence": "CC0", "sources": ["worker"],
        "by": make_user(), "now": NOW,
    }  # fmt: skip

    theirs = release_states.make_release(version="1", **values)
    own = release_states.make_release(version="2", selection_threshold=90, **values)
    Game.objects.filter(pk=game.pk).update(selection_threshold=100)
    for _ in range(3):
        release_states.write_releases(clock=lambda: NOW)

    for release in (theirs, own):
        release.refresh_from_db()
    assert [(one.selection_threshold, one.counts["selected"]) for one in (theirs, own)] == [(60, 2), (90, 1)]
    assert "at least 60 per cent" in (theirs.folder / "README.md").read_text()
    said = AuditEvent.objects.filter(kind="release.made").order_by("pk").values_list("words", flat=True)
    assert ["60 %" in said[0], "90 %" in said[1]] == [True, True]


def test_a_release_with_an_impossible_threshold_is_refused(study: Study) -> None:
    make_solved(study, "high", "1")

    with pytest.raises(RuleBroken, match="from 1 to 100 per cent"):
        release_states.make_release(
            family="winogavil", study=study,
        title="Words", version="1", licence="CC BY 4.0", sources=["worker"],
            selection_threshold=0, by=make_user(), now=NOW,
        )  # fmt: skip


def test_the_form_of_a_release_starts_with_the_studys_own(client: Client, study: Study) -> None:
    make_solved(study, "low", "2/3")
    Game.objects.create(study=study, selection_threshold=65)
    sign_in(client, RESEARCHER, study)
    address = reverse("admin:releases_make", args=[study.pk, "winogavil"])

    form = client.get(address).context["form"]
    sent = {"title": "Words", "version": "1", "licence": "CC BY 4.0", "sources": ["worker"]}
    client.post(address, {**sent, "selection_threshold": "55"})

    assert form["selection_threshold"].value() == 65
    assert study.releases.get().selection_threshold == 55
