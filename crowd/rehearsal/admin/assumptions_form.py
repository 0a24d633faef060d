"""The form of what a rehearsal assumes, with usual values and bounds."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from crowd.rehearsal.domain.assumptions import BOUNDS, Assumptions, read_assumptions
from crowd.rehearsal.services.rehearsal_jobs import MOST_SEED

# The label of each number, and what it means.
WORDS: Mapping[str, tuple[str, str]] = {
    "workers": ("Workers", "How many people come in all."),
    "skill": (
        "Right answers, per cent",
        "How often a careful worker finds what is expected. Recorded work is used instead, if any.",
    ),
    "skill_spread": ("Spread of that, in points", "By how much workers differ: a standard deviation."),
    "fools": (
        "Pictures that the model misses, per cent",
        "Of those chosen for a word. Recorded words come first, if any.",
    ),
    "understood": (
        "Words that people understand, per cent",
        "Others are solved by chance. Recorded words come first, if any.",
    ),
    "item_s": ("Seconds for one item", "Of a usual worker. Workers differ by about a third."),
    "gives_up": ("Given up, per cent", "Of a hundred works, how many are left until their time is over."),
    "spammers": ("Spammers, per cent", "They answer by chance, ten times as fast."),
    "fails_tests": ("Fail the tests, per cent", "They pass none of the study's gates, if it has any."),
    "works_each": ("Works of one worker", "On average. Most do fewer, and few do far more."),
    "first_hour": ("Working day begins, hour", "By the worker's own clock."),
    "last_hour": ("Working day ends, hour", "By the worker's own clock."),
    "come_within_h": ("Workers come within, hours", "Each comes for the first time at some moment of these."),
    "review_h": ("Review takes, hours", "How long work waits where a person decides."),
    "most_days": ("Longest run, days", "What is not final by then starves."),
    "runs": ("Runs", "The same design, each time with other people: their spread is the report's."),
    "throttled": ("Calls that the provider refuses, per cent", "As many answers of calls are lost."),
    "lost_events": ("Events that are lost, per cent", "A later look finds what they told."),
    "killed": (
        "Processes that are killed, per cent",
        "Pages and sweeps die between two statements, and the next process goes on.",
    ),
}  # fmt: skip


# The fields under a heading each, in the order of the form.
GROUPS: Mapping[str, Sequence[str]] = {
    "Who comes": ("workers", "come_within_h", "first_hour", "last_hour", "zones", "works_each"),
    "How they work": (
        "skill",
        "skill_spread",
        "item_s",
        "gives_up",
        "spammers",
        "fails_tests",
    ),
    "Words that they create, in the association game": ("fools", "understood"),
    "How it is played": ("review_h", "most_days", "runs", "seed"),
    "Faults, if any": ("throttled", "lost_events", "killed"),
}


class AssumptionsForm(forms.Form):
    zones = forms.CharField(
        label="Time zones of workers",
        max_length=200,
        help_text="Hours from UTC with commas between them, such as -8, -5 or 5.5.",
    )
    seed = forms.IntegerField(
        label="Seed",
        required=False,
        min_value=0,
        max_value=MOST_SEED - 1,
        help_text="The same seed with the same draft plays the same rehearsal. Empty: one is drawn.",
    )
    field_order = tuple(name for names in GROUPS.values() for name in names)

    def __init__(self, data: Any = None, *, start: Mapping[str, Any]) -> None:
        super().__init__(data, label_suffix="")
        for name, (least, most) in BOUNDS.items():
            label, words = WORDS[name]
            self.fields[name] = forms.IntegerField(
                label=label,
                min_value=least,
                max_value=most,
                initial=start[name],
                help_text=f"{words} From {least} to {most}.",
            )
        self.fields["zones"].initial = ", ".join(f"{zone:g}" for zone in start["zones"])
        self.order_fields(self.field_order)

    def groups(self) -> Iterator[tuple[str, list[forms.BoundField]]]:
        for heading, names in GROUPS.items():
            yield heading, [self[name] for name in names]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.assumed = self._read(values)
            except ValueError as problem:
                raise ValidationError(str(problem)) from None
        return values

    def _read(self, values: Mapping[str, Any]) -> Assumptions:
        zones = [zone for zone in values["zones"].split(",") if zone.strip()]
        return read_assumptions({**{name: values[name] for name in BOUNDS}, "zones": zones})
