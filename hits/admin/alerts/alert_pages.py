"""What I am told: each person's own choices, a test message, and what they were told lately."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.views.decorators.http import require_POST

from hits.admin.alerts import hook_pages
from hits.admin.alerts.alert_forms import ChoicesForm
from hits.admin.alerts.told_lately import told_lately
from hits.admin.home import navigation
from hits.admin.home.navigation import MenuPlace, Page, Section
from hits.admin.page_parts import read_number
from hits.admin.selection import signed_in
from hits.alerts.models import Alert
from hits.alerts.queries.audience import PAGES, chooses_for, kinds_for
from hits.alerts.services.alert_choices import choose_alerts, mark_seen
from hits.alerts.services.queueing_alerts import is_mail_set, queue_test
from hits.core.errors import RuleBroken
from hits.identity.models.users import User
from hits.studies.models import Study

SHOWN = 50

navigation.add_page(
    Page(
        place=MenuPlace(Section.SET_UP, 6, "What I am told"),
        route="admin:hits_alerts",
        permissions=PAGES,
    )
)


def urls() -> list[URLPattern]:
    view = admin.site.admin_view
    return [
        path("told/", view(choices_view), name="hits_alerts"),
        path("told/seen/", view(require_POST(seen_view)), name="hits_alerts_seen"),
        path("told/test/", view(require_POST(send_test_view)), name="hits_alerts_test"),
        *hook_pages.urls(),
    ]


def choices_view(request: HttpRequest) -> HttpResponse:
    """Show and keep what the user is told: in all studies, or in the one that the address names."""
    user, now = signed_in(request), timezone.now()
    if not kinds_for(user):
        raise PermissionDenied
    study = _study(request, user)
    form = ChoicesForm(request.POST or None, user=user, study=study)
    if request.method == "POST" and form.is_valid():
        choose_alerts(user=user, study=study, hows=form.hows, now=now)
        messages.success(request, f"Kept: what you are told of {study or 'all studies'}.")
        return redirect(request.get_full_path())
    studies = list(chooses_for(user)[: SHOWN + 1])
    context = {
        **admin.site.each_context(request),
        "title": "What I am told",
        "form": form,
        "study": study,
        "studies": studies[:SHOWN],
        "more_studies": len(studies) > SHOWN,
        "mail_problem": mail_problem(user),
        "may_set_address": study is not None and request.user.has_perm("hits.change_study"),
        "told": told_lately(user, most=SHOWN),
    }
    status = 400 if form.is_bound and form.errors else 200
    return TemplateResponse(request, "admin/hits/alerts/choices.html", context, status=status)


def mail_problem(user: User) -> str:
    """Say why this user gets no e-mails, and who can change that."""
    if not is_mail_set():
        return (
            "No mail server is set, so nothing is sent by e-mail: you find it on the home page. Whoever runs "
            "this system names the server in the setting CROWD_EMAIL_URL."
        )
    if not user.email:
        return "Your account has no e-mail address, so nothing is sent to you. An operator can add it."
    return ""


def _study(request: HttpRequest, user: User) -> Study | None:
    if "study" not in request.GET:
        return None
    number = read_number(request.GET["study"])
    return get_object_or_404(chooses_for(user), pk=number)


def seen_view(request: HttpRequest) -> HttpResponse:
    mark_seen(user=signed_in(request), now=timezone.now())
    return redirect("admin:index")


def send_test_view(request: HttpRequest) -> HttpResponse:
    user = signed_in(request)
    if not kinds_for(user):
        raise PermissionDenied
    try:
        alert = queue_test(user=user, now=timezone.now())
    except RuleBroken as broken:
        messages.error(request, str(broken))
        return redirect("admin:hits_alerts")
    if alert.status == Alert.Status.WAITING:
        messages.success(request, f"A test message goes to {user.email} within seconds.")
    else:
        messages.warning(request, f"The test message stands below. {mail_problem(user)}")
    return redirect("admin:hits_alerts")
