"""A sample of questions with answers: drawn by seed, stored, asked, exported, and followed."""

import csv
from io import StringIO
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from crowd.whoops.judge.services import verification_sample
from crowd.whoops.judge.services.question_import import import_rows, preview_import
from crowd.whoops.judge.services.verification_sample import digest_of, draw_sample, plan_sample
from crowd.whoops.judge.services.wrong_answers import draw_wrong_answers
from crowd.whoops.models import Project, Sample
from crowd.whoops.models.judged_items import Question
from crowd.whoops.results.exporting.judged_rows import read_options
from hits import families
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.work.models.items import Item
from tests.crowd.whoops.making_questions import Judges, make_data
from tests.factories import NOW, make_user
from tests.hits.calling import Notebook
from tests.pages import text_of
from tests.people import make_member, sign_in

pytestmark = pytest.mark.django_db
Kind = Question.Kind
MANY = "image,question,answer,source\n" + "".join(
    f"{1 + number % 5},What is in place {number}?,Thing {number},machine\n" for number in range(20)
)


def make_waiting(**rules: Any) -> Project:
    project = make_data(images=5, **rules)
    assert import_rows(project=project, kind=Kind.VERIFY, text=MANY, seed=1, waits=True, now=NOW) == 20
    return project


def draw(project: Project, wanted: int = 6, seed: int = 7) -> Sample:
    return draw_sample(project=project, wanted=wanted, seed=seed, by=make_user(), now=NOW)


def drawn(sample: Sample) -> list[tuple[int | None, str]]:
    rows = sample.questions.filter(options__label=True).order_by("sample_place")
    return list(rows.values_list("sample_place", "key"))


def test_questions_that_wait_are_asked_of_nobody_and_get_no_wrong_answers() -> None:
    project = make_waiting()

    assert preview_import(project=project, kind=Kind.VERIFY, text=MANY, seed=1, waits=True).known == 20
    assert Question.objects.filter(project=project, item=None).count() == 20
    assert not Item.objects.filter(task=Kind.VERIFY).exists()


def test_sample_is_drawn_by_seed_and_asked_with_a_quarter_of_wrong_answers() -> None:
    project = make_waiting()

    sample = draw(project)

    assert [place for place, _ in drawn(sample)] == [1, 2, 3, 4, 5, 6]
    wrong = sample.questions.filter(options__label=False)
    assert wrong.count() == 2
    assert {one.sample_place for one in wrong} <= set(range(1, 7))
    assert not sample.questions.filter(item=None).exists()
    assert Question.objects.filter(project=project, item=None).count() == 14
    keys = Question.objects.filter(project=project, options__label=True).values_list("key", flat=True)
    assert (sample.seed, sample.wanted, sample.pool) == (7, 6, 20)
    assert sample.pool_sha256 == digest_of(list(keys))
    assert AuditEvent.objects.get(kind="whoops.sample_drawn").by == sample.drawn_by


def test_wrong_answers_are_drawn_once_under_the_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    project, drawing = make_waiting(), []

    def count(*about: Any, **more: Any) -> Any:
        drawing.append(about)
        return draw_wrong_answers(*about, **more)

    monkeypatch.setattr(verification_sample, "draw_wrong_answers", count)
    sample = draw(project)

    assert len(drawing) == 1
    assert sample.questions.filter(options__label=False).count() == 2


def test_same_seed_draws_the_same_from_the_same() -> None:
    first, second, other = make_waiting(), make_waiting(), make_waiting()

    samples = [draw(first), draw(second), draw(other, seed=8)]

    assert drawn(samples[0]) == drawn(samples[1]) != drawn(samples[2])


def test_second_sample_has_other_questions() -> None:
    project = make_waiting()
    first, second = draw(project), draw(project)

    assert second.pool == 14
    assert not {key for _, key in drawn(first)} & {key for _, key in drawn(second)}


def test_more_than_wait_are_not_drawn() -> None:
    project = make_waiting()

    with pytest.raises(RuleBroken) as refusal:
        draw(project, wanted=21)

    assert "Only so many questions wait for a sample: 20." in str(refusal.value)
    assert not Sample.objects.exists()
    assert len(plan_sample(project=project, wanted=21, seed=1).drawn) == 20


def test_import_that_is_asked_at_once_counts_no_waiting_question() -> None:
    project = make_waiting()
    text = "image,question,answer,source\n" + "".join(
        f"{1 + number % 5},What is on side {number}?,Side {number},machine\n" for number in range(6)
    )

    import_rows(project=project, kind=Kind.VERIFY, text=text, seed=1, now=NOW)

    wrong = Question.objects.filter(project=project, options__label=False)
    assert wrong.count() == 2
    assert all("side" in one.text for one in wrong)


def test_notebook_is_told_who_verified_and_what_became_of_each_question() -> None:
    project = make_waiting(judges_wanted=1)
    sample, other = draw(project), make_waiting(judges_wanted=1)
    judges = Judges(project, Kind.VERIFY, items=8)
    worker = judges.worker()
    judges.answer({"pick": "right"}, worker)
    held, here = Notebook(make_member(REVIEWER, project.study)), f"whoops/samples/{sample.pk}/tables/"

    tables = {table["name"]: table["rows"] for table in held.get(here).json()}

    assert [row["worker"] for row in tables["judges"]] == [worker.pseudonym]
    assert (len(tables["questions"]), len(tables["samples"])) == (tables["samples"][0]["of"], 1)
    assert Notebook(make_member(REVIEWER, other.study)).get(here).status_code == 404


def test_page_follows_who_verified_and_files_have_the_same(client: Client) -> None:
    project = make_waiting(judges_wanted=1)
    sample = draw(project)
    judges = Judges(project, Kind.VERIFY, items=8)
    worker = judges.worker()
    judges.answer({"pick": "right"}, worker)
    sign_in(client, REVIEWER, project.study)

    page = text_of(client.get(reverse("admin:whoops_samples", args=[project.pk])))
    rows = client.get(reverse("admin:whoops_samples_json", args=[project.pk, "samples"])).json()
    who = client.get(reverse("admin:whoops_samples_file", args=[project.pk, "judges"]))
    told = list(csv.reader(StringIO(b"".join(who).decode("utf-8-sig"))))

    assert f"Sample {sample.pk}" in page
    assert rows[0]["seed"] == 7
    # Nobody is asked one question with two answers, so the wrong ones wait for somebody else.
    assert (rows[0]["with_all_judges"], rows[0]["of"], told[1][1]) == (6, 8, "6")
    assert told[1][0] == worker.pseudonym


def test_export_names_the_sample_of_each_question() -> None:
    project = make_waiting()
    sample = draw(project)

    rows = list(read_options(project, everything=False))

    assert len(rows) == 8
    assert {(one.question.sample_id, one.question.sample.seed) for one in rows if one.question.sample} == {
        (sample.pk, 7)
    }


def test_researchers_import_to_wait_look_and_draw(client: Client) -> None:
    project = make_data(images=5)
    sign_in(client, RESEARCHER, project.study)
    bring = reverse("admin:whoops_import", args=[project.pk, "answers"])
    at = reverse("admin:whoops_draw_sample", args=[project.pk])

    imported = client.post(bring, {"content": MANY, "seed": "1", "waits": "on"}, follow=True)
    looked = client.get(at, {"wanted": "6", "seed": "7", "asked": "yes"})
    many = client.get(at, {"wanted": "60", "seed": "7", "asked": "yes"})
    done = client.post(at, {"wanted": "6", "seed": "7", "confirmed": "yes"}, follow=True)

    assert "Draw a sample of them to have it asked." in text_of(imported)
    assert "2 wrong answers beside them." in text_of(looked)
    assert "20 questions wait for a sample." in text_of(many)
    assert "Sample of 6 with seed 7: drawn, and waiting for workers." in text_of(done)
    assert Sample.objects.get().wanted == 6


def test_card_says_to_draw_a_sample_and_counts_only_what_is_asked(client: Client) -> None:
    project = make_waiting()
    sign_in(client, RESEARCHER, project.study)
    at = reverse("admin:whoops_project_change", args=[project.pk])

    def card() -> tuple[str, int | None]:
        cards = client.get(at).context["cards"]
        own = next(shown for shown in cards if list(shown.card.tasks) == [Kind.VERIFY])
        judged = next(one for one in own.card.metrics if one.name == "Questions with all their judges")
        return str(own.next), judged.of

    assert card() == ("Draw a sample: this many questions wait for one: 20.", 0)
    draw(project)
    name = families.get(Kind.VERIFY).name
    assert card() == (f"Launch a batch of “{name}”: 8 questions wait for workers.", 8)


def test_reviewers_draw_nothing(client: Client) -> None:
    project = make_waiting()
    sign_in(client, REVIEWER, project.study)
    at = reverse("admin:whoops_draw_sample", args=[project.pk])

    assert client.post(at, {"wanted": "6", "seed": "7", "confirmed": "yes"}).status_code == 403
    assert not Sample.objects.exists()
