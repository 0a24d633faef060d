"""Vectors, computed once: taken from memory, else from the database, else from the model."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

import numpy as np
import structlog
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Exists, Model, OuterRef, QuerySet

from scoring import rivals
from scoring.models import PoolPicture, RegisteredRival, Space, Vector, VocabularyWord
from scoring.services.model_loading import LoadedRival, computing, load_rival, load_scorer, with_space
from scoring.services.picture_places import find_pictures

Row = TypeVar("Row", bound=Model)
Thing = TypeVar("Thing")
Of = Vector.Of
# 20,000 vectors of RN50 are 80 MB.
MOST_KEPT = 20_000
# One chunk takes a processor about a second with RN50, so a verdict waits no longer.
AT_ONCE = 8
WORDS_AT_ONCE = 32
log = structlog.get_logger()
_memory: dict[tuple[str, str, str], dict[str, rivals.Vectors]] = {}


def picture_vectors(loaded: LoadedRival, pictures: Sequence[rivals.Picture]) -> rivals.Vectors:
    """Vectors in the order of the pictures. Raises UnreadablePicture if one cannot be read."""
    keys = [loaded.model.key_of(picture) for picture in pictures]
    return _vectors(
        loaded, Of.PICTURE, keys, pictures, lambda missing: loaded.model.embed_pictures(locate(missing))
    )


def prompt_vectors(loaded: LoadedRival, prompts: Sequence[str]) -> rivals.Vectors:
    """Vectors in the order of the prompts."""
    keys = [key_of_prompt(prompt) for prompt in prompts]
    return _vectors(loaded, Of.PROMPT, keys, prompts, loaded.model.embed_texts)


def key_of_prompt(prompt: str) -> str:
    return sha256(prompt.encode()).hexdigest()


def locate(pictures: Sequence[rivals.Picture]) -> list[rivals.Picture]:
    """The pictures with the paths of their files, for a model that has to open them."""
    places = find_pictures({one.sha256 for one in pictures})
    return [
        replace(one, path=_path_of(places[one.sha256].path) if one.sha256 in places else "")
        for one in pictures
    ]


def warm(rival: RegisteredRival) -> None:
    """Load the rival and all that its first question would otherwise wait for."""
    model = load_scorer(rival)
    kept: dict[str, rivals.Vectors] = {}
    if isinstance(model, rivals.DualEncoder):
        space = with_space(rival, model).space
        kept = _kept(space, Of.PICTURE)
        rows = space.vectors.filter(of=Of.PICTURE, values__isnull=False)
        for key, values in rows.values_list("content_sha256", "values")[:MOST_KEPT].iterator(chunk_size=1000):
            kept[key] = _read(values or b"")
        model.embed_texts([model.prompt("warm")])
    log.info("rival.warm", rival=rival.name, pictures=len(kept), device=model.device)


def fill_pool(rival: RegisteredRival) -> int:
    """Embed the next pictures of the pool that this rival has not seen; return how many were looked at."""
    loaded = load_rival(rival)
    with computing, one_at_a_time(Space.objects.filter(pk=loaded.space.pk)) as free:
        if not free:
            return 0
        batch = list(unseen(loaded)[:AT_ONCE])
        if batch:
            _embed_each(loaded, [_as_rivals_see(one) for one in batch])
    return len(batch)


def read_vocabulary(rival: RegisteredRival) -> int:
    """Embed the next words of the vocabulary for this rival; return how many were read."""
    loaded = load_rival(rival)
    with computing, one_at_a_time(Space.objects.filter(pk=loaded.space.pk)) as free:
        if not free:
            return 0
        read = RegisteredRival.objects.values_list("vocabulary_read", flat=True).get(pk=rival.pk)
        words = list(VocabularyWord.objects.filter(pk__gt=read).order_by("pk")[:WORDS_AT_ONCE])
        if words:
            _embed_prompts(loaded, [loaded.model.prompt(word.text) for word in words])
            RegisteredRival.objects.filter(pk=rival.pk, vocabulary_read=read).update(
                vocabulary_read=words[-1].pk
            )
    return len(words)


def unseen(loaded: LoadedRival) -> QuerySet[PoolPicture]:
    known = Vector.objects.filter(
        space=loaded.space, of=Of.PICTURE, content_sha256=OuterRef(loaded.rival.reads)
    )
    return PoolPicture.objects.filter(~Exists(known)).order_by("pk")


@contextmanager
def one_at_a_time(rows: QuerySet[Row]) -> Iterator[list[Row]]:
    """Lock the rows that no other process is at work on; a killed process releases its rows at once.

    SQLite has one background process and no row locks, and a transaction would hold up every writer there.
    """
    if connection.features.has_select_for_update_skip_locked:
        with transaction.atomic():
            yield list(rows.select_for_update(skip_locked=True, no_key=True, of=("self",)))
    else:
        yield list(rows)


def _as_rivals_see(one: PoolPicture) -> rivals.Picture:
    return rivals.Picture(sha256=one.sha256, path=_path_of(one.path), caption=one.caption)


def _path_of(below_media: str) -> str:
    return str(Path(settings.MEDIA_ROOT) / below_media)


def _embed_prompts(loaded: LoadedRival, prompts: Sequence[str]) -> None:
    """Store the prompts' vectors where they are missing. Memory is left to what is really asked."""
    by_key = {key_of_prompt(prompt): prompt for prompt in prompts}
    stored = loaded.space.vectors.filter(of=Of.PROMPT, content_sha256__in=by_key)
    missing = by_key.keys() - set(stored.values_list("content_sha256", flat=True))
    keys = [key for key in by_key if key in missing]
    if keys:
        _store(loaded, Of.PROMPT, keys, loaded.model.embed_texts([by_key[key] for key in keys]))


def _embed_each(loaded: LoadedRival, pictures: Sequence[rivals.Picture]) -> None:
    """Embed the pictures together; if one cannot be read, each by itself, and the reason is stored."""
    keys = [loaded.model.key_of(picture) for picture in pictures]
    try:
        _keep(loaded, Of.PICTURE, keys, loaded.model.embed_pictures(pictures))
    except rivals.UnreadablePicture as problem:
        if len(pictures) > 1:
            for picture in pictures:
                _embed_each(loaded, [picture])
            return
        Vector.objects.bulk_create(
            [Vector(space=loaded.space, of=Of.PICTURE, content_sha256=keys[0], problem=str(problem)[:500])],
            ignore_conflicts=True,
        )
        log.warning("picture.unreadable", rival=loaded.rival.name, picture=pictures[0].sha256)


def _vectors(
    loaded: LoadedRival,
    of: str,
    keys: Sequence[str],
    things: Sequence[Thing],
    compute: Callable[[list[Thing]], rivals.Vectors],
) -> rivals.Vectors:
    """One vector for each key, in their order: stored ones, and the rest computed and stored."""
    by_key = dict(zip(keys, things, strict=True))
    found = find_kept(loaded.space, of, by_key)
    if missing := [key for key in by_key if key not in found]:
        found |= _keep(loaded, of, missing, compute([by_key[key] for key in missing]))
    return np.stack([found[key] for key in keys])


def _kept(space: Space, of: str) -> dict[str, rivals.Vectors]:
    """Vectors in memory, by digests instead of rows, since these hold in every database."""
    return _memory.setdefault((space.weights_sha256, space.preprocessing_sha256, of), {})


def find_kept(space: Space, of: str, keys: Iterable[str]) -> dict[str, rivals.Vectors]:
    """Return the vectors that were computed before. Raises UnreadablePicture for one that cannot be."""
    kept = _kept(space, of)
    found = {key: kept[key] for key in keys if key in kept}
    if missing := [key for key in keys if key not in found]:
        rows = space.vectors.filter(of=of, content_sha256__in=missing)
        for key, values, problem in rows.values_list("content_sha256", "values", "problem"):
            if values is None:
                raise rivals.UnreadablePicture(problem)
            found[key] = _remember(kept, key, _read(values))
    return found


def _keep(
    loaded: LoadedRival, of: str, keys: Sequence[str], vectors: rivals.Vectors
) -> dict[str, rivals.Vectors]:
    _store(loaded, of, keys, vectors)
    kept = _kept(loaded.space, of)
    return {key: _remember(kept, key, vector) for key, vector in zip(keys, vectors, strict=True)}


def _store(loaded: LoadedRival, of: str, keys: Sequence[str], vectors: rivals.Vectors) -> None:
    if not np.isfinite(vectors).all():
        raise rivals.NotNumbers(
            f"{loaded.rival.name} computes no numbers on {loaded.model.device}. "
            "Register it with other options, such as another device."
        )
    Vector.objects.bulk_create(
        [
            Vector(space=loaded.space, of=of, content_sha256=key, values=vector.astype("<f4").tobytes())
            for key, vector in zip(keys, vectors, strict=True)
        ],
        ignore_conflicts=True,
    )


def _remember(kept: dict[str, rivals.Vectors], key: str, vector: rivals.Vectors) -> rivals.Vectors:
    while len(kept) >= MOST_KEPT:
        kept.pop(next(iter(kept)))
    kept[key] = vector
    return vector


def _read(values: bytes | memoryview) -> rivals.Vectors:
    return np.frombuffer(values, dtype="<f4")
