"""A drill: a copy is put into scratch databases and examined, and nothing of the installation changes."""

import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from tarfile import TarFile
from time import monotonic

from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connections
from django.utils import timezone
from django.utils.timesince import timesince

from config.copies.archive import KEYS, PICTURES, Manifest, check, extract, opened
from config.copies.copy_sources import Source
from config.copies.databases import replaced
from config.copies.picture_store import digest_in
from config.copies.putting_back import check_stored, foreign_key, problems
from config.copies.scratch_databases import in_scratch
from config.fresh_database import own_apps
from hits.common.health.findings import Finding

SEALED_WITH = ("CROWD_FIELD_KEYS", "CROWD_MARKETPLACE_KEYS")


def drill(source: Source, *, aliases: Sequence[str]) -> Iterator[Finding]:
    """Examine the copy from its bytes to its books. Raises CommandError where it cannot be restored."""
    began = monotonic()
    with opened(source.path) as (tar, manifest), ExitStack() as stack:
        wanted = [alias for alias in manifest.databases if alias in aliases]
        if against := list(problems(manifest, aliases=wanted, replace=True, other_keys=True)):
            raise CommandError(" ".join(against))
        check(tar, manifest)
        check_stored(source, manifest)
        members = len(manifest.files) + len(manifest.beside)
        yield Finding(name="whole", ok=True, saw=f"{members} files, each with its digest")
        yield from (_age(manifest, alias) for alias in wanted)
        for alias in wanted:
            yield _put_into_scratch(source, tar, manifest, alias, stack)
        with _keys_of(source, tar, manifest) as keys:
            yield keys
            for alias in wanted:
                yield from _examine(alias, manifest)
    yield Finding(name="time", ok=True, saw=f"{monotonic() - began:.0f} s")


def _age(manifest: Manifest, alias: str) -> Finding:
    copied_at = manifest.copied_at(alias)
    saw = f"{timesince(copied_at, timezone.now())} ({copied_at:%Y-%m-%d %H:%M} UTC)"
    return Finding(name=f"age of {alias}", ok=True, saw=saw.replace("\xa0", " "))


def _put_into_scratch(
    source: Source, tar: TarFile, manifest: Manifest, alias: str, stack: ExitStack
) -> Finding:
    began, connection = monotonic(), connections[alias]
    copy = extract(tar, manifest.databases[alias].file, source.folder / alias)
    stack.enter_context(in_scratch(connection, folder=source.folder))
    stack.enter_context(replaced(connection, copy, stamp="drill"))
    name = f"database {alias}"
    try:
        call_command("migrate", database=alias, verbosity=0, interactive=False)
        connection.check_constraints()
    except IntegrityError as error:
        return Finding(name=name, ok=False, saw=str(error))
    return Finding(name=name, ok=True, saw=f"restored and migrated in {monotonic() - began:.0f} s")


def _examine(alias: str, manifest: Manifest) -> Iterator[Finding]:
    """Let each app look at its tables, as with `was_put_back`."""
    pictures = {
        **{name: digest for name, digest in manifest.files.items() if name.startswith(PICTURES)},
        **{name: digest_in(stored) for name, stored in manifest.beside.items()},
    }
    named = {name.removeprefix(PICTURES): digest for name, digest in pictures.items()}
    for app in own_apps(connections[alias]):
        if hasattr(app, "examine_copy"):
            yield from app.examine_copy(pictures=named or None)


@contextmanager
def _keys_of(source: Source, tar: TarFile, manifest: Manifest) -> Iterator[Finding]:
    """Examine with today's keys, or with those in the copy, which a restore would bring."""
    foreign = foreign_key(manifest)
    if not foreign:
        yield Finding(name="keys", ok=True, saw="those of today")
    elif not (settings.EMBEDDED and KEYS in manifest.files):
        advice = "Set the old keys behind today's."
        saw = f"{foreign} of the copy is not among today's"
        yield Finding(name="keys", ok=False, saw=saw, advice=advice)
    else:
        keys = json.loads(extract(tar, KEYS, source.folder / KEYS).read_text())
        today = settings.FIELD_KEYS, settings.MARKETPLACE_KEYS
        settings.FIELD_KEYS, settings.MARKETPLACE_KEYS = (keys[name] for name in SEALED_WITH)
        try:
            yield Finding(name="keys", ok=True, saw="those in the copy, which are not those of today")
        finally:
            settings.FIELD_KEYS, settings.MARKETPLACE_KEYS = today
