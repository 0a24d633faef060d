"""The guide's forms. Only hits.batches.services.drafting saves what they find valid."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from django import forms
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet

from hits import families
from hits.admin.batches.filter_fields import FilterFields
from hits.admin.page_parts import JsonField, read_number
from hits.admin.spans import SpanField
from hits.admin.studies.study_tabs import families_used
from hits.batches import domain as criteria
from hits.batches.queries.offered_filters import offered_filters
from hits.batches.services.drafting import ASKS_ONCE, STEPS
from hits.common.page_filters import currency_name
from hits.core.domain.days import day_in_words
from hits.core.domain.requirements import COMPARATORS, GUARDED, check
from hits.providers.capabilities import Gating
from hits.providers.models.accounts import Account
from hits.studies.models import Batch
from hits.work.access import studies_of, visible

DAY_S = 86_400
YEAR_S = 365 * DAY_S
# The newest batches are offered; older ones can be named by their numbers.
LATEST = 50
MOST_OWN = 10
FEWEST_OWN = 2
# The button that copies the requirements of the task's paper.
PRESET = "preset"


class RowChoice(forms.TypedChoiceField):
    """A choice among rows that are read once, for showing and for checking."""

    def offer(self, rows: Iterable[Model], *, label: Any = str) -> None:
        known = {str(row.pk): row for row in rows}
        self.choices = [("", "–––"), *((key, label(row)) for key, row in known.items())]
        self.coerce = known.__getitem__
        self.empty_value = None
        if self.required and len(known) == 1:
            self.initial = next(iter(known))


def batch_label(batch: Batch) -> str:
    day = f", {day_in_words(batch.launched_at)}" if batch.launched_at else ""
    return f"{batch.study}: {batch.title} (number {batch.pk}{day})"


def launched_batches(user: Any) -> QuerySet[Batch]:
    launched = Batch.objects.filter(launched_at__isnull=False)
    return visible(launched, user).select_related("study").order_by("-pk")


@dataclass(frozen=True, kw_only=True)
class TaskChoice:
    """A task as the guide offers it."""

    key: str
    name: str
    about: str
    is_chosen: bool


class TasksOffered(NamedTuple):
    """The tasks by family: those of the study's families, and those of others, which are folded."""

    first: Mapping[str, Sequence[TaskChoice]]
    others: Mapping[str, Sequence[TaskChoice]]
    # Whether a task of the others is chosen.
    is_open: bool


class Requirements(JsonField):
    """A JSON field that shows an empty list as an empty box."""

    def prepare_value(self, value: Any) -> Any:
        return super().prepare_value(value) if value else ""


class WhatForm(forms.Form):
    step: ClassVar[str] = "what"
    study = RowChoice(help_text="Whose budget and bonus table the batch has.")
    account = RowChoice(help_text="Where the work is posted and paid. Fixed once the batch is launched.")
    task = forms.ChoiceField(
        label="What the workers do",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a task."},
    )
    items_from = forms.ChoiceField(
        label="Where the items come from",
        choices=Batch.ItemsFrom.choices,
        widget=forms.RadioSelect,
        initial=Batch.ItemsFrom.POOL,
    )
    source_batch = RowChoice(
        required=False,
        label="The other batch",
        help_text="Its items are asked again: workers who took part in it may not take part here.",
    )

    def __init__(self, *args: Any, user: Any, batch: Batch | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        self._row("study").offer(studies_of(user).order_by("-pk"))
        self._offer_accounts(batch)
        sources = launched_batches(user)
        if batch is not None:
            sources = sources.filter(study=batch.study_id, task=batch.task)
        rows = list(sources[:LATEST])
        if batch is not None and batch.source_batch is not None and batch.source_batch not in rows:
            rows.append(batch.source_batch)
        self._row("source_batch").offer(rows, label=batch_label)
        self._offer_sources(batch)
        task: Any = self.fields["task"]
        task.choices = [(key, task_type.name) for key, task_type in families.offered().items()]

    def tasks_by_family(self) -> TasksOffered:
        """The tasks by their family, those of the study's families first."""
        chosen, study = self["task"].value(), read_number(str(self["study"].value() or ""))
        used = self._labels_used(study)
        offered: tuple[dict[str, list[TaskChoice]], ...] = ({}, {})
        for key, task_type in sorted(families.offered().items(), key=lambda one: one[1].name.casefold()):
            family, _, name = task_type.name.partition(": ")
            about = task_type.terms.description
            task = TaskChoice(key=key, name=name or family, about=about, is_chosen=key == chosen)
            is_other = bool(used) and key.partition(".")[0] not in used
            offered[is_other].setdefault(family, []).append(task)
        first, others = offered
        is_open = any(task.is_chosen for tasks in others.values() for task in tasks)
        return TasksOffered(first=first, others=others, is_open=is_open)

    def _labels_used(self, study: int | None) -> set[str]:
        """The families that the study works with; none for a study that is not chosen yet, or is new."""
        chosen = studies_of(self.user).filter(pk=study or 0).first()
        return {pages.label for pages in families_used(chosen, user=self.user)} if chosen else set()

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("items_from") != Batch.ItemsFrom.BATCH:
            cleaned["source_batch"] = None
            self.errors.pop("source_batch", None)
        elif "task" in cleaned and not families.asks_anew(cleaned["task"]):
            self.add_error("items_from", ASKS_ONCE)
        elif not cleaned.get("source_batch") and "source_batch" not in self.errors:
            self.add_error("source_batch", "Choose the batch whose items are to be asked again.")
        study, account = cleaned.get("study"), cleaned.get("account")
        if study and account and study.currency != account.currency:
            self.add_error(
                "account",
                f"It pays in {account.currency}, and the money of “{study}” is in {study.currency}. Choose "
                f"an account in {study.currency}.",
            )
        return cleaned

    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in STEPS[self.step]}

    def _offer_accounts(self, batch: Batch | None) -> None:
        """Offer the accounts of the study's currency. What was sent may be any, and is refused in words."""
        accounts = list(Account.objects.connected().order_by("name"))
        currencies = {account.currency for account in accounts}
        if batch is not None and not self.is_bound:
            accounts = [one for one in accounts if batch.currency == one.currency or one == batch.account]
        is_one = len(currencies) < 2
        self._row("account").offer(
            accounts, label=str if is_one else lambda account: f"{account}, in {account.currency}"
        )

    def _offer_sources(self, batch: Batch | None) -> None:
        """Hide a source that the draft's task cannot use; if it was sent, it stays chosen and is refused."""
        sources: Any = self.fields["items_from"]
        sent = self.data.get("items_from") if self.is_bound else None
        if batch is not None and not families.asks_anew(batch.task) and sent != Batch.ItemsFrom.BATCH:
            offered = [choice for choice in Batch.ItemsFrom.choices if choice[0] != Batch.ItemsFrom.BATCH]
            sources.choices = offered

    def _row(self, name: str) -> RowChoice:
        field = self.fields[name]
        assert isinstance(field, RowChoice)  # noqa: S101
        return field


class TermsForm(forms.ModelForm[Batch]):
    step: ClassVar[str] = "terms"
    duration_s = SpanField(
        label="Time for one assignment",
        least=30,
        most=YEAR_S,
        help_text="From accepting to submitting. Be generous: a worker who is late is not paid.",
    )
    lifetime_s = SpanField(label="The HITs stay open for", least=30, most=YEAR_S)
    auto_approval_s = SpanField(
        label="Approved automatically after",
        least=0,
        most=30 * DAY_S,
        help_text="Work without a decision is then approved, and can no longer be rejected.",
    )
    estimated_s = SpanField(
        label="Expected time for one assignment",
        least=1,
        most=YEAR_S,
        help_text="Used to estimate the hourly wage until times have been measured.",
    )

    class Meta:
        model = Batch
        fields = STEPS["terms"]
        widgets: ClassVar[dict[str, Any]] = {
            "description": forms.Textarea(attrs={"rows": 3}),
            "sharding": forms.RadioSelect,
            "review_by": forms.RadioSelect,
            "reward": forms.NumberInput(attrs={"step": "0.01", "min": "0"}),
        }
        help_texts: ClassVar[dict[str, str]] = {
            "title": "What workers see in the list.",
            "keywords": "Separated by commas. Workers search by them.",
            "items_per_assignment": "The number of questions on one worker's page.",
        }
        labels: ClassVar[dict[str, str]] = {"attention_rate": "Attention items, of a hundred places"}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reward"].help_text = f"{currency_name(self.instance.currency)} for each assignment."
        if days := self.instance.account.can.approves_after_days:
            words = f"This account's provider approves after {days} days, whatever stands here."
            self.fields["auto_approval_s"].help_text = words
        # A share that was set before the task was another one can still be set to 0.
        if not (families.mixes_attention(self.instance.task) or self.instance.attention_rate):
            del self.fields["attention_rate"]

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        hits, pilot = cleaned.get("hits_wanted"), cleaned.get("pilot_hits")
        if hits is not None and pilot is not None and pilot > hits:
            self.add_error("pilot_hits", f"A pilot of {pilot} is more than the {hits} HITs of the batch.")
        return cleaned

    def values(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in STEPS[self.step] if name in self.fields}


BOUNDS = [(bound, COMPARATORS[bound]) for bound in (criteria.AT_LEAST, criteria.MORE_THAN)]


FILTERS_HELP = (
    "A JSON list. Each filter is named by its id, with what was chosen of it or with a range: "
    '[{"Filter": "age", "Range": [18, 65]}, {"Filter": "first-language", "Chosen": ["0"]}]. Which ids and '
    "values there are, the provider's list of filters says. Gates keep their own groups."
)


class PeopleForm(forms.Form):
    step: ClassVar[str] = "people"
    approved_percent_by = forms.ChoiceField(
        label="Earlier work approved", required=False, choices=BOUNDS, initial=criteria.AT_LEAST
    )
    approved_percent = forms.IntegerField(label="Per cent", required=False, min_value=0, max_value=100)
    approved_number_by = forms.ChoiceField(
        label="Earlier assignments approved", required=False, choices=BOUNDS, initial=criteria.AT_LEAST
    )
    approved_number = forms.IntegerField(label="Number", required=False, min_value=0, max_value=10_000_000)
    countries = forms.CharField(
        label="Only from these countries", required=False, help_text="Codes such as US, GB or US-PA."
    )
    not_countries = forms.CharField(
        label="Not from these countries", required=False, help_text="Codes, as above."
    )
    masters = forms.BooleanField(label="Masters only", required=False, help_text="Costs a higher fee.")
    adult = forms.BooleanField(label="Only workers who agreed to see adult content", required=False)
    english_speakers = forms.BooleanField(
        label="Only English speakers",
        required=False,
        help_text="Workers say so themselves: whoever has not is asked once, on our page, before the first "
        "task. A country alone does not tell.",
    )
    guarded = forms.ChoiceField(
        label="Workers who do not meet them", choices=list(GUARDED.items()), widget=forms.RadioSelect
    )
    further = Requirements(
        label="Further requirements, as the Requester API takes them",
        required=False,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        help_text="A JSON list, for what no field above can say. Usually empty.",
    )
    exclude_batches = forms.MultipleChoiceField(
        label="Workers who took part in one of these may not take part",
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )
    older_batches = forms.CharField(
        label="Older batches, by number", required=False, help_text="Numbers separated by commas."
    )
    repeat_group = forms.CharField(
        label="Repeat group",
        required=False,
        max_length=64,
        help_text="A worker takes part in one batch only of those that share this name. Empty: no limit.",
    )

    def __init__(self, *args: Any, user: Any, batch: Batch, **kwargs: Any) -> None:
        self.batch = batch
        requirements = criteria.read(batch.requirements)
        chosen = list(visible(batch.exclude_batches.select_related("study"), user).order_by("-pk"))
        kwargs["initial"] = {
            **people_initial(requirements),
            "english_speakers": batch.english_speakers,
            "repeat_group": batch.repeat_group,
        }
        kwargs["initial"]["exclude_batches"] = [str(row.pk) for row in chosen]
        super().__init__(*args, **kwargs)
        # A provider that knows filters and groups alone is asked for those.
        self.takes_filters = batch.account.can.gating == Gating.GROUPS
        self.filters = FilterFields(
            offered_filters(batch.account), saved=requirements.further, data=self.data or None
        )
        if self.takes_filters:
            self.fields["guarded"].required = False
            self.fields["further"].label = "Further filters, as the provider takes them"
            self.fields["further"].help_text = FILTERS_HELP
            self.initial["further"] = self.filters.others or None
            self.fields |= dict(self.filters.fields())
        self._seen_by_user = launched_batches(user).filter(account=batch.account_id)
        offered = {row.pk: row for row in [*chosen, *self._seen_by_user[:LATEST]]}
        self._shown = set(offered)
        exclusions: Any = self.fields["exclude_batches"]
        exclusions.choices = [(str(pk), batch_label(row)) for pk, row in offered.items()]
        self._own = [*requirements.own, *[None] * FEWEST_OWN][:MOST_OWN]
        if self.is_bound:
            self._own += [None] * (MOST_OWN - len(self._own))
        for number, own in enumerate(self._own):
            self._add_own(number, own)

    def filter_rows(self) -> list[list[forms.BoundField]]:
        """The fields of each filter that is shown."""
        return [[self[name] for name in self.filters.names(one)] for one in self.filters.shown]

    def own_rows(self) -> list[list[forms.BoundField]]:
        """The filled rows of one's own requirements, and some empty ones."""
        rows = [[self[f"own_{part}_{number}"] for part in OWN] for number in range(len(self._own))]
        filled = [row for row in rows if any(field.value() for field in (row[0], row[2]))]
        return (filled + [row for row in rows if row not in filled])[: max(len(filled) + FEWEST_OWN, 1)]

    def clean_countries(self) -> list[str]:
        return _places(self.cleaned_data["countries"])

    def clean_not_countries(self) -> list[str]:
        return _places(self.cleaned_data["not_countries"])

    def clean_further(self) -> list[Any]:
        further: list[Any] = self.cleaned_data["further"] or []
        if self.takes_filters:
            return further  # checked with those that have fields
        try:
            check(further)
        except ValueError as error:
            raise ValidationError(str(error)) from error
        return further

    def clean_older_batches(self) -> list[int]:
        text = self.cleaned_data["older_batches"].replace(",", " ")
        if not all(number.isdecimal() and len(number) < 18 for number in text.split()):
            raise ValidationError("Give numbers of batches, separated by commas.")
        numbers = {int(number) for number in text.split()}
        known = set(self._seen_by_user.filter(pk__in=numbers).values_list("pk", flat=True))
        if missing := sorted(numbers - known):
            raise ValidationError(
                f"On this account there is no launched batch {', '.join(map(str, missing))} that you may see."
            )
        return sorted(known)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        for name, words in self.filters.faults(cleaned):
            self.add_error(name, words)
        if self.errors:
            return cleaned
        own = [row for number in range(len(self._own)) if (row := self._read_own(number))]
        names = ("approved_percent", "approved_number", "countries", "not_countries", "masters", "adult")
        found = criteria.Criteria(
            own=own,
            guarded=cleaned["guarded"] or "Accept",
            further=[*self.filters.read(cleaned), *cleaned["further"]],
            approved_percent_by=cleaned["approved_percent_by"] or criteria.AT_LEAST,
            approved_number_by=cleaned["approved_number_by"] or criteria.AT_LEAST,
            **{name: cleaned[name] for name in names},
        )
        requirements = criteria.build(found, environment=self.batch.account.environment)
        if PRESET in self.data:
            terms = families.get(self.batch.task).terms
            requirements = criteria.with_preset(requirements, terms.requirements, guarded=found.guarded)
            cleaned["english_speakers"] |= terms.english_speakers
        try:
            check(requirements)
        except ValueError as error:
            raise ValidationError(str(error)) from error
        cleaned["requirements"] = requirements
        return cleaned

    def values(self) -> dict[str, Any]:
        """The step's values. Exclusions that this user may not see stay as they are."""
        chosen = {int(pk) for pk in self.cleaned_data["exclude_batches"]}
        there = set(self.batch.exclude_batches.values_list("pk", flat=True))
        return {
            "requirements": self.cleaned_data["requirements"],
            "english_speakers": self.cleaned_data["english_speakers"],
            "exclude_batches": sorted(chosen | set(self.cleaned_data["older_batches"]) | there - self._shown),
            "repeat_group": self.cleaned_data["repeat_group"],
        }

    def _add_own(self, number: int, own: criteria.NumberRequirement | None) -> None:
        row = number + 1
        self.fields[f"own_type_{number}"] = forms.CharField(
            required=False, max_length=64, widget=_named(forms.TextInput, f"Qualification type {row}")
        )
        self.fields[f"own_comparator_{number}"] = forms.ChoiceField(
            required=False,
            choices=list(COMPARATORS.items()),
            initial="GreaterThanOrEqualTo",
            widget=_named(forms.Select, f"Comparison {row}"),
        )
        self.fields[f"own_values_{number}"] = forms.CharField(
            required=False, widget=_named(forms.TextInput, f"Values {row}")
        )
        if own is not None:
            values = (own.type_id, own.comparator, ", ".join(map(str, own.values)))
            self.initial.update(
                {f"own_{part}_{number}": value for part, value in zip(OWN, values, strict=True)}
            )

    def _read_own(self, number: int) -> criteria.NumberRequirement | None:
        kind, comparator, text = (self.cleaned_data[f"own_{part}_{number}"].strip() for part in OWN)
        if not kind and not text:
            return None
        if not kind:
            self.add_error(f"own_type_{number}", "Give the id of the qualification type too.")
            return None
        try:
            values = tuple(int(value) for value in text.replace(",", " ").split())
        except ValueError:
            self.add_error(f"own_values_{number}", "Values are whole numbers, separated by commas.")
            return None
        own = criteria.NumberRequirement(type_id=kind, comparator=comparator or "Exists", values=values)
        try:
            check(criteria.build(criteria.Criteria(own=[own]), environment=self.batch.account.environment))
        except ValueError as error:
            words = str(error).replace("Requirement 1", "This requirement", 1)
            self.add_error(f"own_values_{number}", words)
            return None
        return own


OWN = ("type", "comparator", "values")
FORMS: Mapping[str, type[WhatForm | TermsForm | PeopleForm]] = {
    form.step: form for form in (WhatForm, TermsForm, PeopleForm)
}


def people_initial(found: criteria.Criteria) -> dict[str, Any]:
    return {
        "approved_percent": found.approved_percent,
        "approved_percent_by": found.approved_percent_by,
        "approved_number": found.approved_number,
        "approved_number_by": found.approved_number_by,
        "countries": ", ".join(found.countries),
        "not_countries": ", ".join(found.not_countries),
        "masters": found.masters,
        "adult": found.adult,
        "guarded": found.guarded,
        "further": [dict(row) for row in found.further] or None,
    }


def _places(text: str) -> list[str]:
    try:
        return criteria.read_places(text)
    except ValueError as error:
        raise ValidationError(str(error)) from error


def _named(widget: type[forms.Widget], name: str) -> forms.Widget:
    return widget(attrs={"aria-label": name})
