from argparse import ArgumentParser
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import UUID

from django.core.management.base import BaseCommand, CommandError

from crowd.releases.models import Release
from crowd.releases.services.rebuilding import rebuild_release
from hits.core.errors import CrowdError


class Command(BaseCommand):
    help = (
        "Writes a release's files again from its frozen rows, and says whether their digests are the same. "
        "The release itself is never changed. See docs/releases.md."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("id", type=UUID, help="the release's id, as its card and the API have it")
        parser.add_argument(
            "--out", type=Path, metavar="DIR", help="keep the files here (default: only compare them)"
        )

    def handle(self, *_: Any, id: UUID, out: Path | None, **options: Any) -> None:  # noqa: A002 - the argument
        release = Release.objects.select_related("study").filter(public_id=id).first()
        if release is None:
            raise CommandError(f"There is no release {id}.")
        with TemporaryDirectory() as folder:
            differing = self._rebuild(release, out or Path(folder))
        if differing:
            raise CommandError(f"Not the same: {', '.join(differing)}.")
        self.stdout.write(f"{len(release.files)} files, all with the same digests.")

    def _rebuild(self, release: Release, folder: Path) -> list[str]:
        differing = []
        if folder.resolve() == release.folder.resolve():
            raise CommandError("This is the release's own folder, which never changes. Choose another one.")
        try:
            for file in rebuild_release(release=release, folder=folder):
                self.stdout.write(f"{file.name}: {file.problem or 'the same'}")
                differing += [file.name] if file.problem else []
        except CrowdError as error:
            raise CommandError(str(error)) from error
        return differing
