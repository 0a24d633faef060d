"""Static files: names that change with the content are kept for a year, and plain names still work."""

import gzip
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urljoin

import pytest
from django.conf import LazySettings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.test import Client

from config.static_files import collect

ROOT = Path(__file__).parent.parent.parent
ROOMS = ("config", "crowd", "hits", "qualifications", "scoring")
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
USED = re.compile(r"""(?:\bstatic\(|{% static )["']([^"'{}]+)["']""")
FOREVER = "max-age=31536000, public, immutable"


@pytest.fixture(autouse=True)
def _as_served(settings: LazySettings) -> None:
    settings.WHITENOISE_AUTOREFRESH = False


@pytest.fixture
def own(settings: LazySettings, tmp_path: Path) -> Path:
    """Folder of static files beside those of the rooms, with an empty place to collect in."""
    folder = tmp_path / "own"
    folder.mkdir()
    settings.STATICFILES_DIRS = [folder]
    settings.STATIC_ROOT = tmp_path / "collected"
    return folder


def read(client: Client, address: str, *, packed: bool = False) -> tuple[dict[str, str], bytes]:
    """Read headers and content; the file is closed again."""
    answer = client.get(address, headers={"accept-encoding": "gzip"} if packed else {})
    assert answer.status_code == 200, address
    return dict(answer.items()), b"".join(answer)


def named(page: str) -> list[str]:
    return re.findall(r"""(?:href|src)="(/static/[^"]+)""", page)


@pytest.mark.django_db
def test_page_names_files_that_may_be_kept_for_a_year(client: Client, own: Path) -> None:
    collect()

    page = client.get("/admin/login/")
    addresses = named(page.content.decode())
    answers = [read(client, address) for address in addresses]

    assert len(addresses) > 3
    assert [address for address in addresses if not HASHED.search(address)] == []
    assert {headers["Cache-Control"] for headers, _ in answers} == {FOREVER}
    assert "default-src 'self'" in page["Content-Security-Policy"]


def test_collected_file_is_sent_compressed_to_whoever_takes_it(client: Client, own: Path) -> None:
    (own / "long.css").write_text("p { color: red; }\n" * 100)
    collect()

    packed, small = read(client, static("long.css"), packed=True)
    plain, whole = read(client, static("long.css"))

    assert (packed["Content-Encoding"], plain.get("Content-Encoding")) == ("gzip", None)
    assert gzip.decompress(small) == whole == (own / "long.css").read_bytes()


def test_modules_import_one_another_by_the_collected_names(client: Client, own: Path) -> None:
    collect()

    _, asking = read(client, static("winoventi/asking.js"))
    imported = re.findall(r'from "([^"]+)"', asking.decode())
    answers = [read(client, urljoin("/static/winoventi/", name)) for name in imported]

    assert [re.sub(HASHED, ".js", name) for name in imported] == [
        "../frame/drafts.js",
        "../frame/sending.js",
        "./rules.js",
    ]
    assert [name for name in imported if not HASHED.search(name)] == []
    assert [headers["Cache-Control"] for headers, _ in answers] == [FOREVER] * 3


def test_plain_name_goes_on_being_served_and_is_soon_asked_for_again(client: Client, own: Path) -> None:
    """Requesters' own pages may name the helper, and no files are collected for a test."""
    collect()

    headers, content = read(client, "/static/marketplace/external_hit.js")

    assert headers["Cache-Control"] == "max-age=60, public"
    assert b"turkGetParam" in content


def test_name_that_was_not_collected_stays_plain(own: Path) -> None:
    before = static("base.css")
    collect()

    assert (before, static("nobody/has.css")) == ("/static/base.css", "/static/nobody/has.css")


def test_only_a_change_is_collected_and_what_open_pages_name_stays(own: Path, settings: LazySettings) -> None:
    (own / "own.css").write_text("p { color: red; }")
    first = collect()
    before = static("own.css")
    second = collect()
    (own / "own.css").write_text("p { color: blue; }")
    third = collect()
    settings.STATIC_ROOT = settings.STATIC_ROOT  # the storage reads the names again, as in a new process

    after = static("own.css")

    assert (first, second, third) == (True, False, True)
    assert before != after
    for address in (before, after):
        assert (Path(settings.STATIC_ROOT) / address.removeprefix("/static/")).is_file()


def test_of_processes_that_start_together_one_collects(own: Path, tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: collect(), range(4)))

    assert sorted(done) == [False, False, False, True]
    assert sorted(path.name for path in tmp_path.glob("collected*")) == ["collected", "collected.lock"]


def test_collecting_that_fails_leaves_what_was_there(own: Path, settings: LazySettings) -> None:
    collect()
    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    before = manifest.read_text()
    (own / "own.css").write_text("p { background: url(missing.svg); }")

    with pytest.raises(ValueError, match=r"missing\.svg"):
        collect()

    assert manifest.read_text() == before


def test_every_file_that_is_named_exists() -> None:
    sources = [path for room in ROOMS for kind in ("py", "html") for path in (ROOT / room).rglob(f"*.{kind}")]
    used = {name for path in sources for name in USED.findall(path.read_text())}

    assert len(used) > 30
    assert sorted(name for name in used if finders.find(name) is None) == []
