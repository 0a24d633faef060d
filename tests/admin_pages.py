"""Every page of the admin, with rows for all of them to show: to count queries and to time them."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.db.models import Model
from django.urls import NoReverseMatch, reverse

from crowd.winogavil.models import Game
from crowd.winogavil.services.seeded_associations import seed_picture_set
from crowd.winogavil.services.withdrawal import report_cue
from crowd.winoventi.domain.outcomes import QUESTIONS
from crowd.winoventi.models import Choice, FilterScore, Judgement, Project, Prompt
from crowd.winoventi.procedure.services.projects import add_nouns, open_project
from hits.batches.models import BatchEvent
from hits.core import crypto
from hits.identity.models.blocks import Block
from hits.identity.models.users import User
from hits.identity.models.workers import Worker
from hits.ledger.models.bonuses import Bonus
from hits.ledger.models.transfers import LedgerEntry
from hits.payments.models.matches import Deposit, Difference, Match
from hits.payments.models.runs import Halt, Run
from hits.payments.services import bonus_runs
from hits.people.models import Disclosure, Message, Recipient
from hits.providers.models.accounts import Account, Stranger
from hits.review.models import Appeal
from hits.studies.models import Batch, Study
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision, Note
from hits.work.models.hits import HIT, Change
from hits.work.models.items import Item
from hits.work.models.leases import Lease
from qualifications.models import (
    Attempt,
    Consent,
    ConsentText,
    Demographics,
    Gate,
    Holding,
    PlatformType,
)
from tests.crowd.winoventi.rows import make_pair
from tests.factories import (
    make_account,
    make_association,
    make_batch,
    make_consent_text,
    make_picture,
    make_study,
)
from tests.family_pages import family_pages, fill_families

EACH = 3
CHUNK = 2_000
# States of twenty assignments in a row.
FATES = (
    "approved", "submitted", "approved", "opened", "approved", "rejected", "approved", "gone",
    *["approved"] * 7, "submitted", "submitted", "submitted", "gone", "opened",
)  # fmt: skip


def make_colleague(studies: Sequence[Study]) -> User:
    """Make a colleague who may do everything but sees studies by membership: others' pages query less."""
    user, _ = User.objects.get_or_create(username="colleague", defaults={"is_staff": True})
    group, _ = Group.objects.get_or_create(name="everything")
    group.permissions.set(Permission.objects.exclude(codename="see_all_studies"))
    user.groups.add(group)
    for study in studies:
        study.members.add(user)
    return user


def fill(*, hits: int, batches: int, now: datetime) -> User:
    """Make so many HITs with three assignments each, and some of all that can belong to them."""
    account = make_account()
    studies = [make_study() for _ in range(2)]
    user = make_colleague(studies)
    workers = _make_workers(account, count=max(20, hits // 20), now=now)
    for number in range(batches):
        # The first one is as large as all the others together.
        size = hits // 2 if number == 0 else hits // 2 // (batches - 1)
        batch = make_batch(
            study=studies[number % 2],
            account=account,
            status="open",
            review_by="hand",
            launched_at=now - timedelta(days=2),
            hits_wanted=size,
        )
        _fill_batch(batch, size=size, workers=workers, by=user, now=now)
        make_batch(study=studies[0], account=account, title=f"Draft {number}")
    _fill_people(account, studies[0], workers=workers, by=user, now=now)
    _fill_payments(account, studies, now=now)
    _fill_gates(account, studies[1], workers=workers, now=now)
    _fill_game(studies[0], worker=workers[0], count=batches, now=now)
    _fill_procedure(studies[0], worker=workers[0], count=batches, now=now)
    _fill_consent(studies[0], workers=workers, count=batches, now=now)
    works = {work.worker_id: work for work in Assignment.objects.filter(hit__batch__study=studies[0])}
    fill_families(studies[0], works=list(works.values()), count=batches, now=now)
    return user


def pages() -> Iterator[tuple[str, str]]:
    """Yield name and address of each page: lists, one row of each list, and all other pages."""
    yield "index", reverse("admin:index")
    for model in admin.site._registry:
        yield from _pages_of(model)
    largest = Batch.objects.exclude(launched_at=None).order_by("pk")[0]
    yield from _pages_of_consent()
    draft = Batch.objects.filter(launched_at=None).order_by("-pk")[0]
    hit = HIT.objects.filter(batch=largest, status="open").order_by("pk")[0]
    work = Assignment.objects.filter(hit__batch=largest, status="submitted").order_by("pk")[0]
    gate = Gate.objects.order_by("pk")[0]
    yield "gate: switch", reverse("admin:qualifications_gate_switch", args=[gate.pk])
    yield "gate: change", reverse("admin:qualifications_gate_edit", args=[gate.pk])
    yield "gate: give by hand", reverse("admin:qualifications_give", args=[gate.pk])
    yield "holdings of a gate", f"{reverse('admin:qualifications_holding_changelist')}?gate={gate.pk}"
    yield "concepts that still need a picture", reverse("admin:pictures_wanted")
    yield "papers of a study", reverse("admin:papers_of_study", args=[largest.study_id])
    yield "set up as in a paper", reverse("admin:papers_set_up", args=[largest.study_id, "winogavil"])
    yield "draw picture sets", reverse("admin:winogavil_draw")
    project = Project.objects.order_by("-pk")[0]
    for name in ("settings", "nouns", "cut", "data", "ask_model", "upload_model", "errors"):
        yield f"exception procedure: {name}", reverse(f"admin:winoventi_{name}", args=[project.pk])
    yield from family_pages()
    yield "live view", reverse("admin:hits_batch_live", args=[largest.pk])
    yield "live view, fragment", reverse("admin:hits_batch_live", args=[largest.pk]) + "?fragment"
    for verb in ("drain", "extend", "add-hits", "add-places"):
        yield f"steer: {verb}", reverse("admin:hits_batch_steer", args=[largest.pk, verb])
    yield "export, form", reverse("admin:hits_batch_export", args=[largest.pk])
    yield "wages", reverse("admin:hits_wages", args=[largest.pk])
    yield "wages: propose", reverse("admin:hits_wages_propose", args=[largest.pk])
    yield "owe again", reverse("admin:hits_owe_again", args=[largest.pk])
    yield from _pages_of_payments(largest)
    yield "launch page", reverse("admin:hits_batch_launch", args=[draft.pk])
    yield "preview of a batch", reverse("admin:frame_preview", args=[draft.pk])
    for step in ("what", "terms", "people"):
        yield from _if_there(f"guide: {step}", "hits_batch_step", draft.pk, step)
    yield "HITs of a batch", f"{reverse('admin:hits_hit_changelist')}?batch={largest.pk}&status__exact=open"
    yield "HITs found by id", f"{reverse('admin:hits_hit_changelist')}?q={hit.public_id}"
    yield "HIT: add places", reverse("admin:hits_hit_steer", args=[hit.pk, "add-places"])
    of_batch = f"?hit__batch__exact={largest.pk}"
    yield "assignments of a batch", reverse("admin:hits_assignment_changelist") + of_batch
    yield "work", reverse("admin:hits_assignment_work", args=[work.pk])
    yield from _if_there("review", "hits_assignment_review")
    yield from _if_there("quality of the answers", "scoring_quality", largest.study_id)
    yield from _if_there("how many items", "scoring_needed_items", largest.study_id)
    for name, address in _if_there("review of a batch", "hits_assignment_review"):
        yield name, f"{address}?batch={largest.pk}"
    for name, address in _if_there("review by a rule", "hits_assignment_by_rule"):
        yield name, f"{address}?asked=yes&batch={largest.pk}&kind=approve&score_from=10"


def _pages_of_payments(batch: Batch) -> Iterator[tuple[str, str]]:
    for name in ("payments", "payment_queue", "halts", "close", "run_prepare"):
        yield name.replace("_", " "), reverse(f"admin:hits_{name}")
    refused = Bonus.objects.filter(status="refused").order_by("pk")[0]
    yield "payment: decide anew", reverse("admin:hits_payment_act", args=[refused.pk, "decide_anew"])
    yield "differences", reverse("admin:hits_difference_changelist")
    yield "differences, closed", f"{reverse('admin:hits_difference_changelist')}?state=closed"
    difference = Difference.objects.order_by("-pk")[0]
    yield "difference: one", reverse("admin:hits_difference_change", args=[difference.pk])
    yield "deposits", reverse("admin:hits_deposits", args=[batch.account_id])
    yield "books of a study", reverse("admin:hits_ledger_study", args=[batch.study_id])
    yield "appeals, overdue", f"{reverse('admin:hits_appeal_changelist')}?waiting=overdue"
    for status in ("draft", "frozen"):
        run = Run.objects.filter(status=status).order_by("-pk")[0]
        yield f"run, {status}", reverse("admin:hits_run_change", args=[run.pk])
        yield f"run, {status}: file", reverse("admin:hits_run_file", args=[run.pk])


def _pages_of_consent() -> Iterator[tuple[str, str]]:
    text = ConsentText.objects.order_by("pk")[0]
    for name in ("consent", "consent_draft", "withdrawn", "people"):
        yield name.replace("_", " "), reverse(f"admin:qualifications_{name}", args=[text.study_id])
    yield "consent: publish", reverse("admin:qualifications_consent_publish", args=[text.pk])


def _pages_of(model: type[Model]) -> Iterator[tuple[str, str]]:
    options = model._meta
    place = f"{options.app_label}_{options.model_name}"
    # Several families have a model "project".
    name = (
        f"{options.app_label} {options.model_name}" if options.model_name == "project" else options.model_name
    )
    yield f"{name}: list", reverse(f"admin:{place}_changelist")
    row = model._default_manager.order_by("-pk").first()
    if row is not None:
        yield f"{name}: one", reverse(f"admin:{place}_change", args=[row.pk])


def _if_there(name: str, view: str, *args: Any) -> Iterator[tuple[str, str]]:
    try:
        yield name, reverse(f"admin:{view}", args=args)
    except NoReverseMatch:
        return


def _make_workers(account: Account, *, count: int, now: datetime) -> list[Worker]:
    ids = [f"AWORKER{number}OF{account.pk}" for number in range(count)]
    rows = [
        Worker(
            account=account,
            external_id=external_id,
            external_id_index=crypto.blind_index(str(account.public_id), external_id),
            pseudonym=crypto.pseudonym(str(account.public_id), external_id),
        )
        for external_id in ids
    ]
    return Worker.objects.bulk_create(rows, batch_size=CHUNK)


def _fill_batch(batch: Batch, *, size: int, workers: list[Worker], by: User, now: datetime) -> None:
    began = now - timedelta(days=2)
    hits = HIT.objects.bulk_create(
        [
            HIT(
                batch=batch,
                number=number,
                status="open" if number % 3 else "closed",
                external_id=f"H{batch.pk}X{number}",
                max_assignments=EACH,
                sent_at=began,
                expires_at=now + timedelta(days=5),
                closed_at=None if number % 3 else now,
                look_at=now,
            )
            for number in range(1, size + 1)
        ],
        batch_size=CHUNK,
    )
    work = Assignment.objects.bulk_create(_work(batch, hits, workers=workers, now=now), batch_size=CHUNK)
    approved = [row for row in work if row.status == "approved"]
    Bonus.objects.bulk_create(
        [
            Bonus(assignment=row, rule="all right", amount="0.01", reason="All right.", owed_at=now)
            for row in approved[::2]
        ],
        batch_size=CHUNK,
    )
    Decision.objects.bulk_create(
        [
            Decision(
                assignment=row,
                kind="reject" if row.status == "rejected" else "approve",
                status="done",
                reason="A reason.",
                by=by,
                made_at=now,
                send_at=now,
            )
            for row in work
            if row.status in ("rejected", "approved")
        ],
        batch_size=CHUNK,
    )
    Change.objects.bulk_create([Change(hit=hit, kind="expire", made_at=now, by=by) for hit in hits[:30]])
    events = [BatchEvent(batch=batch, kind="k", words=f"Deed {n}.", by=by, at=now) for n in range(40)]
    BatchEvent.objects.bulk_create(events)
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            study=batch.study,
            batch=batch,
            kind="reserved",
            source="budget",
            target="reserved",
            amount="0.01",
            words=f"Entry {n}",
            by=by,
            at=now,
        )
        for n in range(40)
    )
    Note.objects.bulk_create(Note(assignment=row, text="A note.", by=by, at=now) for row in work[:30])
    _serve_items(batch, work[:30], now=now)


def _work(batch: Batch, hits: list[HIT], *, workers: list[Worker], now: datetime) -> list[Assignment]:
    rows = []
    for place in range(EACH * len(hits)):
        fate = FATES[place % len(FATES)]
        done_at = now - timedelta(seconds=170_000 * (len(hits) * EACH - place) // (len(hits) * EACH))
        handed_in = fate in ("submitted", "approved", "rejected")
        rows.append(
            Assignment(
                account=batch.account,
                hit=hits[place // EACH],
                worker=workers[place % len(workers)],
                external_id=f"A{batch.pk}X{place}",
                attempt=1,
                accepted_at=done_at,
                opened_at=done_at,
                deadline_at=done_at + timedelta(minutes=15),
                status=fate,
                answer={} if handed_in else None,
                submitted_at=done_at if handed_in else None,
                approved_at=now if fate == "approved" else None,
                rejected_at=now if fate == "rejected" else None,
                auto_approves_at=now + timedelta(days=1) if fate == "submitted" else None,
                worked_s=10 + (place * 7919) % 280 if handed_in else None,
                owed_at=now if fate == "approved" else None,
            )
        )
    return rows


def _serve_items(batch: Batch, work: list[Assignment], *, now: datetime) -> None:
    items: list[Item] = [make_association(study=batch.study).item for _ in range(3)]
    Lease.objects.bulk_create(
        Lease(
            item=items[place % 3],
            assignment=row,
            worker=row.worker,
            status="answered",
            leased_at=now,
            ended_at=now,
        )
        for place, row in enumerate({row.worker_id: row for row in work}.values())
    )
    for row in work:
        if row.answer is not None:
            row.answer = {str(items[0].public_id): []}
            row.save(update_fields=["answer"])


def _fill_game(study: Study, *, worker: Worker, count: int, now: datetime) -> None:
    Game.objects.create(study=study)
    for _ in range(count):
        seed_picture_set(study=study, pictures=[make_picture() for _ in range(5)])
        association = make_association(study=study)
        report_cue(association=association, worker=worker, reason="other", text="", now=now)


def _fill_procedure(study: Study, *, worker: Worker, count: int, now: datetime) -> None:
    """Make pairs of an exception procedure, each with all rows that can belong to it."""
    project = open_project(study=study)
    add_nouns(project=project, words=[f"noun {number}" for number in range(count)])
    for number in range(count):
        pair = make_pair(project, f"noun {number}")
        fine = dict.fromkeys(QUESTIONS, False)
        Judgement.objects.create(premise=pair, worker=worker, **fine)
        prompt = Prompt.objects.create(premise=pair, kind="generic")
        Choice.objects.create(prompt=prompt, worker=worker, word="sour", is_right=True)
        scores = {"p_generic": 0.2, "p_exception": 0.1, "passes": True, "scored_at": now}
        FilterScore.objects.create(alternative=pair.alternative, way="properly", **scores)


def _fill_consent(study: Study, *, workers: list[Worker], count: int, now: datetime) -> None:
    """Let workers consent, every second one withdraw the consent, and all answer about themselves."""
    text = make_consent_text(study=study)
    Consent.objects.bulk_create(
        Consent(worker=worker, text=text, given_at=now, withdrawn_at=now if place % 2 else None)
        for place, worker in enumerate(workers[: 6 * count])
    )
    Demographics.objects.bulk_create(
        Demographics(worker=worker, answers='{"gender": "woman"}', asked_at=now)
        for worker in workers[: 6 * count]
    )


def _fill_people(account: Account, study: Study, *, workers: list[Worker], by: User, now: datetime) -> None:
    for worker in workers[:30]:
        Block.objects.create(
            worker=worker, kind="soft", status="active", reason="A reason.", by=by, made_at=now
        )
        Disclosure.objects.create(worker=worker, user=by, reason="A reason.", at=now)
    for number in range(30):
        message = Message.objects.create(
            account=account, study=study, subject=f"Subject {number}", text="Text.", by=by, made_at=now
        )
        chosen = workers[:30]
        Recipient.objects.bulk_create(Recipient(message=message, worker=one, status="sent") for one in chosen)
    Stranger.objects.bulk_create(
        Stranger(account=account, external_id=f"STRANGER{number}", found_at=now) for number in range(30)
    )


def _fill_gates(account: Account, study: Study, *, workers: list[Worker], now: datetime) -> None:
    """Make two gates that many workers have attempted."""
    gates = [
        Gate.objects.create(
            study=study, name=task, test_task=task, opens=["winogavil.solve"], grading=grading, rules=rules
        )
        for task, grading, rules in (
            ("winogavil.solver_test", "scores", [{"measure": "jaccard", "above": 80}]),
            ("winoventi.walk", "person", []),
        )
    ]
    waiting: dict[str, Any] = {"status": "waiting", "started_at": now, "handed_in_at": now}
    chosen = workers[:30]
    for gate in gates:
        PlatformType.objects.create(gate=gate, account=account, status="refused", problem="Odd.")
        Attempt.objects.bulk_create(Attempt(gate=gate, worker=one, **waiting) for one in chosen)
        Holding.objects.bulk_create(Holding(gate=gate, worker=one, value=0, changed_at=now) for one in chosen)


def _fill_payments(account: Account, studies: Sequence[Study], *, now: datetime) -> None:
    """Make some runs, refused bonuses, appeals, and differences found by a three-way match."""
    owed = Bonus.objects.filter(status="owed", assignment__hit__batch__study__in=studies).order_by("pk")
    chosen = list(owed.select_related("assignment__hit__batch__study")[:12])
    preparer = User.objects.create(username=f"preparer-{account.pk}", is_superuser=True)
    for status, part in (("draft", chosen[::2]), ("frozen", chosen[1::2])):
        run = bonus_runs.prepare_run(bonuses=part, by=preparer, title=f"Run, {status}", now=now)
        if status == "frozen":
            bonus_runs.freeze_run(run=run, by=preparer, now=now)
    works = [bonus.assignment for bonus in chosen]
    paid = {"approved_at": now, "approved_by": preparer, "prepared_by": preparer, "before_runs": True}
    refused = {"status": "refused", "refusal_code": "Odd", "problem": "Odd.", "sending_at": now, **paid}
    Bonus.objects.bulk_create(
        Bonus(assignment=work, rule="flat", amount="0.02", reason="Flat.", owed_at=now, **refused)
        for work in works
    )
    asked_at = now - timedelta(days=5)
    Appeal.objects.bulk_create(
        Appeal(worker_id=work.worker_id, assignment=work, text="Why?", made_at=asked_at) for work in works
    )
    _fill_matches(account, works, by=preparer, now=now)


def _fill_matches(account: Account, works: Sequence[Assignment], *, by: User, now: datetime) -> None:
    match = Match.objects.create(
        account=account, status="done", started_at=now, ended_at=now, balance="9.00", expected_balance="8.00"
    )
    for resolved_at in (None, now):
        Difference.objects.bulk_create(
            Difference(
                account=account,
                cause="not_listed",
                subject=f"bonus:{work.public_id}",
                hit=work.hit,
                words="It is not listed.",
                first_match=match,
                last_match=match,
                resolved_at=resolved_at,
            )
            for work in works
        )
    Deposit.objects.bulk_create(
        Deposit(account=account, amount="1.00", words=f"Wire {n}", by=by, at=now) for n in range(30)
    )
    lifted = {"by": by, "at": now, "lifted_by": by, "lifted_at": now}
    Halt.objects.bulk_create(Halt(account=account, reason=f"Odd {n}", **lifted) for n in range(10))
