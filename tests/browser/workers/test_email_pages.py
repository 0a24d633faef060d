"""E-mail, forgotten passwords and registration in a real browser: the pages, and the way through them."""

import pytest
from django.conf import LazySettings
from django.contrib.auth.hashers import make_password
from django.core import mail
from django.utils import timezone
from playwright.sync_api import ViewportSize, expect

from crowd.marketplace.desk.session import COOKIE
from crowd.marketplace.models import EmailAddress
from crowd.marketplace.models.parties import Operator, Worker
from crowd.marketplace.services import accounts, email_addresses, operators, password_resets
from tests.browser.conftest import OpenPage
from tests.browser.looking import SIZES, Visitor
from tests.browser.stage import sign_in
from tests.conftest import Sites
from tests.crowd.marketplace.mailing import path_in, sent
from tests.factories import invite

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]
ALSO_NARROW: dict[str, ViewportSize] = {**SIZES, "narrow": {"width": 360, "height": 640}}
PASSWORD = "a plain long sentence"
LONG = "somebody.with.a.very.long.name.indeed@department.of.computational.linguistics.example.org"


@pytest.fixture(autouse=True)
def _open(settings: LazySettings) -> None:
    settings.MARKETPLACE_OPEN_REGISTRATION = settings.MARKETPLACE_REGISTRATIONS_WAIT = True
    settings.EMAIL_HOST = "mail.example.org"
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture(params=ALSO_NARROW)
def visitor(request: pytest.FixtureRequest, open_page: OpenPage) -> Visitor:
    page = open_page(viewport=ALSO_NARROW[request.param], reduced_motion="reduce")
    return Visitor(page, size=request.param)


def known(**values: str) -> EmailAddress:
    worker, _ = invite(now=timezone.now())
    Worker.objects.filter(pk=worker.pk).update(sign_in_name="jo.doe", password=make_password(PASSWORD))
    worker.refresh_from_db()
    return EmailAddress.objects.create(worker=worker, language="en", **values)


def test_pages_of_e_mail_look_right(visitor: Visitor, sites: Sites, settings: LazySettings) -> None:
    now = timezone.now()
    mine = known(address="jo@example.org", unconfirmed=LONG)
    confirm = email_addresses.sign_confirmation(mine, asked_at=now)
    reset = password_resets.sign_reset(mine.worker, asked_at=now)

    visitor.visit("email-sign-in", f"{sites.marketplace}/sign-in/")
    visitor.visit("email-forgot", f"{sites.marketplace}/password/")
    visitor.visit("email-reset", f"{sites.marketplace}/password/{reset}/")
    visitor.visit("email-reset-over", f"{sites.marketplace}/password/nonsense/", status=404)
    visitor.visit("email-confirm", f"{sites.marketplace}/email/confirm/{confirm}/")
    visitor.visit("email-confirm-over", f"{sites.marketplace}/email/confirm/nonsense/", status=404)
    stop = email_addresses.sign_stop(mine, now=now)
    visitor.visit("email-stop", f"{sites.marketplace}/email/stop/{stop}/")
    visitor.visit("email-register", f"{sites.marketplace}/register/")
    sign_in(visitor.page.context, mine.worker, sites=sites)
    visitor.visit("email-settings", f"{sites.marketplace}/settings/")

    assert visitor.problems == {}


def test_pages_of_registration_look_right(visitor: Visitor, sites: Sites) -> None:
    now = timezone.now()
    for number, name in enumerate(("Jo", "A name that goes on and on until it hardly fits into a line")):
        worker = accounts.register(
            name=name, sign_in_name=f"jo-{number}", password=PASSWORD, waits=True, now=now
        )
        EmailAddress.objects.create(worker=worker, language="en", unconfirmed=LONG)
    operator = Operator.objects.create(sign_in_name="desk", password="!", created_at=now)
    sign_in(visitor.page.context, worker, sites=sites)
    visitor.visit("email-waiting", sites.marketplace)
    token = operators.open_session(operator, now=now)
    visitor.page.context.add_cookies(
        [{"name": COOKIE, "value": token, "domain": "localhost", "path": "/desk/"}]
    )
    visitor.visit("email-desk", f"{sites.marketplace}/desk/")
    visitor.visit("email-desk-workers", f"{sites.marketplace}/desk/workers/")
    visitor.visit("email-desk-registrations", f"{sites.marketplace}/desk/workers/registrations/")
    visitor.visit("email-desk-worker", f"{sites.marketplace}/desk/workers/{worker.external_id}/")
    visitor.visit("email-desk-invite", f"{sites.marketplace}/desk/workers/invite/")

    assert visitor.problems == {}


def test_a_forgotten_password_is_replaced_by_hand(open_page: OpenPage, sites: Sites) -> None:
    known(address="jo@example.org")
    page = open_page()

    page.goto(f"{sites.marketplace}/sign-in/")
    page.get_by_role("link", name="Forgot your password?").click()
    page.get_by_label("Sign-in name or e-mail address").fill("JO@example.org")
    page.get_by_role("button", name="Send me a link").click()
    expect(page.get_by_role("heading", name="Look at your e-mails")).to_be_visible()
    [letter] = sent()
    page.goto(sites.marketplace + path_in(letter, part="/password/"))
    expect(page.get_by_label("Sign-in name")).to_have_value("jo.doe")
    page.get_by_label("New password", exact=True).fill("another plain sentence")
    page.get_by_label("New password again").fill("another plain sentence")
    page.get_by_role("button", name="Set the password").click()

    expect(page.get_by_role("status")).to_contain_text("Saved.")
    assert len(mail.outbox) == 1


def test_a_registration_is_declined_by_hand(open_page: OpenPage, sites: Sites) -> None:
    now = timezone.now()
    accounts.register(name="Jo", sign_in_name="jo.doe", password=PASSWORD, waits=True, now=now)
    token = operators.open_session(
        Operator.objects.create(sign_in_name="desk", password="!", created_at=now), now=now
    )
    page = open_page()
    page.context.add_cookies([{"name": COOKIE, "value": token, "domain": "localhost", "path": "/desk/"}])

    page.goto(f"{sites.marketplace}/desk/")
    page.get_by_role("link", name="1", exact=True).click()
    page.get_by_label("Jo, ").check()
    page.get_by_role("button", name="Decline…").click()
    page.get_by_role("button", name="Decline and delete").click()

    expect(page.get_by_role("status")).to_contain_text("1 registration declined.")
    assert Worker.objects.count() == 0
