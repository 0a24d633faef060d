"""The page on people in captions and pictures, and the confirmation of gendered words, in a browser."""

import pytest

from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.conftest import Sites
from tests.crowd.winoground.making_examples import make_example, make_project
from tests.crowd.winoground.test_gendered_words import CAPTIONS, confirm, make_gendered

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def test_pages_look_right(visitor: Visitor, sites: Sites) -> None:
    project = make_project()
    home = f"{sites.public}/admin/winoground/project/{project.pk}"
    enter(visitor.page, sites)
    visitor.visit("people-none", f"{home}/people/")
    example = make_gendered(project=project)
    confirm(make_example(project, seed=1, ready=False, **CAPTIONS))
    make_example(
        project, seed=2, metadata_0="Girl walking her dog at the beach", metadata_1="Two men at work"
    )

    visitor.visit("people", f"{home}/people/")
    visitor.visit("people-example", f"{home}/examples/{example.public_id}/?lacks")
    visitor.visit("people-confirm", f"{home}/examples/{example.public_id}/gendered/")

    assert visitor.problems == {}
