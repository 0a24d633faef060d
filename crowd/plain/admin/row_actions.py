"""Actions on the rows that wait: ask about them, or delete them. Both state the consequences first."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.http import HttpRequest, HttpResponse

from crowd.plain.models import Project, Row
from crowd.plain.queries.asked_roles import roles_to_ask
from crowd.plain.queries.described_pages import described
from crowd.plain.services.posted_rows import ask_rows, waiting_rows
from crowd.plain.services.uploading import drop_rows
from hits.admin.actions import Action, Call, Confirm, Outcome, RowButton
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_page import ProjectPages
from hits.identity.models.users import User

Pages = ProjectPages[Any]
CHANGE = "plain.change_project"


def offered_for(pages: Pages, project: Project, *, user: User) -> Sequence[RowButton]:
    return _pages(pages).offered(project, user=user)


def action_view(pages: Pages, request: HttpRequest, pk: int, key: str) -> HttpResponse:
    return _pages(pages).answer(request, key, pk=pk)


def _pages(pages: Pages) -> ActionPages[Project]:
    def find(request: HttpRequest, pk: int) -> Sequence[Project]:
        return [pages.find(request, pk, CHANGE)]

    return ActionPages(
        actions=ACTIONS,
        find=find,
        back=lambda projects: pages.address(projects[0]),
        url=lambda project, key: pages.address(project, "do", key),
        base="admin/hits/project_base.html",
        shared=lambda projects: pages.shared(projects[0]),
        history=lambda request, projects, words: pages.log_change(request, projects[0], words),
    )


def _nothing_waits(call: Call[Project]) -> str:
    description = described(call.row)
    return "" if description and waiting_rows(description) else "No row waits."


def _ask_about_asking(call: Call[Project]) -> Confirm:
    project, description = call.row, described(call.row)
    waiting = waiting_rows(description) if description else 0
    by_role = roles_to_ask(description) if description and description.page.role_column else {}
    people = project.answers_wanted
    earlier = Row.objects.filter(description__project=project, item__pulled_at=None, item__isnull=False)
    pulled = earlier.exclude(description=description).count()
    said = ", ".join(f"{role} {count}" for role, count in by_role.items())
    consequences = [
        f"Everybody who has worked in one of these roles by now is asked once: {said}."
        if by_role
        else f"Rows: {waiting}. Different people for each: {people}. Answers wanted: {waiting * people}.",
        "From then on the page stays as it is. What you change later is a new version.",
        "Nothing is spent before you launch a batch; a batch that runs already asks about them at once.",
    ]
    if pulled:
        consequences.append(
            f"Rows of earlier versions that nobody new is asked about from then on: {pulled}."
        )
    return Confirm(
        text="Workers are asked about every row that waits.",
        consequences=consequences,
        hidden=[("seen", waiting)],
        button="Ask workers about the rows",
    )


def _ask(call: Call[Project]) -> Outcome:
    seen = call.sent.get("seen", "")
    count = ask_rows(project=call.row, seen=int(seen) if seen.isdecimal() else -1, now=call.now)
    said = f"Rows asked about: {count}. Workers see them in a batch that you launch below."
    return Outcome(said=said, history=f"Asked about {count} rows.")


def _ask_about_dropping(call: Call[Project]) -> Confirm:
    return Confirm(text="The rows that wait are deleted. Rows that workers are asked about stay.")


def _drop(call: Call[Project]) -> Outcome:
    count = drop_rows(project=call.row)
    return Outcome(said=f"Rows deleted: {count}.", history=f"{count} waiting rows were deleted.")


ACTIONS: Mapping[str, Action[Project]] = {
    "ask": Action(
        label="Ask about the rows that wait",
        run=_ask,
        confirm=_ask_about_asking,
        refuses=_nothing_waits,
        permissions=[CHANGE],
    ),
    "drop": Action(
        label="Delete the waiting rows",
        run=_drop,
        confirm=_ask_about_dropping,
        permissions=[CHANGE],
        is_grave=True,
    ),
}
