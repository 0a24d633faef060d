"""Pages of actions on the rows of a study's project."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from hits.admin.actions import Action
from hits.admin.actions.action_pages import ActionPages
from hits.admin.projects.project_page import ProjectPages

Row = TypeVar("Row")
Trail = Sequence[tuple[str, str]]


def project_actions(
    pages: ProjectPages[Any],
    actions: Mapping[str, Action[Row]],
    *,
    find: Callable[..., Sequence[Row]],
    back: Callable[[Row], str],
    url: Callable[[Row, str], str] = lambda _row, _key: "",
    base: str = "admin/hits/project_base.html",
    trail: Callable[[Row], Trail] = lambda _: (),
    project_of: Callable[[Row], Any] | None = None,
    logged: Callable[[Row], Any] | None = None,
) -> ActionPages[Row]:
    """Make action pages. `back` and `trail` get the first row; the history is that of `logged`.

    A row is the project itself, or has one.
    """

    def own_project(row: Any) -> Any:
        return row if isinstance(row, pages.model) else row.project

    project_of, logged = project_of or own_project, logged or own_project
    return ActionPages(
        actions=actions,
        find=find,
        back=lambda rows: back(rows[0]),
        url=url,
        base=base,
        shared=lambda rows: pages.shared(project_of(rows[0]), trail=trail(rows[0])),
        history=lambda request, rows, words: pages.log_change(request, logged(rows[0]), words),
    )
