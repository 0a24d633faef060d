"""A release's file as an answer, for staff, programs and the public."""

from typing import IO

from django.http import FileResponse

from crowd.releases.models import Release
from crowd.releases.services.file_downloads import download_name, size_of


def send_file(release: Release, name: str, file: IO[bytes]) -> FileResponse:
    answer = FileResponse(file, as_attachment=True, filename=download_name(release, name))
    answer["Content-Length"] = str(size_of(release, name))
    return answer
