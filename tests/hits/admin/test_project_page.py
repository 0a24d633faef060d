"""The project page that all families share: setting up for a study, settings, and links."""

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from crowd.plain.models import Project as OwnQuestions
from crowd.whoops.models import Project as WeirdImages
from crowd.winogavil.domain import CREATE
from crowd.winogavil.models import Game as AssociationGame
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winoground.models import Project as CaptionMatching
from crowd.winoventi.models import Project as Exceptions
from hits.admin.projects.project_batches import TaskDemand
from hits.identity.roles import REVIEWER
from hits.studies.models import Batch, Study
from tests.factories import make_account, make_batch, make_hit, make_picture, make_study
from tests.pages import text_of
from tests.people import sign_in

pytestmark = pytest.mark.django_db
MODELS = [CaptionMatching, WeirdImages, OwnQuestions, AssociationGame, Exceptions]


@pytest.mark.parametrize("model", MODELS)
def test_a_project_is_set_up_from_the_page_of_its_study(admin_client: Client, model: type[Model]) -> None:
    study, label, row = make_study(), model._meta.app_label, model._meta.label_lower.replace(".", "_")
    page = admin_client.get(reverse(f"admin:{label}_of_study", args=[study.pk]), follow=True)
    form = admin_client.get(page.context["set_up_url"]) if "set_up_url" in page.context else page
    values = {field.name: field.value() or "" for field in form.context["forms"][1]}

    made = admin_client.post(reverse(f"admin:{row}_add"), {**values, "study": study.pk}, follow=True)

    project = model._default_manager.get()
    assert "It is set up." in text_of(made)
    assert made.redirect_chain[-1][0] == reverse(f"admin:{row}_change", args=[project.pk])
    assert admin_client.get(reverse(f"admin:{label}_settings", args=[project.pk])).status_code == 200
    again = admin_client.get(reverse(f"admin:{label}_of_study", args=[study.pk]))
    assert again.headers["Location"] == made.redirect_chain[-1][0]


def make_waiting_set(study: Study) -> None:
    seed_picture_set(study=study, pictures=[make_picture() for _ in range(5)])


def test_line_of_stages_tells_what_has_come_of_each_and_what_is_next(admin_client: Client) -> None:
    study = make_study()
    make_waiting_set(study)

    page = admin_client.get(reverse("admin:winogavil_of_study", args=[study.pk]))

    told = [(one.title, one.figure.count, one.figure.of, str(one.state)) for one in page.context["stages"]]
    assert told == [
        ("Pictures", 5, None, "ready"),
        ("Picture sets", 0, 1, "to do"),
        ("Solving", 0, 0, "nothing yet"),
        ("Data", 0, None, "nothing yet"),
    ]
    assert page.context["next"].title == "Picture sets"
    words = "Launch a batch of “Association game: create”: 1 picture set waits for workers."
    assert page.context["next"].words == words


def test_hits_are_asked_for_with_the_noun_of_what_waits() -> None:
    demand = TaskDemand(
        task=CREATE,
        name="Create",
        noun="picture set",
        items=2,
        batches=[make_batch(task=CREATE, status="open")],
        lacking=1,
        draft_url="",
    )

    wait = "2 picture sets wait for workers, and 1 HIT more would ask for all answers."
    assert demand.next == f"Add HITs to the batch of “Create”: {wait}"


def test_only_a_stage_with_a_running_batch_is_under_way(admin_client: Client) -> None:
    study = make_study()
    make_waiting_set(study)
    batch = make_batch(study=study, task=CREATE, status="open")
    make_hit(batch=batch, status="open")
    address = reverse("admin:winogavil_of_study", args=[study.pk])

    running = [str(one.state) for one in admin_client.get(address).context["stages"]]

    assert running == ["ready", "under way", "nothing yet", "nothing yet"]


def test_next_step_leads_to_a_launch_only_for_who_may_draft(admin_client: Client, client: Client) -> None:
    study = make_study()
    make_waiting_set(study)
    address = reverse("admin:winogavil_game_change", args=[AssociationGame.objects.create(study=study).pk])
    sign_in(client, REVIEWER, study)

    offered, seen = admin_client.get(address).context["next"], client.get(address).context["next"]

    assert (offered.button, seen.button) == ("Launch a batch…", "")
    assert offered.words == seen.words
    assert admin_client.get(offered.url).status_code == 200


def test_next_step_goes_on_with_the_newest_draft(admin_client: Client) -> None:
    study = make_study()
    make_waiting_set(study)
    address = reverse("admin:winogavil_game_change", args=[AssociationGame.objects.create(study=study).pk])
    task = admin_client.get(address).context["next"].url.rstrip("/").rpartition("/")[2]
    _, newest = (make_batch(study=study, task=task, title=title) for title in ("First", "Second"))

    offered = admin_client.get(address).context["next"]

    card = text_of(admin_client.get(address)).partition("Nothing waits")[0]
    launch = reverse("admin:hits_batch_launch", args=[newest.pk])
    assert f'href="{launch}">Go on with the draft “Second”</a>' in card
    assert "Launch a batch…" not in card
    assert offered.button == "Go on with the draft “Second”"
    assert offered.url == reverse("admin:hits_batch_launch", args=[newest.pk])


@pytest.mark.parametrize(("button", "step"), [({}, "step/terms/"), ({"check": "yes"}, "launch/")])
def test_draft_leads_to_its_terms_or_straight_to_its_check(
    admin_client: Client, button: dict[str, str], step: str
) -> None:
    study, account = make_study(), make_account()
    make_waiting_set(study)
    game = AssociationGame.objects.create(study=study)

    answer = admin_client.post(
        reverse("admin:winogavil_draft", args=[game.pk, CREATE]), {"account": account.pk, **button}
    )

    draft = Batch.objects.get(study=study)
    assert answer.headers["Location"] == f"{reverse('admin:hits_batch_changelist')}{draft.pk}/{step}"


@pytest.mark.parametrize(
    ("status", "advice"),
    [("launching", ""), ("open", "Add HITs"), ("paused", ""), ("paused_funds", ""), ("complete", "Add HITs"),
     ("draft", "Launch a batch"), ("draining", "Launch a batch"), ("cancelled", "Launch a batch")],
)  # fmt: skip
def test_launch_is_next_only_while_no_batch_asks_and_hits_where_one_may_ask_again(
    admin_client: Client, status: str, advice: str
) -> None:
    study = make_study()
    make_waiting_set(study)
    make_batch(study=study, task=CREATE, status=status)

    page = admin_client.get(reverse("admin:winogavil_of_study", args=[study.pk]))

    step = page.context["next"]
    assert (step.words.partition(" of “")[0].removesuffix(" to the batch") if step else "") == advice
