"""The operator's pages for colleagues, everybody's for tokens, and the API's page."""

import pytest
from django.urls import reverse
from django.utils import timezone

from crowd.demo.demo_people import Staff
from hits.identity.api_tokens import find_token, make_token
from hits.identity.models.api_tokens import ApiToken
from hits.identity.models.users import User
from hits.identity.roles import OPERATOR, RESEARCHER
from tests.browser.conftest import OpenPage
from tests.browser.doors import PASSWORD, log_in, make_staff
from tests.browser.looking import SIZES, Visitor
from tests.conftest import Sites
from tests.factories import make_study
from tests.people import make_member

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def operator(sites: Sites) -> Staff:
    return make_staff(OPERATOR)


@pytest.mark.parametrize("size", SIZES)
def test_pages_of_colleagues_and_tokens_look_right(
    open_page: OpenPage, operator: Staff, sites: Sites, size: str
) -> None:
    visitor = Visitor(open_page(viewport=SIZES[size], reduced_motion="reduce"), size=size)
    admin = f"{sites.public}/admin/hits"
    make_study(name="Pictures and words")
    colleague = make_member(RESEARCHER, first_name="A", last_name="Colleague")
    token, _ = make_token(user=operator.user, name="notebook", scopes=["read"], now=timezone.now())

    log_in(visitor.page, operator, sites=sites)
    visitor.visit("users", f"{admin}/user/")
    visitor.visit("user-add", f"{admin}/user/add/")
    visitor.visit("user-change", f"{admin}/user/{colleague.pk}/change/")
    visitor.visit("tokens", f"{admin}/apitoken/")
    visitor.visit("token-add", f"{admin}/apitoken/add/")
    visitor.visit("token", f"{admin}/apitoken/{token.pk}/change/")
    visitor.visit("token-revoke", f"{admin}/apitoken/{token.pk}/revoke/")
    visitor.visit("api-docs", f"{sites.public}{reverse('docs')}")

    assert "\n".join(f"{k}: {v}" for k, vs in visitor.problems.items() for v in vs) == ""


def test_token_is_made_copied_and_revoked(open_page: OpenPage, operator: Staff, sites: Sites) -> None:
    visitor = Visitor(open_page(permissions=["clipboard-read", "clipboard-write"]), size="flow")
    page = visitor.page
    log_in(visitor.page, operator, sites=sites)

    page.goto(f"{sites.public}/admin/hits/apitoken/add/")
    page.get_by_label("Name").fill("notebook")
    page.get_by_label("Export a batch's work").check()
    page.get_by_role("button", name="Create token").click()
    visitor._keep_picture("token-made")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("navigator.clipboard.readText()")
    page.get_by_role("link", name="Your tokens").click()
    page.get_by_role("link", name="Revoke notebook").click()
    page.get_by_role("button", name="Revoke it").click()
    page.get_by_text("is revoked").wait_for()

    token = find_token(secret=copied)
    assert token is not None
    assert token.scopes == ["export", "read"]
    assert ApiToken.objects.get().revoked_at is not None


def test_colleague_is_added_with_a_role_and_a_study(
    open_page: OpenPage, operator: Staff, sites: Sites
) -> None:
    study = make_study(name="Pictures and words")
    visitor = Visitor(open_page(), size="flow")
    page = visitor.page
    log_in(visitor.page, operator, sites=sites)

    page.goto(f"{sites.public}/admin/hits/user/add/")
    page.get_by_label("Username").fill("colleague")
    page.get_by_label("Password:", exact=True).fill(PASSWORD)
    page.get_by_label("Password confirmation:").fill(PASSWORD)
    page.get_by_label(RESEARCHER).check()
    page.get_by_label("Pictures and words").check()
    visitor._keep_picture("user-add-filled")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("was added successfully").wait_for()

    made = User.objects.get(username="colleague")
    assert [group.name for group in made.groups.all()] == [RESEARCHER]
    assert [*made.studies.all()] == [study]
