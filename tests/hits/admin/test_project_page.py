"""The project page that all families share: setting up for a study, settings, and links."""

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from crowd.plain.models import Project as OwnQuestions
from crowd.whoops.models import Project as WeirdImages
from crowd.winogavil.models import Game as AssociationGame
from crowd.winoground.models import Project as CaptionMatching
from crowd.winoventi.models import Project as Exceptions
from tests.factories import make_study
from tests.pages import text_of

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
