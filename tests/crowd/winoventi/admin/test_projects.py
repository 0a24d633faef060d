"""The researcher's pages of the exception procedure: who sees what, and what the buttons do."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoventi.admin.forms import RulesForm
from crowd.winoventi.domain import EXCEPTIONS, PREMISES
from crowd.winoventi.models import Generic, Judgement, Noun, Premise, Project, Reading, Step
from crowd.winoventi.models.model_runs import ModelRun
from hits.identity.roles import RESEARCHER, REVIEWER
from hits.studies.models import Batch
from hits.work.models.items import Item
from scoring.models import RegisteredRival
from tests.crowd.winoventi.rows import make_alternative, make_generic, make_pair, make_project
from tests.factories import NOW, make_account, make_batch, make_study, make_worker
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
LAUNCH = "Launch a batch: 1 item waits for workers."
RULES = {
    "ks": "1, 3", "stop_list": "", "way": "properly", "answers_wanted": "3", "fails_by": "worker",
    "fails_at": "2", "judges": "others", "people": "together", "choices_wanted": "1",
}  # fmt: skip


@pytest.fixture
def project(client: Client) -> Project:
    """A project in a study of the researcher who is signed in."""
    made = make_project("lemon", "sky")
    sign_in(client, RESEARCHER, made.study)
    return made


def at(name: str, project: Project, *more: Any) -> str:
    return reverse(f"admin:winoventi_{name}", args=[project.pk, *more])


def home(project: Project) -> str:
    return at("project_change", project)


def make_masked(name: str = "masked") -> RegisteredRival:
    return RegisteredRival.objects.create(name=name, kind="masked", added_at=NOW)


def ask_exceptions(project: Project) -> None:
    Item.objects.create(study=project.study, task=EXCEPTIONS, wanted=5)


def next_of_exceptions(client: Client, project: Project) -> str:
    cards: Any = client.get(home(project)).context["cards"]
    return next(str(one.card.next) for one in cards if one.card.key == Step.Kind.EXCEPTIONS)


def fill(project: Project, *, count: int) -> None:
    """Make some rows of each kind that stays behind, and valid pairs."""
    for number in range(count):
        make_pair(project, f"noun{number}")
        make_generic(project, f"cut{number}", state="cut", reason="Perplexity 9.0")
        make_alternative(project, f"filtered{number}", state="filtered", reason="Not likelier.")
        failed = make_pair(project, f"failed{number}")
        Premise.objects.filter(pk=failed.pk).update(state="failed", reason="generic_synonym")
        Judgement.objects.create(
            premise=failed,
            worker=make_worker(),
            generic_synonym=True,
            exception_synonym=False,
            exception_fits_generic=False,
            generic_fits_exception=False,
        )


def test_project_is_set_up_with_its_nouns_from_its_study(client: Client) -> None:
    study, model = make_study(name="Ours"), make_masked()
    sign_in(client, RESEARCHER, study)
    of_study = reverse("admin:winoventi_of_study", args=[study.pk])
    assert f'<a href="{of_study}">' in text_of(
        client.get(reverse("admin:hits_study_change", args=[study.pk]))
    )
    assert client.get(of_study)["Location"] == f"{reverse('admin:winoventi_project_add')}?study={study.pk}"
    file = SimpleUploadedFile("nouns.csv", b"number,noun\n1,bat\n2,sky\n")
    form = {
        **RULES,
        "study": study.pk,
        "generics_model": model.pk,
        "words": "bat\n\n sky lark ",
        "file": file,
    }

    answer = client.post(reverse("admin:winoventi_project_add"), form)

    project = Project.objects.get(study=study)
    assert answer["Location"] == home(project)
    assert (project.ks, project.generics_model, project.fails_at) == ([1, 3], model, 2)
    assert list(project.nouns.values_list("word", flat=True)) == ["bat", "sky lark", "bat", "sky"]
    assert project.steps.count() == len(Step.Kind.values)
    assert client.get(of_study)["Location"] == home(project)


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"ks": "1, many"}, "Whole numbers from 1 to 50"),
        ({"fails_at": "4"}, "No pair could fail"),
        ({"words": "x" * 65}, "Line 1: a noun has at most 64 letters."),
        ({"study": ""}, "This field is required."),
    ],
    ids=["ks", "fails-at", "noun", "study"],
)
def test_project_with_bad_input_is_not_set_up(client: Client, changes: dict[str, str], said: str) -> None:
    study = make_study()
    sign_in(client, RESEARCHER, study)

    answer = client.post(
        reverse("admin:winoventi_project_add"), {**RULES, "study": study.pk, "words": "a", **changes}
    )

    assert said in text_of(answer)
    assert not Project.objects.exists()


def test_noun_of_a_file_that_is_too_long_is_named_by_its_line(client: Client, project: Project) -> None:
    sign_in(client, RESEARCHER, project.study)
    file = SimpleUploadedFile("nouns.csv", f"number,noun\n\n1,bat\n2,{'x' * 65}\n".encode())

    page = text_of(client.post(at("nouns", project), {"file": file}))

    assert "Line 4: a noun has at most 64 letters." in page


def test_pipeline_counts_what_came_in_and_stayed_behind_with_links(client: Client, project: Project) -> None:
    fill(project, count=1)

    page = text_of(client.get(home(project)))

    study = f"project__study__id__exact={project.study_id}"
    assert f'<a href="/admin/winoventi/generic/?{study}&amp;state__in=cut">Cut by perplexity</a>' in page
    assert "… generic and its word mean the same" in page
    assert "Advance 2." in page
    for model in ("generic", "alternative", "premise"):
        listed = text_of(client.get(f"/admin/winoventi/{model}/?{study}"))
        assert "1 " in listed
    assert "Perplexity 9.0" in text_of(client.get(f"/admin/winoventi/generic/?{study}&state__in=cut"))
    assert "generic and its word mean the same" in text_of(client.get("/admin/winoventi/judgement/"))


@pytest.mark.parametrize(
    ("status", "is_next"),
    [("open", False), ("paused", False), ("draft", True), ("complete", True), ("cancelled", True)],
)
def test_launch_is_next_only_while_no_batch_asks_the_workers(
    client: Client, project: Project, status: str, is_next: bool
) -> None:
    """The batch was made by the guide for new batches, so the step does not name it as its own."""
    ask_exceptions(project)
    before = next_of_exceptions(client, project)
    make_batch(study=project.study, task=EXCEPTIONS, status=status)

    assert (before, next_of_exceptions(client, project)) == (LAUNCH, LAUNCH if is_next else "")


def test_pages_take_as_many_queries_whatever_there_is(client: Client, project: Project) -> None:
    fill(project, count=1)
    lists = [reverse(f"admin:winoventi_{name}_changelist") for name in ("generic", "alternative", "premise")]
    pages = [home(project), at("statistics", project), at("cut", project), *lists]
    pages.append(reverse("admin:winoventi_premise_change", args=[Premise.objects.order_by("pk")[0].pk]))

    def count() -> list[int]:
        found = []
        for page in pages:
            with CaptureQueriesContext(connection) as queries:
                assert client.get(page).status_code == 200
            found.append(len(queries))
        return found

    few = count()
    fill(make_project(), count=1)
    for number in range(3):
        make_pair(project, f"more{number}")

    assert count() == few
    # Only the page of statistics may make more queries.
    assert max([*few[:1], *few[2:]]) <= 12


def test_reading_is_asked_once_more_and_then_started(client: Client, project: Project) -> None:
    project.generics_model = make_masked()
    project.save()
    address = at("do", project, "generics", "read")

    page = text_of(client.get(address))

    assert "each of 2 nouns" in page
    assert not ModelRun.objects.exists()
    client.post(address)
    assert ModelRun.objects.get().is_open
    assert "Nouns that the model has read: the model is being asked" in text_of(client.get(home(project)))


def test_generics_without_a_place_are_what_is_next(client: Client, project: Project) -> None:
    project.generics_model = make_masked()
    project.save()
    project.nouns.all().delete()
    make_generic(project)
    Noun.objects.filter(project=project).update(number=1)
    Reading.objects.create(
        noun=project.nouns.get(),
        rival=project.generics_model,
        template="is_not_comma",
        words=[["sour", 0.5]],
        read_at=NOW,
    )
    assert "Cut: this many generics have no place in the order yet: 1." in text_of(client.get(home(project)))

    client.post(at("cut", project), {"cut_by": "bend"})

    assert "Advance 1." in text_of(client.get(home(project)))


def test_reading_without_a_model_says_what_is_missing(client: Client, project: Project) -> None:
    answer = client.post(at("do", project, "generics", "read"), follow=True)

    assert "Choose the model of step 1 first" in text_of(answer)
    assert not ModelRun.objects.exists()


def test_so_many_generics_are_let_in_and_a_draft_leads_to_the_guide(client: Client, project: Project) -> None:
    for rank, noun in enumerate(("lemon", "sky"), start=1):
        make_generic(project, noun, rank=rank)
    account = make_account()

    client.post(at("do", project, "exceptions", "advance"), {"most": "1"})
    known = client.get(at("step_draft", project, "exceptions"))
    answer = client.post(at("draft", project, EXCEPTIONS), {"account": account.pk})

    assert known["Location"] == at("draft", project, EXCEPTIONS)
    assert Generic.objects.filter(state="posted").count() == 1
    draft = Batch.objects.get()
    assert (draft.task, draft.status, str(draft.reward)) == ("winoventi.exceptions", "draft", "0.10")
    assert (draft.study, draft.hits_wanted) == (project.study, 1)
    assert answer["Location"] == reverse("admin:hits_batch_step", args=[draft.pk, "terms"])
    assert project.steps.get(kind="exceptions").batch == draft


def test_a_click_adds_hits_to_the_batch_of_the_step_and_to_no_other(client: Client, project: Project) -> None:
    for rank, noun in enumerate(("lemon", "sky"), start=1):
        make_generic(project, noun, rank=rank)
    running = {"study": project.study, "task": EXCEPTIONS, "status": "open", "items_from": "pool"}
    own, other = (make_batch(**running, items_per_assignment=1, assignments_per_hit=1) for _ in range(2))
    client.post(at("do", project, "exceptions", "advance"), {"most": ""})
    unnamed = text_of(client.get(home(project)))
    project.steps.filter(kind="exceptions").update(batch=own)

    page = text_of(client.get(home(project)))
    client.post(at("grow", project, own.public_id))

    assert "to the running batch" not in unnamed
    assert f'action="{at("grow", project, own.public_id)}"' in page
    assert "Add 2 HITs to the running batch" in page
    assert (own.hits.count(), other.hits.count()) == (2, 0)


def test_step_is_switched_to_go_on_by_itself_and_back(client: Client, project: Project) -> None:
    asked = client.get(at("do", project, "premises", "on"))
    assert "spends money" in text_of(asked)
    assert asked.context["title"] == f"Go on by itself: 4. Premises of {project.study}"

    client.post(at("do", project, "premises", "on"))
    assert project.steps.get(kind="premises").by_itself

    client.post(at("do", project, "premises", "off"))
    assert not project.steps.get(kind="premises").by_itself


def test_settings_change_the_rules_and_the_limits(client: Client, project: Project) -> None:
    form = {**RULES, "answers_wanted": "2", "exceptions_most": "40"}

    answer = client.post(at("settings", project), form)

    assert answer.status_code == 302
    project.refresh_from_db()
    assert (project.answers_wanted, project.is_stale) == (2, True)
    assert project.steps.get(kind="exceptions").most_per_worker == 40


def test_what_found_generics_is_fixed(client: Client, project: Project) -> None:
    make_generic(project)

    client.post(at("settings", project), {**RULES, "ks": "8", "generics_model": make_masked().pk})

    project.refresh_from_db()
    assert (project.ks, project.generics_model) == ([1, 3, 5, 8], None)


def test_cut_at_own_values_leaves_the_rest_with_its_reason(client: Client, project: Project) -> None:
    project.perplexity_model = RegisteredRival.objects.create(name="causal", kind="causal", added_at=NOW)
    project.save()
    for number, perplexity in enumerate((10.0, 20.0, 300.0)):
        make_generic(project, f"noun{number}", perplexity=perplexity)
    form = {"cut_by": "hand", "most_posted": "", "cut_1": "25", "cut_3": "", "cut_5": "", "cut_8": ""}

    client.post(at("cut", project), form)

    assert Generic.objects.get(state="cut").reason == "Perplexity 300.0: those of k = 1 are cut at 25.0."
    page = text_of(client.get(at("cut", project)))
    assert "Perplexity of 3 statements" in page
    assert "Cut at 25.0: 2 are below." in page


def test_nouns_are_added_behind_those_that_are_there(client: Client, project: Project) -> None:
    client.post(at("nouns", project), {"words": "bat\nlemon"})

    assert list(project.nouns.values_list("number", "word")) == [
        (1, "lemon"), (2, "sky"), (3, "bat"), (4, "lemon"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"b\xffat", "Line 1 is not UTF-8"),
        (b"a\0b", "not a text"),
        (b'"' + b"x" * 140_000, "Line 1 is too long"),
    ],
    ids=["bytes", "nul", "long"],
)
def test_file_that_is_no_list_is_refused(client: Client, project: Project, content: bytes, said: str) -> None:
    answer = client.post(at("nouns", project), {"file": SimpleUploadedFile("nouns.csv", content)})

    assert said in text_of(answer)
    assert project.nouns.count() == 2


def test_reviewer_looks_and_changes_nothing(client: Client, project: Project) -> None:
    sign_in(client, REVIEWER, project.study)

    page = text_of(client.get(home(project)))

    assert "Next:" in page
    assert "Go on by itself…" not in page
    assert f'href="{at("settings", project)}"' not in page
    for address in (
        at("settings", project),
        at("nouns", project),
        at("cut", project),
        at("do", project, "premises", "on"),
        at("draft", project, PREMISES),
        at("data", project),
        at("ask_model", project),
        at("upload_model", project),
        reverse("admin:winoventi_project_add"),
    ):
        assert client.post(address, {"words": "bat"}).status_code == 403
    assert client.get(reverse("admin:winoventi_project_add")).status_code == 302
    assert Noun.objects.count() == 2
    assert not Step.objects.filter(by_itself=True).exists()


def test_foreign_projects_are_not_found(client: Client, project: Project) -> None:
    foreign = make_project("secret")
    pair = make_pair(foreign, "secret")
    addresses = [home(foreign), *(at(name, foreign) for name in ("statistics", "cut", "nouns", "data"))]

    assert [client.get(address).status_code for address in addresses] == [404] * len(addresses)
    for model in ("project", "generic", "alternative", "premise", "judgement"):
        listed = client.get(reverse(f"admin:winoventi_{model}_changelist"))
        assert "secret" not in text_of(listed)
    one = client.get(reverse("admin:winoventi_premise_change", args=[pair.pk]))
    assert one.status_code == 302
    assert client.post(at("do", foreign, "premises", "on")).status_code == 404
    assert not Step.objects.filter(by_itself=True).exists()


def test_how_many_choose_is_said_of_the_recorded_data_as_the_paper_is_silent() -> None:
    help_text = RulesForm().fields["choices_wanted"].help_text

    assert help_text == "The recorded data: 1 for each of the two prompts."
