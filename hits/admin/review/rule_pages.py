"""Decide on all works of a batch that meet a rule: what it comes to first, then one confirmation."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import Http404, HttpRequest, QueryDict
from django.http.response import HttpResponseBase
from django.template.defaultfilters import pluralize
from django.urls import URLPattern, path, reverse
from django.utils import timezone

from hits import families
from hits.admin.actions import Action, Call, Confirm, OneLine, Outcome, emphasize
from hits.admin.actions.action_pages import ActionPages
from hits.admin.batches.batch_charts import duration
from hits.admin.data.take_files import send_csv
from hits.admin.page_parts import read_number
from hits.admin.review.bulk_undo import decided_url
from hits.admin.review.review_pages import REVIEW, words_of
from hits.admin.review.work_spread import mean_scores, percent
from hits.admin.selection import carried, need, read_keys, signed_in
from hits.common.currencies import in_money
from hits.core.domain.counted_nouns import plural
from hits.identity.models.users import User
from hits.payments.queries.recorded_scores import recorded_scores
from hits.review.queries import review_queue
from hits.review.queries.rule_matches import Match, Matches, WorkRule, works_by_rule
from hits.review.services import reviewing
from hits.studies.models import Batch
from hits.work.models.assignments import Assignment
from hits.work.models.decisions import Decision

Kind = Decision.Kind
# The page names this many of the works that meet the rule; the file names all of them.
SHOWN = 50
KINDS = {
    Kind.APPROVE: "Approve",
    Kind.KEEP_OUT: "Pay, and keep out of the data",
    Kind.REJECT: "Reject",
}
BOUNDS = ("score_from", "score_to", "time_from", "time_to")
INTRODUCTION = (
    "Choose a batch and the bounds. You see which of its works meet them, and what that comes to, before "
    "anything is decided. A bound that is left empty allows everything."
)


class RuleForm(forms.Form):
    """The rule, and the decision on what meets it."""

    batch = forms.TypedChoiceField(coerce=int, help_text="Only work that waits for a decision is decided on.")
    kind = forms.ChoiceField(label="Decision", choices=list(KINDS.items()))
    measure = forms.ChoiceField(label="Score", required=False)
    score_from = forms.DecimalField(
        label="Score at least, in percent", required=False, min_value=0, max_value=100, decimal_places=2
    )
    score_to = forms.DecimalField(
        label="Score at most, in percent", required=False, min_value=0, max_value=100, decimal_places=2
    )
    time_from = forms.IntegerField(
        label="Active time at least, in seconds", required=False, min_value=0, max_value=10**6
    )
    time_to = forms.IntegerField(
        label="Active time at most, in seconds", required=False, min_value=0, max_value=10**6
    )
    flagged = forms.BooleanField(
        label="Also work that somebody should look at",
        required=False,
        help_text="It has no answer, the provider refused it, it has a note, or it was decided on before.",
    )
    reason = OneLine(
        label="Reason, if you reject",
        required=False,
        max_length=reviewing.LONGEST_REASON,
        widget=forms.TextInput({"autocomplete": "off", "class": "vTextField"}),
        help_text="Every one of these workers reads it, and is not paid.",
    )

    def __init__(self, data: QueryDict | None, *, user: User, initial: dict[str, Any]) -> None:
        super().__init__(data, initial=initial, label_suffix="")
        batches = review_queue.batches_to_review(user)
        waiting = review_queue.waiting_by_batch(user=user)
        batches.sort(key=lambda batch: batch.pk not in waiting)
        choices = [
            (batch.pk, f"{batch.title} ({batch.pk}), {_wait(waiting.get(batch.pk, 0))}: {batch.study}")
            for batch in batches
        ]
        self.fields["batch"].choices = choices  # type: ignore[attr-defined]
        measures = [(one, families.measure_name(one).capitalize()) for one in _measures(batches)]
        self.fields["measure"].choices = [("", "Each score that it has"), *measures]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        for low, high in (BOUNDS[:2], BOUNDS[2:]):
            least, most = values.get(low), values.get(high)
            if least is not None and most is not None and least > most:
                self.add_error(high, "It is lower than the bound before it.")
        if values.get("kind") == Kind.REJECT:
            self._check_rejection(values)
        return values

    def _check_rejection(self, values: Mapping[str, Any]) -> None:
        if not values.get("reason"):
            self.add_error("reason", "Say why: the worker reads it, and is not paid.")
        if all(values.get(bound) is None for bound in BOUNDS):
            self.add_error(None, "Name a bound: nobody is rejected without one.")


def _wait(count: int) -> str:
    return f"{count} {pluralize(count, 'waits,wait')}" if count else "none waits"


def urls(works: admin.ModelAdmin[Assignment]) -> list[URLPattern]:
    view = works.admin_site.admin_view
    return [
        path("by-rule/", view(PAGES.view("decide")), name="hits_assignment_by_rule"),
        path("by-rule.csv", view(csv_view), name="hits_assignment_by_rule_csv"),
    ]


def csv_view(request: HttpRequest) -> HttpResponseBase:
    """Send every work that meets the rule of the address."""
    need(request, REVIEW)
    form = RuleForm(request.GET, user=signed_in(request), initial={})
    if not form.is_valid():
        raise Http404
    found = _matches(form.cleaned_data, by=signed_in(request)).found
    measures = sorted({measure for one in found for measure in one.means})
    header = ["work", "worker", "active_s", *measures]
    return send_csv(header, _lines(found, measures), name=f"works-{timezone.now():%Y-%m-%d}.csv")


def _lines(found: Sequence[Match], measures: Sequence[str]) -> Iterator[list[Any]]:
    for one in found:
        means = [float(one.means[name]) if name in one.means else "" for name in measures]
        seconds = "" if one.seconds is None else one.seconds
        yield [str(one.work.public_id), one.work.worker.pseudonym, seconds, *means]


def _form(data: QueryDict | None, call: Call[Any]) -> RuleForm:
    return RuleForm(data, user=call.by, initial={"batch": read_number(call.query.get("batch", ""))})


def _measures(batches: Sequence[Batch]) -> list[str]:
    known = families.registered()
    tasks = {batch.task for batch in batches} & known.keys()
    return sorted({measure for task in tasks for measure in known[task].measures})


def _matches(values: Mapping[str, Any], *, by: User, among: Collection[int] | None = None) -> Matches:
    rule = WorkRule(
        batch=values["batch"],
        measure=values["measure"],
        least_score=_share(values["score_from"]),
        most_score=_share(values["score_to"]),
        least_s=values["time_from"],
        most_s=values["time_to"],
        leaves_out_flagged=not values["flagged"],
    )
    return works_by_rule(user=by, rule=rule, means_of=_read_means, among=among)


def _read_means(works: Collection[int]) -> dict[int, dict[str, Fraction]]:
    return mean_scores(recorded_scores(works))


def _share(in_percent: Decimal | None) -> Fraction | None:
    return None if in_percent is None else Fraction(in_percent) / 100


def _ask(call: Call[Any]) -> Confirm:
    asked = Confirm(title="Decide by a rule", text=INTRODUCTION, is_blocked=True)
    if not call.values:
        return asked
    matches = _matches(call.values, by=call.by)
    chosen = matches.at_once
    label = KINDS[call.values["kind"]]
    return Confirm(
        title=asked.title,
        text=INTRODUCTION,
        consequences=list(_consequences(call, matches)),
        button=f"{label}: {len(chosen)}",
        is_blocked=not chosen,
        hidden=[("works", carried(one.work for one in chosen))],
        detail="admin/hits/rule_matches.html",
        details={
            "rows": [_row(one) for one in chosen[:SHOWN]],
            "matches": matches,
            "csv": f"{reverse('admin:hits_assignment_by_rule_csv')}?{call.query.urlencode()}",
        },
    )


def _consequences(call: Call[Any], matches: Matches) -> Iterator[str]:
    chosen = matches.at_once
    if matches.left_out:
        yield f"{_left_out(matches)} The box above takes them too."
    if matches.left_for_later:
        yield f"{matches.left_for_later} more meet the rule: these are the oldest, and the rest can follow."
    if not chosen:
        return
    if call.values["kind"] == Kind.REJECT:
        yield from _guard(call, [one.work for one in chosen])
    else:
        yield emphasize("Their workers are paid {} in rewards{fees}.", _pay(chosen), fees=_fees(chosen))
    if call.values["kind"] != Kind.APPROVE:
        yield "Other workers are asked instead."
    yield f"All of it can be undone together for {duration(reviewing.UNDO_ALL_FOR.total_seconds())}."


def _left_out(matches: Matches) -> str:
    """How many works meet the bounds and are left out all the same, and why."""
    count, decided = matches.left_out, matches.decided_before
    before = f"{decided} {pluralize(decided, 'was,were')} decided on before, and that was undone or refused"
    others = "lost answers, notes or refusals by the provider"
    why = f"{before}; {count - decided} {pluralize(count - decided, 'is,are')} left out for {others}"
    if not decided:
        why = others
    elif decided == count:
        why = before
    meets, is_left = pluralize(count, "meets,meet"), pluralize(count, "is,are")
    return f"{count} more {meets} the bounds, and {is_left} left out for a person to look at: {why}."


def _pay(chosen: Sequence[Match]) -> str:
    """Return the rewards of the works, which are of one batch."""
    rewards = sum((one.work.hit.batch.reward for one in chosen), Decimal(0))
    return in_money(rewards, chosen[0].work.hit.batch.currency) if chosen else ""


def _fees(chosen: Sequence[Match]) -> str:
    batch = chosen[0].work.hit.batch
    prices = batch.prices
    sizes = (one.work.hit.max_assignments for one in chosen)
    fees = sum((prices.fee(assignments_per_hit=size) for size in sizes), Decimal(0))
    told = in_money(fees, batch.currency)
    return f", and the provider {told} in fees; that was set aside at the launch" if fees else ""


def _guard(call: Call[Any], works: Sequence[Assignment]) -> Iterator[str]:
    """How many of the rejections the daily number leaves to one person."""
    study = works[0].hit.batch.study
    alone = min(reviewing.rejections_left(study=study, by=call.by, now=call.now), len(works))
    waiting = len(works) - alone
    yield "Their workers are not paid, and read the reason."
    if waiting:
        words = (
            f"You may reject {{}} of them alone today. {{}} {pluralize(waiting, 'waits,wait')} for a second"
        )
        yield emphasize(f"{words} person.", alone, waiting)


def _row(one: Match) -> dict[str, Any]:
    scores = [f"{families.measure_name(name)} {percent(mean)}" for name, mean in one.means.items()]
    return {"work": one.work, "took": duration(one.seconds), "scores": ", ".join(scores)}


def _decide(call: Call[Any]) -> Outcome:
    """Decide on those of the works shown that still meet the rule."""
    seen = read_keys(call.sent.get("works", ""))
    matches = _matches(call.values, by=call.by, among=seen)
    chosen = matches.at_once
    reason = call.values["reason"] if call.values["kind"] == Kind.REJECT else ""
    outcomes = reviewing.decide_all(
        assignments=[one.work for one in chosen],
        kind=call.values["kind"],
        reason=reason,
        by=call.by,
        now=call.now,
    )
    changed = len(set(seen)) - len(chosen)
    said = [f"{words_of(outcomes) or 'Nothing was decided'}."]
    if changed:
        left = pluralize(changed, "was,were")
        said.append(f"{plural(changed, 'work')} had changed since you looked, and {left} left.")
    if matches.left_out:
        said.append(_left_out(matches))
    level = messages.WARNING if changed or set(outcomes) - {"intended"} else messages.SUCCESS
    return Outcome(said=" ".join(said), level=level, to=decided_url(call.now))


PAGES: ActionPages[Any] = ActionPages(
    actions={
        "decide": Action(
            label="Decide by a rule",
            permissions=[REVIEW],
            form=_form,
            looks_first="Show what meets it",
            confirm=_ask,
            run=_decide,
            undone="Nothing was decided.",
        )
    },
    find=lambda _: (),
    back=lambda _: reverse("admin:hits_assignment_review"),
    shared=lambda _: {"trail": [("Review", reverse("admin:hits_assignment_review"))]},
)
