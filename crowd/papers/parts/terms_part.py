"""Rewards, numbers and requirements of a paper, which new drafts of the study start with."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from django import forms

from crowd.papers.parts.figure_fields import (
    LARGEST,
    PlacesField,
    count_field,
    dollars_field,
    in_list,
)
from crowd.papers.parts.part_base import Cell, SetupPart, SetupRow, in_place
from hits import families
from hits.batches.services.drafting import first_terms, starting_terms_of
from hits.common.currencies import in_dollars, in_money, name_of
from hits.core.domain.requirements import COMPARATORS, LOCALE, NAMES, PERCENT_APPROVED
from hits.families.paper_figures import Figure, PaperTerms
from hits.identity.models.users import User
from hits.studies.models import StartingTerms, check_requirements

ABOUT = "Drafts that are made from now on start with it; those that exist keep what stands in them."
OWN_PEOPLE = (
    "The study works with people of its own: its new drafts on a marketplace of one's own ask for no country "
    "and no record of approved work."
)
ENGLISH = "requirement-english"
NOT_ASKED = "not asked"
LABELS: Mapping[str, str] = {
    "reward": "reward",
    "workers_per_hit": "workers for each HIT",
    "items_each": "items for each assignment",
    "duration_s": "time for one assignment, seconds",
}
FIELDS: Mapping[str, Callable[[families.Terms], forms.Field]] = {
    "reward": lambda _: dollars_field(least="0"),
    "workers_per_hit": lambda _: count_field(most=1000),
    "items_each": lambda terms: count_field(most=min(terms.most_items, 10)),
    "duration_s": lambda _: count_field(least=30),
}


class TermsPart(SetupPart):
    title = "Rewards and numbers"
    about = ABOUT

    def rows(self) -> Sequence[SetupRow]:
        said = starting_terms_of(self.study, *(terms.task for terms in self.paper.terms))
        return [row for terms in self.paper.terms for row in self._rows_of(terms, said)]

    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        said = []
        for terms in self.paper.terms:
            name = families.get(terms.task).name
            own = {field: values[_key(terms.task, field)] for field in terms.figures}
            there = starting_terms_of(self.study, terms.task)
            cells = [
                (cell, values[cell.key])
                for row in self._rows_of(terms, there)
                for cell in row.cells
                if values[cell.key] != cell.now
            ]
            said += in_place(cells, of=name)
            StartingTerms.objects.update_or_create(study=self.study, task=terms.task, defaults=own)
        return said

    def _label(self, name: str) -> str:
        return f"{LABELS[name]}, {name_of(self.study.currency)}" if name == "reward" else LABELS[name]

    def _rows_of(self, terms: PaperTerms, said: Mapping[str, StartingTerms]) -> list[SetupRow]:
        task, there = families.get(terms.task), first_terms(terms.task, study=self.study, said=said)
        return [
            SetupRow(
                name=task.name,
                origin=self.paper.place(figure.origin),
                cells=[
                    Cell(
                        key=_key(terms.task, name),
                        label=self._label(name),
                        stated=figure.value,
                        now=getattr(there, name),
                        field=FIELDS[name](task.terms),
                        in_words=partial(in_money, currency=self.study.currency) if name == "reward" else str,
                        as_stated=in_dollars if name == "reward" else None,
                    )
                ],
            )
            for name, figure in terms.figures.items()
        ]


class RequirementsPart(SetupPart):
    title = "Requirements of workers"
    about = f"{ABOUT} A requirement whose field is empty is not asked."

    def rows(self) -> Sequence[SetupRow]:
        tasks = self.paper.required_of
        said = starting_terms_of(self.study, *tasks)
        there = [first_terms(task, study=self.study, said=said) for task in tasks]
        required = [terms.requirements for terms in there]
        rows = [
            SetupRow(
                name=NAMES[figure.value["QualificationTypeId"]],
                origin=self.paper.place(figure.origin),
                cells=[_requirement_cell(number, figure, required, is_set_up=bool(said))],
            )
            for number, figure in enumerate(self.paper.requirements)
        ]
        if self.paper.english_speakers:
            origin = self.paper.place(self.paper.english_speakers.origin)
            cell = _english_cell(asked=all(terms.english_speakers for terms in there))
            rows.append(SetupRow(name="English", origin=origin, cells=[cell]))
        return rows

    def note(self) -> str:
        names = ", ".join(families.get(task).name for task in self.paper.required_of)
        own = f" {OWN_PEOPLE}" if self.study.own_people else ""
        return f"Asked of the workers of: {names}.{own}" if names else ""

    def check(self, values: Mapping[str, Any]) -> None:
        check_requirements(self._required(values))

    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        rows = self._required(values)
        said = in_place(
            self.changed({name: _asked(value) for name, value in values.items()}), of="Requirements"
        )
        for task in self.paper.required_of:
            StartingTerms.objects.update_or_create(
                study=self.study,
                task=task,
                defaults={"requirements": rows, "english_speakers": values.get(ENGLISH, False)},
            )
        return said

    def _required(self, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        asked = [_asked(values[f"requirement-{number}"]) for number in range(len(self.paper.requirements))]
        return [
            _with_value(figure.value, value)
            for figure, value in zip(self.paper.requirements, asked, strict=True)
            if value is not None
        ]


def _key(task: str, name: str) -> str:
    return f"terms-{task}-{name}"


def _asked(value: Any) -> Any:
    """Return the value of a requirement, or None where its field was left empty."""
    return None if value in ("", []) else value


def _requirement_cell(
    number: int,
    figure: Figure[Mapping[str, Any]],
    there: Sequence[Sequence[Mapping[str, Any]]],
    *,
    is_set_up: bool,
) -> Cell:
    row = figure.value
    found = [next((_value_of(one) for one in rows if _is_alike(one, row)), None) for rows in there]
    is_same = bool(found) and all(value == found[0] for value in found)
    now = found[0] if is_same else None
    is_place = row["QualificationTypeId"] == LOCALE
    return Cell(
        key=f"requirement-{number}",
        label=COMPARATORS[row["Comparator"]],
        stated=_value_of(row),
        now=now,
        field=_requirement_field(row),
        in_words=in_list if is_place else str,
        # What is not the paper's is offered once, and then as somebody left it.
        suggested=(now or []) if is_set_up and not figure.is_papers else None,
        nothing=NOT_ASKED if is_set_up else "nothing yet",
        is_compared=figure.is_papers,
    )


def _requirement_field(row: Mapping[str, Any]) -> forms.Field:
    if row["QualificationTypeId"] == LOCALE:
        return PlacesField(required=False)
    most = 100 if row["QualificationTypeId"] == PERCENT_APPROVED else LARGEST
    return count_field(least=0, most=most, required=False)


def _english_cell(*, asked: bool) -> Cell:
    return Cell(
        key=ENGLISH,
        label="each worker is asked whether they speak it",
        stated=True,
        now=asked,
        field=forms.BooleanField(required=False),
        in_words=lambda on: "yes" if on else "no",
    )


def _is_alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return all(one.get(name) == other[name] for name in ("QualificationTypeId", "Comparator"))


def _value_of(row: Mapping[str, Any]) -> Any:
    if places := row.get("LocaleValues"):
        return ["-".join(filter(None, (one["Country"], one.get("Subdivision")))) for one in places]
    return row["IntegerValues"][0]


def _with_value(row: Mapping[str, Any], value: Any) -> dict[str, Any]:
    if isinstance(value, list):
        places = [place.partition("-") for place in value]
        codes = [{"Country": code, **({"Subdivision": part} if part else {})} for code, _, part in places]
        return {**row, "LocaleValues": codes}
    return {**row, "IntegerValues": [value]}
