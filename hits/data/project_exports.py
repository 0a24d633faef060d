"""Export of a family that has one project in each of its studies."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from django.db.models import Model

from hits.core.errors import CrowdError
from hits.data.exports import DataFile, Export, ExportChoice, Naming, Tell, export_rows, salt_of
from hits.datasets.file_writer import write_rows
from hits.studies.models import Study

Project = TypeVar("Project", bound=Model)


class ProjectExport(Export):
    """Export of a project's files, which are named together.

    Rows are made from the project, unless a family reads them from something else.
    """

    projects: ClassVar[type[Model]]
    # Name of what a study without a project lacks.
    about: ClassVar[str]
    files: ClassVar[Mapping[str, DataFile]]
    # The first one of each is the one that is counted, and told of while it is written.
    published: ClassVar[Sequence[str]]
    full: ClassVar[Sequence[str]]

    @property
    def recorded(self) -> str:
        """Kind of the audit events that record who took a file."""
        return f"{self.family}.taken"

    @property
    def stem(self) -> str:
        """Beginning of each file's name."""
        return self.family

    def source_in(self, study: Study, **options: Any) -> Any:
        return project_in(self.projects, study=study, of=self.about)

    def files_of(self, source: Any) -> Mapping[str, DataFile]:
        return self.files

    @abstractmethod
    def count(self, source: Any, *, everything: bool) -> int:
        """Number of rows of the first file."""

    def export(
        self, *, wanted: ExportChoice, folder: Path, tell: Tell, now: datetime, **options: Any
    ) -> dict[str, Any]:
        source = self.source_in(wanted.study, **options)
        files = self.files_of(source)
        naming = Naming(family=self.family, salt=salt_of(wanted.study, linkable=wanted.linkable))

        def write(name: str, write_file: Callable[..., dict[str, Any]]) -> dict[str, Any]:
            rows = files[name].rows(source, everything=wanted.everything, naming=naming)
            return write_file(folder / f"{name}.{wanted.format}", files[name].columns, rows)

        first, *others = self.full if wanted.full else self.published
        of = self.count(source, everything=wanted.everything)
        report = write(first, partial(export_rows, of=of, wanted=wanted, tell=tell, now=now))
        return report | {name: write(name, partial(write_rows, form=wanted.format)) for name in others}


class NoProject(CrowdError):
    """A study has no project of the family whose data are asked for."""


def project_in(projects: type[Project], *, study: Study, of: str) -> Project:
    """Return the study's project of one family. Raises NoProject that says what the study lacks."""
    project = projects._default_manager.filter(study=study).first()
    if project is None:
        raise NoProject(f"The study “{study}” has no {of}.")
    return project
