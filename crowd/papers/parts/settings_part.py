"""The settings of a family's project that its paper states."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from functools import cached_property, partial
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import BaseValidator, MaxValueValidator, MinValueValidator

from crowd.papers.parts.figure_fields import (
    LARGEST,
    NumbersField,
    count_field,
    dollars_field,
    in_list,
)
from crowd.papers.parts.part_base import Cell, SetupPart, SetupRow, in_place
from hits.common.currencies import in_dollars, in_money
from hits.identity.models.users import User

FIXED = "the project has used it already"
MOST = 1000
RUNS = "work was launched with it; change it in the project's settings"


class SettingsPart(SetupPart):
    title = "Settings of the project"
    about = (
        "Sets the project up where the study has none yet. Once work was launched, its settings stay; a "
        "launched test is no such work."
    )

    def permissions(self) -> Sequence[str]:
        project = self.family.project
        return (project.permission("add"), project.permission("change")) if project else ()

    def rows(self) -> Sequence[SetupRow]:
        return [
            SetupRow(
                name=self._name(name),
                origin=self.paper.place(figure.origin),
                cells=[self._cell(name, figure.value)],
            )
            for name, figure in self.paper.settings.items()
        ]

    def put(self, values: Mapping[str, Any], *, by: User, now: datetime) -> list[str]:
        project = self.family.project
        if project is None:
            return []
        changed = self.changed(values)
        is_new = self._project is None
        opened = project.open(study=self.study)
        if changed:
            project.change(
                project=opened,
                values={cell.key.partition("-")[2]: value for cell, value in changed},
                by=by,
                now=now,
            )
        said = [f"{self.family.name}: set up"] if is_new else []
        return said + in_place(changed, of=self.family.name)

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise ValidationError if the project could not have these settings."""
        if self.family.project is None:
            return
        project = self._project or self.family.project.model(study=self.study)
        for cell, value in self.changed(values):
            name = cell.key.partition("-")[2]
            try:
                setattr(project, name, self._field(name).clean(value, project))
            except ValidationError as error:
                raise ValidationError([f"{cell.label}: {words}" for words in error.messages]) from error
        self.family.project.check(project)
        project.validate_constraints()

    @cached_property
    def _project(self) -> Any:
        return self.family.project.find(self.study) if self.family.project else None

    @cached_property
    def _is_launched(self) -> bool:
        return self.has_launched_work()

    def _field(self, name: str) -> Any:
        assert self.family.project is not None  # noqa: S101 - a paper's settings are its project's
        return self.family.project.model._meta.get_field(name)

    def _name(self, name: str) -> str:
        return self.family.project.name_of(name) if self.family.project else name

    def _cell(self, name: str, stated: Any) -> Cell:
        field, project = self._field(name), self._project
        return Cell(
            key=f"setting-{name}",
            label=self._name(name),
            stated=stated,
            now=getattr(project, name) if project else None,
            field=self._form_field(stated, field=field),
            in_words=_words_for(stated, choices=dict(field.flatchoices), currency=self.study.currency),
            as_stated=in_dollars if isinstance(stated, Decimal) else None,
            kept=self._kept(name),
        )

    def _form_field(self, stated: Any, *, field: Any) -> forms.Field:
        if field.flatchoices:
            return forms.ChoiceField(choices=field.flatchoices)
        if isinstance(stated, list):
            largest = self.family.project.largest if self.family.project else {}
            return NumbersField(most=largest.get(field.name, LARGEST))
        return dollars_field() if isinstance(stated, Decimal) else _number_field(field)

    def _kept(self, name: str) -> str:
        if self._project is None or self.family.project is None:
            return ""
        if name in self.family.project.fixed(self._project):
            return FIXED
        return RUNS if self._is_launched else ""


def _words_for(stated: Any, *, choices: Mapping[Any, Any], currency: str) -> Callable[[Any], str]:
    if choices:
        return lambda value: str(choices.get(value, value))
    if isinstance(stated, list):
        return in_list
    return partial(in_money, currency=currency) if isinstance(stated, Decimal) else str


def _number_field(field: Any) -> forms.Field:
    """Return a field with the bounds of the setting itself."""
    own = [(type(one), one.limit_value) for one in field.validators if isinstance(one, BaseValidator)]
    least = max((limit for kind, limit in own if kind is MinValueValidator), default=0)
    most = min((limit for kind, limit in own if kind is MaxValueValidator), default=MOST)
    return count_field(least=least, most=min(most, MOST))
