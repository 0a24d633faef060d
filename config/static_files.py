"""Static files under names that hold a digest of their content: a browser may keep them for a year."""

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

import structlog
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.contrib.staticfiles.storage import StaticFilesStorage
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

log = structlog.get_logger()
UNUSED = ["rest_framework/*"]  # its browsable pages are switched off
YEAR_S = 31_536_000
Found = dict[str, tuple[StaticFilesStorage, str]]


class Storage(CompressedManifestStaticFilesStorage):
    """Storage in which files that were not collected, in tests all of them, keep their plain names."""

    support_js_module_import_aggregation = True
    keep_only_hashed_files = True  # the plain ones are served from their own folders

    def stored_name(self, name: str) -> str:
        is_collected = self.hash_key(self.clean_name(name)) in self.hashed_files
        return str(super().stored_name(name)) if is_collected else name


class StaticFiles(WhiteNoiseMiddleware):
    FOREVER = YEAR_S


def collect() -> bool:
    """Collect the static files; False if nothing had changed. One process does it, and the others wait.

    Files collected before stay: pages that are open still name them.
    """
    root = Path(settings.STATIC_ROOT)
    with _readable(), _locked(root):
        found = _find()
        stamp = root / "stamp"
        state = _digest(found)
        if stamp.is_file() and stamp.read_text() == state:
            return False
        with TemporaryDirectory(dir=root.parent, prefix=f"{root.name}-") as making:
            _make(found, folder=Path(making))
            _move(Path(making), root)
        stamp.write_text(state)
    log.info("static.collected", files=len(found))
    return True


@contextmanager
def _readable() -> Iterator[None]:
    """Make files that others can read: an image is built by another user than the one who serves it."""
    before = os.umask(0o022)
    try:
        yield
    finally:
        os.umask(before)


@contextmanager
def _locked(root: Path) -> Iterator[None]:
    root.mkdir(parents=True, exist_ok=True)
    with root.with_name(f"{root.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _find() -> Found:
    """All files to collect; of several with one name the first counts, as everywhere in Django."""
    found: Found = {}
    for finder in get_finders():
        for path, storage in finder.list(UNUSED):
            found.setdefault(path, (storage, path))
    return found


def _digest(found: Found) -> str:
    """Digest that changes with the files, and with the code that processes them."""
    seen = [version("django"), version("whitenoise"), str(Path(__file__).stat().st_mtime_ns)]
    for path, (storage, name) in sorted(found.items()):
        stat = Path(storage.path(name)).stat()
        seen.append(f"{path} {stat.st_size} {stat.st_mtime_ns}")
    return sha256("\n".join(seen).encode()).hexdigest()


def _make(found: Found, *, folder: Path) -> None:
    for path, (storage, name) in found.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(storage.path(name), place)
    for _, _, done in Storage(location=folder).post_process(found):
        if isinstance(done, Exception):
            raise done


def _move(making: Path, root: Path) -> None:
    """Move each file at once or not at all; the manifest, which names them all, comes last."""
    for path in sorted(_files(making), key=lambda path: path.name == Storage.manifest_name):
        place = root / path.relative_to(making)
        place.parent.mkdir(parents=True, exist_ok=True)
        path.replace(place)


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())
