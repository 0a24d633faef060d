"""A family's project as the set-up of its paper reads and changes it."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django.db.models import Model
from django.urls import reverse

from hits.identity.models.users import User
from hits.studies.models import Study


class PaperProject(ABC):
    model: ClassVar[type[Model]]
    # Settings whose own names say too little where they stand alone.
    names: ClassVar[Mapping[str, str]] = {}

    # Of settings that are lists of numbers: how large one may be.
    largest: ClassVar[Mapping[str, int]] = {}

    @abstractmethod
    def open(self, *, study: Study) -> Any:
        """Return the study's project, made with the family's own settings if there is none."""

    @abstractmethod
    def change(self, *, project: Any, values: Mapping[str, Any], by: User, now: datetime) -> None:
        """Change settings, with all that follows for work that is asked already."""

    def check(self, project: Any) -> None:  # noqa: B027 - most projects have nothing to compare
        """Raise ValidationError if settings of a project that is not saved yet do not go together."""

    def fixed(self, project: Any) -> frozenset[str]:
        """Settings of this project that cannot change any more."""
        return frozenset()

    def find(self, study: Study) -> Any | None:
        return self.model._default_manager.filter(study=study).first()

    def name_of(self, setting: str) -> str:
        own: str = self.model._meta.get_field(setting).verbose_name  # type: ignore[union-attr, assignment]
        return self.names.get(setting) or str(own)

    def permission(self, verb: str) -> str:
        return f"{self.model._meta.app_label}.{verb}_{self.model._meta.model_name}"


def study_page(study: Study) -> str:
    """Return the address on which the study itself is set: its budget, its wage floor."""
    return reverse("admin:hits_study_change", args=[study.pk])
