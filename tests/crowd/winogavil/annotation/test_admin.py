"""The pages about annotations: who sees them, who draws associations, and what the pages say."""

import csv
import io
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winogavil.annotation.models import Annotation, Draw, Kind
from crowd.winogavil.annotation.services.final_annotations import finalize_annotations
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import OPERATOR, PAYMENTS_APPROVER, RESEARCHER, REVIEWER
from hits.studies.models import Study
from hits.work.models.items import Item
from tests.crowd.winogavil.annotation.annotators import (
    annotate,
    begin,
    draw,
    make_selected,
    open_batch,
    solve,
)
from tests.factories import NOW, make_study
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
RECIPE = {"kind": "skills", "most": "all", "number": "", "sources": ["file", "worker"], "seed": "1"}
RECIPE |= {"asked": "yes", "confirmed": "yes"}


def page_of(study: Study) -> str:
    return reverse("admin:winogavil_annotations", args=[study.pk])


def draw_of(study: Study) -> str:
    return reverse("admin:winogavil_annotations_draw", args=[study.pk])


def take_back_of(made: Draw) -> str:
    return reverse("admin:winogavil_annotations_take_back", args=[made.study_id, made.pk])


def examples_of(study: Study, kind: str) -> str:
    return reverse("admin:winogavil_annotations_examples", args=[study.pk, kind])


def file_of(study: Study, kind: str) -> str:
    return reverse("admin:winogavil_annotations_file", args=[study.pk, kind])


def test_list_shows_the_studies_of_whoever_looks(client: Client, study: Study) -> None:
    make_selected(study)
    draw(study, Kind.TYPES)
    other = make_study()
    sign_in(client, REVIEWER, study)

    page = text_of(client.get(reverse("admin:winogavil_annotation_annotation_changelist")))

    assert study.name in page
    assert other.name not in page
    assert '<td class="number">2</td>' in page


def test_list_finds_by_name_and_says_where_there_is_none(client: Client, study: Study) -> None:
    sign_in(client, REVIEWER, study)
    address = reverse("admin:winogavil_annotation_annotation_changelist")

    assert study.name in text_of(client.get(address, {"q": study.name[:7]}))
    assert "No study here" in text_of(client.get(address, {"q": "nothing like it"}))


def test_study_of_others_does_not_exist(client: Client, study: Study) -> None:
    make_selected(study)
    made = draw(study, Kind.SKILLS)
    sign_in(client, RESEARCHER)

    pages = [
        client.get(page_of(study)),
        client.get(draw_of(study)),
        client.post(draw_of(study), {**RECIPE, "kind": "baseline", "seen": "1"}),
        client.get(take_back_of(made)),
        client.post(take_back_of(made), {"seen": "1"}),
        client.post(file_of(study, "skills")),
        client.get(examples_of(study, "skills")),
    ]

    assert [page.status_code for page in pages] == [404] * 7
    assert (Draw.objects.count(), Annotation.objects.count()) == (1, 1)


def test_draw_of_another_study_cannot_be_taken_back_through_ones_own(client: Client, study: Study) -> None:
    make_selected(study)
    made, own = draw(study, Kind.SKILLS), make_study()
    sign_in(client, RESEARCHER, own)
    address = reverse("admin:winogavil_annotations_take_back", args=[own.pk, made.pk])

    assert client.post(address, {"seen": "1"}).status_code == 404
    assert Annotation.objects.count() == 1


def test_payments_staff_have_no_such_page(client: Client, study: Study) -> None:
    sign_in(client, PAYMENTS_APPROVER, study)

    assert client.get(page_of(study)).status_code == 403
    assert client.get(reverse("admin:winogavil_annotation_annotation_changelist")).status_code == 403


def test_reviewer_looks_and_changes_nothing(client: Client, study: Study) -> None:
    make_selected(study)
    made = draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), *[["humor"]] * 3)
    finalize_annotations(now=NOW)
    sign_in(client, REVIEWER, study)

    page = client.get(page_of(study))
    refused = [
        client.get(draw_of(study)),
        client.post(draw_of(study), {**RECIPE, "kind": "baseline", "seen": "1"}),
        client.post(take_back_of(made), {"seen": "0"}),
        client.post(file_of(study, "skills")),
    ]

    assert page.status_code == 200
    assert "Take back" not in text_of(page)
    assert "Download" not in text_of(page)
    assert [one.status_code for one in refused] == [403] * 4
    assert (Draw.objects.count(), Annotation.objects.count()) == (1, 1)


def test_page_of_an_empty_study_says_what_to_do(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(page_of(study)))

    assert page.count("Nothing is final yet.") == 3
    assert "Nothing was drawn yet." in page
    assert f"{draw_of(study)}?kind=baseline" in page


def test_page_shows_the_figures(client: Client, study: Study) -> None:
    make_selected(study)
    draw(study, Kind.TYPES)
    draw(study, Kind.BASELINE)
    annotate(open_batch(study, Kind.TYPES), ["colors"], ["colors"], ["activity"])
    solve(open_batch(study, Kind.BASELINE), (0, 1), (0, 1), (0, 4))
    finalize_annotations(now=NOW)
    sign_in(client, RESEARCHER, study)

    page = text_of(client.get(page_of(study)))

    assert "Two annotators agree in 33.3 % of all pairs" in page
    assert f'<a href="{examples_of(study, "types")}?label=colors">Colors</a></th>' in page
    assert 'Colors</a></th><td class="number">2</td>' in page
    assert '<span class="share">100.0 %</span>' in page
    assert '<th scope="row">5 &amp; 6</th><td class="number">1</td><td class="number">77.8</td>' in page


def test_page_leads_to_a_batch_of_the_task(client: Client, study: Study) -> None:
    make_selected(study)
    draw(study, Kind.TYPES)
    sign_in(client, RESEARCHER, study)

    address = f"{reverse('admin:hits_batch_add')}?study={study.pk}&task=winogavil.types"
    guide = text_of(client.get(address))

    assert address.replace("&", "&amp;") in text_of(client.get(page_of(study)))
    assert 'value="winogavil.types" required checked' in guide


def test_draw_page_starts_from_a_tenth_for_the_baseline(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)

    forms = [client.get(draw_of(study), {"kind": kind}).context["form"] for kind in ("baseline", "x")]

    assert [form.initial["kind"] for form in forms] == ["baseline", "types"]
    assert (forms[0].initial["most"], forms[0].initial["number"]) == ("per_cent", 10)


def test_draw_is_reckoned_first_and_then_drawn(client: Client, study: Study) -> None:
    for _ in range(3):
        make_selected(study)
    user = sign_in(client, RESEARCHER, study)

    asked = text_of(client.get(draw_of(study), {**RECIPE, "most": "count", "number": "2"}))
    assert "chooses <strong>2</strong> of <strong>3</strong>" in asked
    assert "6 answers will be needed" in asked
    assert Annotation.objects.count() == 0

    done = client.post(draw_of(study), {**RECIPE, "most": "count", "number": "2", "seen": "2"}, follow=True)

    assert "2 questions were drawn." in text_of(done)
    made = Draw.objects.get()
    assert (made.drawn_by, made.added, made.kind) == (user, 2, "skills")
    assert made.recipe == {
        "most": "count",
        "number": 2,
        "sizes": [],
        "sources": ["file", "worker"],
        "seed": 1,
    }


def test_draw_sent_twice_draws_once(client: Client, study: Study) -> None:
    make_selected(study)
    sign_in(client, RESEARCHER, study)

    codes = [client.post(draw_of(study), {**RECIPE, "seen": "1"}).status_code for _ in range(2)]

    assert codes == [302, 409]
    assert (Draw.objects.count(), Annotation.objects.count()) == (1, 1)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"most": "count"}, "Say how many.", id="no-number"),
        pytest.param({"most": "per_cent", "number": "101"}, "100 at most", id="too-many-per-cent"),
        pytest.param({"most": "count", "number": "0"}, "greater than or equal to 1", id="nought"),
        pytest.param({"sources": []}, "This field is required", id="no-source"),
        pytest.param({"seed": "99999999999"}, "less than or equal to", id="seed-too-large"),
        pytest.param({"kind": "other"}, "Select a valid choice", id="no-such-kind"),
        pytest.param({"sizes": ["7"]}, "Select a valid choice", id="no-such-size"),
    ],
)
def test_draw_that_cannot_be_read_is_refused(
    client: Client, study: Study, change: dict[str, Any], words: str
) -> None:
    make_selected(study)
    sign_in(client, RESEARCHER, study)

    page = client.post(draw_of(study), {**RECIPE, **change, "seen": "1"})

    assert words in text_of(page)
    assert (Draw.objects.count(), Annotation.objects.count()) == (0, 0)


@pytest.mark.parametrize("seen", ["", "x", "-1", "7"])
def test_draw_of_what_was_not_seen_is_refused(client: Client, study: Study, seen: str) -> None:
    make_selected(study)
    sign_in(client, RESEARCHER, study)

    page = client.post(draw_of(study), {**RECIPE, "seen": seen})

    assert page.status_code == 409
    assert "Nothing was drawn." in text_of(page)
    assert Annotation.objects.count() == 0


def test_taking_back_asks_first(client: Client, study: Study) -> None:
    for _ in range(2):
        make_selected(study)
    made = draw(study, Kind.SKILLS)
    batch = open_batch(study, Kind.SKILLS)
    batch.items_per_assignment = 1
    batch.save()
    begin(batch)
    sign_in(client, RESEARCHER, study)

    assert "Yes, take 1 back" in text_of(client.get(take_back_of(made)))
    assert Annotation.objects.count() == 2
    done = client.post(take_back_of(made), {"seen": "1"}, follow=True)
    again = client.post(take_back_of(made), {"seen": "1"}, follow=True)

    assert "1 taken back." in text_of(done)
    assert "Nothing was taken back." in text_of(again)
    assert Annotation.objects.count() == 1
    assert Item.objects.filter(task="winogavil.skills").count() == 1


def test_examples_are_shown_by_label(client: Client, study: Study) -> None:
    make_selected(study, cue="cold", size=5, chosen=2)
    draw(study, Kind.SKILLS)
    works = annotate(open_batch(study, Kind.SKILLS), ["humor"], ["humor"], ["use_of"])
    make_selected(study, cue="warm")
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), ["outcome"], ["none"], ["location"])
    finalize_annotations(now=NOW)
    sign_in(client, REVIEWER, study)

    shown = {
        label: text_of(client.get(examples_of(study, "skills"), {"label": label}))
        for label in ("", "humor", "use_of", "discarded", "other")
    }

    cues = {label: ("<h2>cold</h2>" in page, "<h2>warm</h2>" in page) for label, page in shown.items()}
    assert cues == {
        "": (True, True),
        "humor": (True, False),
        "use_of": (False, False),
        "discarded": (False, True),
        "other": (True, True),
    }
    assert "There is none." in shown["use_of"]
    assert f"<dt>{works[2].worker}</dt><dd>Use of</dd>" in shown["humor"]
    assert '<div class="sum"><dt>Result</dt><dd>Humor or sarcasm</dd></div>' in shown["humor"]


def test_examples_of_the_baseline_name_pictures_by_number(client: Client, study: Study) -> None:
    make_selected(study, cue="cold", size=5, chosen=2)
    draw(study, Kind.BASELINE)
    solve(open_batch(study, Kind.BASELINE), (0, 1), (0, 4), (0, 1))
    finalize_annotations(now=NOW)
    sign_in(client, REVIEWER, study)

    page = text_of(client.get(examples_of(study, "baseline")))

    assert "77.8 % (mean Jaccard index)" in page
    assert "<dd>picture 1, picture 5</dd>" in page


def test_examples_of_no_kind_do_not_exist(client: Client, study: Study) -> None:
    sign_in(client, REVIEWER, study)

    assert client.get(examples_of(study, "other")).status_code == 404
    assert "Nothing of this kind is final yet." in text_of(client.get(examples_of(study, "types")))


def test_file_holds_every_row_and_is_on_record(client: Client, study: Study) -> None:
    make_selected(study, cue="cold")
    draw(study, Kind.SKILLS)
    annotate(open_batch(study, Kind.SKILLS), *[["humor"]] * 3)
    finalize_annotations(now=NOW)
    user = sign_in(client, OPERATOR, study)

    answer: Any = client.post(file_of(study, "skills"))

    content = b"".join(answer.streaming_content).decode("utf-8-sig")
    [row] = csv.DictReader(io.StringIO(content))
    assert (row["cue"], row["result"], row["answer_1"]) == ("cold", "humor", "humor")
    assert answer["Content-Disposition"].startswith('attachment; filename="annotations-skills-')
    event = AuditEvent.objects.get(kind="annotations.exported")
    assert (event.by, event.study) == (user, study)


def test_file_is_only_posted_for(client: Client, study: Study) -> None:
    sign_in(client, RESEARCHER, study)

    assert client.get(file_of(study, "skills")).status_code == 403
    assert client.post(file_of(study, "other")).status_code == 404
    assert AuditEvent.objects.filter(kind="annotations.exported").count() == 0


def test_pages_take_as_many_queries_for_many_as_for_few(client: Client, study: Study) -> None:
    user = sign_in(client, RESEARCHER, study)

    def queries() -> list[int]:
        counted = []
        for address in (
            reverse("admin:winogavil_annotation_annotation_changelist"),
            page_of(study),
            examples_of(study, "skills"),
        ):
            with CaptureQueriesContext(connection) as caught:
                assert client.get(address).status_code == 200
            counted.append(len(caught))
        return counted

    def finish() -> None:
        make_selected(study)
        draw(study, Kind.SKILLS)
        annotate(open_batch(study, Kind.SKILLS), *[["humor"]] * 3)
        finalize_annotations(now=NOW)

    finish()
    few = queries()
    for _ in range(3):
        other = make_study()
        other.members.add(user)
        make_selected(other)
        draw(other, Kind.TYPES)
        finish()

    assert queries() == few
