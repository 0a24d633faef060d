"""The researchers' pages of the exception procedure in a real browser, empty and with some of everything."""

import pytest
from django.utils import timezone

from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.procedure.services.projects import open_project
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.winoventi.rows import make_analysis, make_everything
from tests.factories import make_account, make_study

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_exception_procedure_looks_right(visitor: Visitor, sites: Sites) -> None:
    page, admin = visitor.page, f"{sites.public}/admin/winoventi"
    study = make_study(name="Exceptions")
    make_account()
    enter(page, sites)
    visitor.visit("winoventi-none", f"{admin}/project/")
    visitor.visit("winoventi-add", f"{admin}/project/add/?study={study.pk}")
    page.get_by_label("Nouns").fill("x" * 65)
    page.get_by_role("button", name="Set it up").click()
    page.get_by_text("Line 1: a noun has at most 64 letters.").wait_for()
    project = open_project(study=study)
    home = f"{admin}/project/{project.pk}"
    visitor.visit("winoventi-empty", f"{home}/change/")
    visitor.visit("winoventi-statistics-empty", f"{home}/statistics/")
    visitor.visit("winoventi-errors-empty", f"{home}/errors/")
    pair = make_everything(project)
    word = make_analysis(project)

    # The page would ask for news while a model is asked; leaving it then would look like a failed request.
    ModelRun.objects.update(is_open=False, done_at=timezone.now(), problem="The weights are not there.")
    visitor.visit("winoventi-project", f"{home}/change/")
    for name in ("settings", "nouns", "cut", "statistics", "errors", "data", "models/ask", "models/upload"):
        visitor.visit(f"winoventi-{name.replace('/', '-')}", f"{home}/{name}/")
    visitor.visit("winoventi-do", f"{home}/exceptions/advance/do/")
    visitor.visit("winoventi-draft", f"{home}/exceptions/draft/")
    for name in ("generic", "alternative", "premise", "judgement", "wordtag"):
        visitor.visit(f"winoventi-list-{name}", f"{admin}/{name}/")
    visitor.visit("winoventi-word", f"{home}/words/{word.pk}/")
    visitor.visit("winoventi-pair", f"{admin}/premise/{pair.pk}/change/")
    visitor.visit("winoventi-generic", f"{admin}/generic/{pair.alternative.generic_id}/change/")

    assert visitor.problems == {}
