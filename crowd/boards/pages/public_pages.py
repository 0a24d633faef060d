"""Pages of released data for everybody: of releases whose board is open, without what is kept back."""

from uuid import UUID

from django.core.cache import cache
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from crowd import family as families
from crowd.benchmarks.services.benchmark_results import task_of
from crowd.boards.models import Board
from crowd.boards.pages.card_html import card_html
from crowd.boards.queries.board_tables import REMEMBERED_S, benchmarks_of, public_tables, tables_key
from crowd.boards.queries.citations import bibtex_of, citation_of
from crowd.boards.queries.release_examples import examples_of
from crowd.boards.services.board_links import address_of_board
from crowd.boards.services.board_states import count_download
from crowd.releases.admin.file_answers import send_file
from crowd.releases.family_contents import contents_of
from crowd.releases.files.stores import StoreAway
from crowd.releases.services.file_downloads import open_stored
from hits.admin.stat_tables import send_table
from hits.common import rates
from hits.common.client_address import address_of

A_PAGE = 50
# Files that one address may take within an hour.
MOST_FILES = 300
WINDOW_S = 3600
TOO_MANY = "You have taken many files within an hour. Take the rest later."


def open_boards() -> QuerySet[Board]:
    return Board.objects.filter(is_open=True).select_related("release__study")


@require_safe
def index(request: HttpRequest) -> HttpResponse:
    """List what is published here, the newest first."""
    page = Paginator(open_boards().order_by("-opened_at", "-pk"), A_PAGE).get_page(request.GET.get("page"))
    rows = [(board, families.get(board.release.family).name) for board in page]
    return render(request, "boards/index.html", {"page": page, "rows": rows})


@require_safe
def page(request: HttpRequest, release_id: UUID) -> HttpResponse:
    board = _find(release_id)
    release, address = board.release, address_of_board(board)
    context = {
        "board": board,
        "release": release,
        "about": families.get(release.family).name,
        "items": contents_of(release).items,
        "counts": release.counts.get("files", {}).items(),
        "examples": examples_of(release),
        "tables": cache.get_or_set(tables_key(board), lambda: _tables(board), REMEMBERED_S),
        "card": card_html(release),
        "citation": citation_of(board, address=address),
        "bibtex": bibtex_of(board, address=address),
    }
    return render(request, "boards/page.html", context)


@require_safe
def file(request: HttpRequest, release_id: UUID, name: str) -> HttpResponseBase:
    board = _find(release_id)
    if not _may_take_more(request):
        return _problem(request, board, TOO_MANY, 429)
    try:
        opened = open_stored(board.release, name)
    except StoreAway:
        return _problem(request, board, "The files cannot be reached at the moment. Try again later.", 503)
    if opened is None:
        raise Http404
    count_download(board)
    return send_file(board.release, name, opened)


@require_safe
def table(request: HttpRequest, release_id: UUID, task: str, name: str, form: str) -> HttpResponseBase:
    board = _find(release_id)
    if not _may_take_more(request):
        return _problem(request, board, TOO_MANY, 429)
    benchmark = get_object_or_404(board.release.benchmarks.select_related("release__study"), task=task)
    return send_table(public_tables(benchmark), name, form=form, study=board.release.study)


def _may_take_more(request: HttpRequest) -> bool:
    return rates.spend("boards.file", address_of(request), most=MOST_FILES, window_s=WINDOW_S)


def _tables(board: Board) -> str:
    """Return the tables of all tasks as HTML; empty where there is no task."""
    shown = [(task_of(one), public_tables(one)) for one in benchmarks_of(board)]
    return (
        render_to_string("boards/tables.html", {"release": board.release, "boards": shown}) if shown else ""
    )


def _find(release_id: UUID) -> Board:
    return get_object_or_404(open_boards(), release__public_id=release_id)


def _problem(request: HttpRequest, board: Board, words: str, status: int) -> HttpResponse:
    context = {"release": board.release, "words": words}
    return render(request, "boards/problem.html", context, status=status)
