"""Designers in a real browser: from the HIT into the workspace, and how all their pages look."""

from decimal import Decimal

import pytest
from django.urls import reverse
from django.utils import timezone
from playwright.sync_api import Page, expect

from crowd.marketplace import queries
from crowd.marketplace.services.work import accept_hit
from crowd.whoops import domain
from crowd.whoops.design.services import designer_pay, submissions, workspace_links
from crowd.whoops.design.services.invitations import want_designers
from crowd.whoops.models import Designer, Image
from tests.browser.doors import enter
from tests.browser.looking import Visitor
from tests.browser.stage import launch, open_account, sign_in
from tests.conftest import Sites
from tests.crowd.whoops.design.test_designer_pay import accept
from tests.crowd.whoops.making_designers import (
    TEXTS,
    make_category,
    make_designer,
    make_fit_picture,
    make_project,
    png,
    send,
)
from tests.factories import invite, make_batch, make_user

pytestmark = [pytest.mark.needs_chromium, pytest.mark.django_db(transaction=True)]


def fill(page: Page, **changes: str) -> None:
    labels = {
        "What would be normal": TEXTS["normal_element"],
        "What it goes with": TEXTS["shared_element"],
        "What stands there instead": TEXTS["weird_element"],
        "Why it is weird, in one sentence": TEXTS["explanation"],
        "Prompt": TEXTS["prompt"],
        "Made with": TEXTS["tool"],
        **changes,
    }
    for label, text in labels.items():
        page.get_by_label(label, exact=True).fill(text)


def choose_picture(page: Page, name: str = "snowman.png") -> None:
    page.get_by_label("Picture", exact=True).set_input_files(
        {"name": name, "mimeType": "image/png", "buffer": png()}
    )


def come_back(image: Image, reason: str) -> None:
    Image.objects.filter(pk=image.pk).update(state=Image.State.RETURNED)
    image.revisions.filter(number=image.revision).update(
        outcome="returned", reason=reason, ended_at=timezone.now()
    )


def test_a_worker_takes_the_hit_sends_an_image_and_hands_in(page: Page, sites: Sites) -> None:
    """The worker is in the marketplace's sandboxed frame, so the workspace's tab has no cookies either."""
    make_category("Physics")
    project = make_project()
    want_designers(project=project, places=1)
    launch(make_batch(study=project.study, account=open_account(sites), task=domain.DESIGN, duration_s=3600))
    now = timezone.now()
    worker, _ = invite(now=now)
    accepted = accept_hit(hit_id=queries.open_hits(worker=worker, now=now).get().pk, worker=worker, now=now)
    sign_in(page.context, worker, sites=sites)
    page.goto(f"{sites.marketplace}/work/{accepted.external_id}/")
    frame = page.frame_locator("iframe")
    frame.get_by_role("button", name="Submit").click()
    expect(frame.get_by_role("alert")).to_contain_text("You have not sent an image yet")

    with page.context.expect_page() as opened:
        frame.get_by_role("link", name="Open your workspace").click()
    desk = opened.value
    desk.get_by_role("main").get_by_role("link", name="New image").click()
    fill(desk)
    expect(desk.locator("[data-pair]")).to_have_text(
        "“A kettle with a gas stove” became “A snowman with a gas stove”."
    )
    choose_picture(desk)
    desk.get_by_role("button", name="Send the image to the control group").click()
    expect(desk.get_by_role("alert")).to_contain_text("This field is required")
    expect(desk.get_by_text("This picture is kept.")).to_be_visible()
    expect(desk.get_by_label("Prompt", exact=True)).to_have_value(TEXTS["prompt"])
    desk.get_by_label("What kind of common sense it goes against").select_option("Physics")
    desk.get_by_role("button", name="Send the image to the control group").dblclick()
    expect(desk.get_by_role("status")).to_contain_text("Sent.")
    image = Image.objects.get()

    come_back(image, "One of three saw it.")
    desk.reload()
    expect(desk.get_by_text("One of three saw it.").first).to_be_visible()
    desk.get_by_role("link", name="Change the image and send it again").click()
    desk.get_by_label("Why it is weird, in one sentence").fill("Snow melts over a flame.")
    desk.get_by_role("button", name="Send the image again").click()
    expect(desk.get_by_role("heading", name="Revision 2")).to_be_visible()
    desk.get_by_role("link", name="Add a normal image").click()
    choose_picture(desk, "kettle.png")
    desk.get_by_role("button", name="Save the picture").click()
    expect(desk.get_by_role("status")).to_contain_text("kept beside this image")

    page.frame_locator("iframe").get_by_role("button", name="Submit").click()
    expect(page.get_by_text("Thank you").or_(page.get_by_text("submitted")).first).to_be_visible()
    image.refresh_from_db()
    assert (image.revision, image.state, image.partners.get().kind) == (2, "control", "normal")
    assert Designer.objects.get().is_paid


def test_the_pages_look_well(visitor: Visitor, sites: Sites) -> None:
    project = make_project(guide="Only one thing is weird.\nNo known people, please.", image_pay=Decimal(6))
    new = make_designer(project, name="Newcomer")
    designer = make_designer(project, name="First", is_paid=True)
    images = [send(designer) for _ in range(4)]
    accepted = accept(images[0])
    designer_pay.owe_image(image=accepted, by=make_user(), now=timezone.now())
    come_back(images[1], "Two of three people saw only a stove. Make the snowman larger, please.")
    submissions.withdraw(image=images[2], now=timezone.now())
    submissions.set_partner(
        image=images[3], kind="normal", picture=make_fit_picture(), texts=TEXTS, now=timezone.now()
    )
    first, other = (f"{sites.public}{workspace_links.path_of(one)}" for one in (new, designer))

    visitor.visit("design-empty", first)
    visitor.visit("design-new", f"{first}new/")
    visitor.visit("design-guidelines", f"{first}guidelines/")
    visitor.visit("design-home", other)
    for name, image in zip(("accepted", "returned", "withdrawn", "control"), images, strict=True):
        visitor.visit(f"design-{name}", f"{other}{image.public_id}/")
    visitor.visit("design-again", f"{other}{images[1].public_id}/again/")
    visitor.visit("design-withdraw", f"{other}{images[1].public_id}/withdraw/")
    visitor.visit("design-partner", f"{other}{images[3].public_id}/natural/")
    visitor.visit("design-unknown", f"{sites.public}/design/nonsense/", status=403)
    visitor.visit("design-missing", f"{first}{images[0].public_id}/", status=404)

    enter(visitor.page, sites)
    at = (project.pk,)
    one = (project.pk, designer.public_id)
    visitor.visit("desk-designers", sites.public + reverse("admin:whoops_designers", args=at))
    visitor.visit("desk-invite", sites.public + reverse("admin:whoops_invite", args=at))
    visitor.visit("desk-designer", sites.public + reverse("admin:whoops_designer", args=one))
    visitor.visit("desk-change", sites.public + reverse("admin:whoops_change_designer", args=one))
    visitor.visit("desk-active", sites.public + reverse("admin:whoops_designer_active", args=one))
    visitor.visit("desk-categories", sites.public + reverse("admin:whoops_category_changelist"))

    assert visitor.problems == {}
