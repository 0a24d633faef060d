"""Blocks of workers: what one means, whom it affects, and how it is lifted."""

from collections.abc import Mapping
from functools import partial

from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import ngettext

from hits.admin.actions import Action, Call, Confirm, Outcome, one_by_one
from hits.admin.actions.action_pages import ActionPages
from hits.admin.actions.reason_form import words_form
from hits.admin.selection import carried, opts_of, selected_workers
from hits.identity.models.blocks import Block
from hits.identity.models.workers import Worker
from hits.people.queries.worker_record import workers_for
from hits.people.services import blocking

BASE = "admin/hits/worker/base.html"
BLOCK = ("hits.block_worker", "hits.view_worker")
Kind = Block.Kind
TITLES: Mapping[str, str] = {Kind.SOFT: "Block softly", Kind.HARD: "Block at the provider"}
WHICH: Mapping[str, str] = {
    Kind.SOFT: "a soft block, which holds on our pages alone",
    Kind.HARD: "a hard block, which the provider was told of too",
}
MEANINGS: Mapping[str, str] = {
    Kind.SOFT: "Our pages will take no new work of {whom}. The provider is not told, and it does not count "
    "against anybody there.",
    Kind.HARD: "Our pages will take no new work of {whom}, and the provider will offer them no HIT of the "
    "account. It is told the reason, and may count blocks against a worker: keep this kind for fraud, and "
    "block softly otherwise.",
}
READ_BY: Mapping[str, str] = {
    Kind.SOFT: "For the record. No worker reads it.",
    Kind.HARD: "For the record, and for the provider. No worker reads it here.",
}
LIFTED = {
    Block.Status.LIFTED: "The block is lifted.",
    Block.Status.LIFTING: "Our pages are open to this worker. The provider is being told.",
}


def show_block(request: HttpRequest, workers: QuerySet[Worker], *, kind: str) -> HttpResponse:
    """Show what the block means, before it is made."""
    return BLOCKING.ask_list(request, kind, list(workers), at=reverse("admin:hits_worker_block"))


def block_view(request: HttpRequest) -> HttpResponse:
    given = request.POST if request.method == "POST" else request.GET
    return BLOCKING.answer(request, given.get("kind", ""), workers=given.get("workers", ""))


def _find_workers(request: HttpRequest, workers: str) -> list[Worker]:
    if found := list(selected_workers(request, workers)):
        return found
    raise Http404


def _find_block(request: HttpRequest, block_id: int) -> list[Block]:
    blocks = Block.objects.select_related("worker__account", "by")
    return [get_object_or_404(blocks, pk=block_id, worker__in=workers_for(request.user).values("pk"))]


def _to_blocks(worker: Worker) -> str:
    return f"{reverse('admin:hits_worker_change', args=[worker.pk])}?show=blocks"


def _ask_to_block(call: Call[Worker], *, kind: str) -> Confirm:
    count = len(call.rows)
    whom = ngettext("this worker", "these workers", count)
    accounts = ", ".join(sorted({str(worker.account) for worker in call.rows}))
    return Confirm(
        title=TITLES[kind],
        text=MEANINGS[kind].format(whom=whom),
        detail="admin/hits/worker/people.html",
        details={"workers": call.rows},
        consequences=[
            f"It concerns the whole account {accounts}, in every study.",
            "Work in progress can still be finished, and is paid. You can lift it at any time.",
        ],
        button=f"{TITLES[kind]}: {ngettext('%d worker', '%d workers', count) % count}",
        hidden=[("kind", kind)],
    )


def _block(call: Call[Worker], *, kind: str) -> Outcome:
    block = partial(blocking.block_worker, kind=kind, reason=call.values["reason"], by=call.by, now=call.now)
    made, problems = one_by_one(call.rows, lambda worker: block(worker=worker))
    words = ngettext("Blocked %d worker.", "Blocked %d workers.", made) % made
    return Outcome(said=f"{words} It can be lifted on the worker’s page." if made else "", problems=problems)


def _blocking(kind: str) -> Action[Worker]:
    return Action(
        label=TITLES[kind],
        permissions=BLOCK,
        form=words_form("reason", "Reason", longest=blocking.LONGEST_REASON, help_text=READ_BY[kind]),
        confirm=partial(_ask_to_block, kind=kind),
        run=partial(_block, kind=kind),
    )


def _ask_to_lift(call: Call[Block]) -> Confirm:
    block, worker = call.row, call.row.worker
    made = f"{block.by} made it on {date_format(block.made_at, 'j M Y, H:i')}: “{block.reason}”"
    told = ", and the provider is told to offer them the account’s HITs" if block.kind == Kind.HARD else ""
    return Confirm(
        title="Lift the block",
        text=f"{worker} on {worker.account} has {WHICH[block.kind]}. {made}",
        consequences=[
            f"Once it is lifted, our pages take this worker’s work again{told}.",
            "Blocks of the other kind stay.",
        ],
    )


def _lift(call: Call[Block]) -> Outcome:
    blocking.lift_block(block=call.row, by=call.by, now=call.now, because=call.values["reason"])
    return Outcome(said=LIFTED.get(Block.Status(call.row.status), ""))


def _ask_again(call: Call[Block]) -> Outcome:
    """Ask the provider again after its refusal."""
    blocking.ask_again(block=call.row, by=call.by, now=call.now)
    return Outcome(said="The provider is being asked again.")


BLOCKING = ActionPages(
    actions={kind: _blocking(kind) for kind in Kind.values},
    find=_find_workers,
    back=lambda workers: (
        _to_blocks(workers[0]) if len(workers) == 1 else reverse("admin:hits_worker_changelist")
    ),
    base=BASE,
    shared=lambda _: {"opts": opts_of(Worker)},
    carried=lambda workers: [("workers", carried(workers))],
)
BLOCKS = ActionPages(
    actions={
        "lift": Action(
            label="Lift the block",
            permissions=BLOCK,
            form=words_form(
                "reason",
                "Why it is lifted (may stay empty)",
                longest=blocking.LONGEST_REASON,
                help_text="For the record, beside the block. No worker and no provider reads it.",
                is_optional=True,
            ),
            confirm=_ask_to_lift,
            run=_lift,
        ),
        "again": Action(label="Ask the provider again", permissions=BLOCK, run=_ask_again, one_click=True),
    },
    find=_find_block,
    back=lambda blocks: _to_blocks(blocks[0].worker),
    base=BASE,
    shared=lambda blocks: {"opts": opts_of(Worker), "worker": blocks[0].worker},
)
