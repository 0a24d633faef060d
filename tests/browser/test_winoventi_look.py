"""The researchers' pages of the exception procedure in a real browser, empty and with some of everything."""

from typing import Any

import pytest
from django.utils import timezone

from crowd.winoventi.models import (
    Choice,
    Evaluation,
    FilterScore,
    Inquiry,
    Judgement,
    ModelAnswer,
    Premise,
    Project,
    Prompt,
    Reading,
)
from crowd.winoventi.services.opening import add_nouns, open_project
from scoring.models import RegisteredRival
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.winoventi.rows import make_alternative, make_generic, make_pair
from tests.factories import make_account, make_study, make_worker

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
NOUNS = ("lemon", "sky", "bat", "bat", "jellyfish")


def make_full(project: Project) -> Premise:
    """Rows in every state; and the first pair, with all that belongs to it."""
    now = timezone.now()
    masked = RegisteredRival.objects.create(name="bert-large-uncased", kind="masked", added_at=now)
    causal = RegisteredRival.objects.create(name="gpt2", kind="causal", added_at=now)
    rules = {"generics_model": masked, "filter_model": masked, "perplexity_model": causal}
    Project.objects.filter(pk=project.pk).update(**rules, cuts={"1": 40.0, "3": 55.5})
    add_nouns(project=project, words=NOUNS)
    for number in range(40):
        changes: dict[str, Any] = {"k": 1 + 2 * (number % 2), "rank": number + 1}
        changes["perplexity"] = 8 + (number / 9) ** 4
        if number > 30:
            changes |= {"state": "cut", "reason": "Perplexity 60.0: those of k = 1 are cut at 40.0."}
        make_generic(project, f"thing{number}", "nice", **changes)
    pair = make_pair(project)
    for k, state in ((1, "valid"), (3, "failed"), (3, "malformed")):
        other = make_pair(
            project, f"noun {k} {state}", ("edible", "toxic"), "They took the [ripe / raw] one."
        )
        reason = {"failed": "generic_synonym,exception_fits_generic", "malformed": "not_one_bracket"}
        settled = None if state == "malformed" else now
        rows = Premise.objects.filter(pk=other.pk)
        rows.update(state=state, reason=reason.get(state, ""), settled_at=settled)
    make_alternative(
        project, "sky", "blue", "gray", state="filtered", reason="Not likelier (0.1 against 0.2)."
    )
    make_alternative(project, "bat", "nocturnal", "wooden")
    words = [["edible", 0.31], ["sour", 0.21], ["yellow", 0.11], ["good", 0.04], ["raw", 0.01]]
    noun = pair.alternative.generic.noun
    digest = {"weights_sha256": "5f3c" * 16}
    for template in ("is", "is_not", "is_comma", "is_not_comma"):
        read = {"noun": noun, "rival": masked, "template": template, "words": words, "read_at": now}
        Reading.objects.create(**read, provenance=digest)
    FilterScore.objects.create(
        alternative=pair.alternative,
        rival=masked,
        way="properly",
        p_generic=0.2134,
        p_exception=0.0123,
        passes=True,
        provenance=digest,
        scored_at=now,
    )
    for is_bad in (False, True):
        fine = dict.fromkeys(("generic_synonym", "exception_synonym", "generic_fits_exception"), False)
        Judgement.objects.create(premise=pair, worker=make_worker(), exception_fits_generic=is_bad, **fine)
    evaluation = Evaluation.objects.create(project=project, name="a-model-of-others", added_at=now)
    for kind, is_right in (("generic", True), ("exception", False)):
        prompt = Prompt.objects.create(premise=pair, kind=kind)
        Choice.objects.create(prompt=prompt, worker=make_worker(), word="sour", is_right=is_right)
        answer = {"premise": pair, "kind": kind, "is_right": is_right}
        ModelAnswer.objects.create(evaluation=evaluation, **answer)
    Inquiry.objects.create(project=project, rival=masked, purpose="filter", started_at=now, waiting=1)
    return pair


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
    pair = make_full(project)

    # The page would ask for news while a model is asked; leaving it then would look like a failed request.
    Inquiry.objects.update(is_open=False, done_at=timezone.now(), problem="The weights are not there.")
    visitor.visit("winoventi-project", f"{home}/change/")
    for name in ("settings", "nouns", "cut", "statistics", "data", "models/ask", "models/upload"):
        visitor.visit(f"winoventi-{name.replace('/', '-')}", f"{home}/{name}/")
    visitor.visit("winoventi-do", f"{home}/exceptions/advance/do/")
    visitor.visit("winoventi-draft", f"{home}/exceptions/draft/")
    for name in ("generic", "alternative", "premise", "judgement"):
        visitor.visit(f"winoventi-list-{name}", f"{admin}/{name}/")
    visitor.visit("winoventi-pair", f"{admin}/premise/{pair.pk}/change/")
    visitor.visit("winoventi-generic", f"{admin}/generic/{pair.alternative.generic_id}/change/")

    assert visitor.problems == {}
