"""Ways for staff to reach their pages: through the form, or with an earlier session."""

from django.conf import settings
from playwright.sync_api import Page

from crowd.demo.demo_people import Staff
from hits.identity.models.users import User
from hits.studies.models import Study
from tests.conftest import Sites
from tests.factories import make_user
from tests.people import client_of, make_member

PASSWORD = "a long enough one"


def make_staff(role: str, *studies: Study) -> Staff:
    return Staff(user=make_member(role, *studies, password=PASSWORD), password=PASSWORD)


def log_in(page: Page, staff: Staff, *, sites: Sites) -> None:
    page.goto(f"{sites.public}/admin/login/")
    page.get_by_label("Username").fill(staff.user.username)
    page.get_by_label("Password").fill(staff.password)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="Home", exact=True).wait_for()


def let_in(page: Page, user: User, *, sites: Sites) -> None:
    """Give the page the session of a user who has logged in before."""
    name = settings.SESSION_COOKIE_NAME
    session = client_of(user).cookies[name].value
    page.context.add_cookies([{"name": name, "value": session, "url": sites.public}])


def enter(page: Page, sites: Sites) -> None:
    """Give the page the session of a user who may do everything."""
    let_in(page, make_user(is_superuser=True), sites=sites)
