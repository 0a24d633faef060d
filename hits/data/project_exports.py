"""The export of a family that has a project in each of its studies."""

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
    """It says which files there are, and what they are called together.

    What files are made of is the project, unless a family reads them from something else.
    """

    projects: ClassVar[type[Model]]
    # What a study without a project lacks.
    about: ClassVar[str]
    files: ClassVar[Mapping[str, DataFile]]
    # The first one of each is the one that is counted, and told of while it is written.
    published: ClassVar[Sequence[str]]
    full: ClassVar[Sequence[str]]

    @property
    def recorded(self) -> str:
        """The kind under which it is on record who took a file."""
        return f"{self.family}.taken"

    @property
    def stem(self) -> str:
        """What the name of a file begins with."""
        return self.family

    def source_in(self, study: Study, **options: Any) -> Any:
        return project_in(self.projects, study=study, of=self.about)

    def files_of(self, source: Any) -> Mapping[str, DataFile]:
        return self.files

    @abstractmethod
    def count(self, source: Any, *, everything: bool) -> int:
        """Rows of the first file."""

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


def project_in(projects: type[Project], *, study: Study, of: str) -> Project:
    """The study's project of one family, or an error that says what the study lacks."""
    project = projects._default_manager.filter(study=study).first()
    if project is None:
        raise CrowdError(f"The study “{study}” has no {of}.")
    return project
