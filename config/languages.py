"""Languages in which pages can be shown: English, and those with a catalog of translations."""

from collections.abc import Callable, Iterator
from pathlib import Path

from django.conf.locale import LANG_INFO
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from django.utils.cache import patch_vary_headers

# The language in which the texts stand in the code.
SOURCE = "en"
# What staff and programs read is in English alone.
ENGLISH = ("/admin/", "/api/", "/desk/", "/control/")


class PageLanguage:
    """Middleware that shows pages in the language that their reader chose, or else that the browser asks for.

    A page that belongs to a study is in the study's language, whatever its reader's is.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith(ENGLISH):
            translation.activate(SOURCE)
            return self.get_response(request)
        translation.activate(translation.get_language_from_request(request))
        response = self.get_response(request)
        if response.get("Content-Type", "").startswith("text/html"):
            patch_vary_headers(response, ("Accept-Language", "Cookie"))
        return response


def find_languages(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the code and name of each language; a compiled catalog in the folder adds its own."""
    yield SOURCE, name_of(SOURCE)
    for catalog in sorted(folder.glob("*/LC_MESSAGES/django.mo")):
        code = catalog.parent.parent.name.replace("_", "-").lower()
        if code != SOURCE:
            yield code, name_of(code)


def name_of(code: str) -> str:
    """Return the English name of a language; one that Django does not know goes by its code."""
    return str(LANG_INFO.get(code, {}).get("name", code))
