"""Every file for a spreadsheet that is written beside the sites: by `manage.py export`, and for releases."""

from argparse import ArgumentParser
from collections.abc import Iterator
from pathlib import Path

from django.utils import timezone

from crowd.releases.services import release_states
from hits.core.errors import CrowdError
from hits.data import exports
from hits.studies.models import Study
from tests.attacks.downloads import Download, read_download
from tests.factories import make_user


def take_exports(folder: Path) -> Iterator[Download]:
    """Export every family and study, short and in full. A family that has nothing of a study says so."""
    for name, export in exports.registered().items():
        for study in Study.objects.order_by("pk"):
            for full in (False, True):
                place = folder / f"{name}-{study.pk}-{full}"
                _export(export, study, place, full=full)
                yield from _read(place, f"export {name}")


def take_release(study: Study) -> Iterator[Download]:
    release = release_states.make_release(
        family="winogavil",
        study=study,
        title="=Release",
        version="9.9",
        licence="CC0-1.0",
        notes="=1",
        sources=["worker"],
        with_rest=True,
        linkable=False,
        by=make_user(),
        now=timezone.now(),
    )
    release_states.write_releases(clock=timezone.now)
    yield from _read(release.folder, "release")


def _export(export: exports.Export, study: Study, folder: Path, *, full: bool) -> None:
    parser = ArgumentParser(add_help=False)
    export.add_arguments(parser)
    wanted = exports.ExportChoice(
        study=study, format="csv", full=full, everything=True, sources=[], linkable=False
    )
    try:
        export.export(
            wanted=wanted,
            folder=folder,
            tell=lambda _done, _of: None,
            now=timezone.now(),
            **vars(parser.parse_args([])),
        )
    except CrowdError:
        return


def _read(folder: Path, name: str) -> Iterator[Download]:
    for path in sorted(folder.rglob("*.csv")):
        yield read_download(f"{name}: {path.name}", "csv", path.read_bytes())
