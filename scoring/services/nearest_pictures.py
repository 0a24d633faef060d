"""The pictures of the pool that are nearest to others, by vectors that are kept. Memory does not grow."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from scoring import rivals
from scoring.models import PoolPicture, RegisteredRival, Vector
from scoring.services.embedding import picture_vectors
from scoring.services.model_loading import LoadedRival, computing, load_rival

# Pictures of the pool whose vectors are read at once.
AT_ONCE = 1_000


@dataclass(frozen=True, kw_only=True)
class Near:
    """A picture of the pool, and its cosine with another one."""

    sha256: str
    cosine: float


def nearest_in_pool(
    rival: RegisteredRival, digests: Sequence[str], *, k: int
) -> Mapping[str, Sequence[Near]]:
    """Return the k nearest pictures of the pool for each of these, the nearest first.

    Pictures that the model cannot read, and those of the pool that it has not seen, are in none. Raises
    CrowdError if the model is no dual encoder, or its weights are missing.
    """
    loaded = load_rival(rival)
    with computing:
        readable, wanted = _wanted(loaded, digests)
    if not readable:
        return {}
    nearest = _Nearest(len(readable), k=k)
    for shown, vectors in _pool(loaded):
        nearest.add(wanted @ vectors.astype(np.float64).T, shown)
    return {
        digest: [one for one in found if one.sha256 != digest][:k]
        for digest, found in zip(readable, nearest.found(), strict=True)
    }


class _Nearest:
    """The best so far; one more than wanted, since a picture may itself be in the pool."""

    def __init__(self, rows: int, *, k: int) -> None:
        self._most = k + 1
        self._cosines: Any = np.empty((rows, 0))
        self._digests: Any = np.empty((rows, 0), dtype="U64")

    def add(self, cosines: Any, digests: Sequence[str]) -> None:
        names = np.broadcast_to(np.array(digests, dtype="U64"), cosines.shape)
        cosines = np.concatenate([self._cosines, cosines], axis=1)
        names = np.concatenate([self._digests, names], axis=1)
        best = np.argsort(-cosines, axis=1, kind="stable")[:, : self._most]
        self._cosines = np.take_along_axis(cosines, best, axis=1)
        self._digests = np.take_along_axis(names, best, axis=1)

    def found(self) -> Iterator[list[Near]]:
        for cosines, digests in zip(self._cosines.tolist(), self._digests.tolist(), strict=True):
            yield [Near(sha256=name, cosine=cosine) for name, cosine in zip(digests, cosines, strict=True)]


def _wanted(loaded: LoadedRival, digests: Sequence[str]) -> tuple[list[str], Any]:
    """Return the digests of pictures that can be read, and their vectors: kept ones, and others computed."""
    found: dict[str, Any] = {}
    for digest in digests:
        try:
            (found[digest],) = picture_vectors(loaded, [rivals.Picture(sha256=digest, path="", caption="")])
        except rivals.UnreadablePicture:
            continue
    return list(found), np.stack(list(found.values())).astype(np.float64) if found else None


def _pool(loaded: LoadedRival) -> Iterator[tuple[list[str], Any]]:
    digests = PoolPicture.objects.order_by("pk").values_list("sha256", flat=True).iterator()
    while some := list(islice(digests, AT_ONCE)):
        rows = Vector.objects.filter(
            space=loaded.space, of=Vector.Of.PICTURE, content_sha256__in=some, values__isnull=False
        )
        known = dict(rows.values_list("content_sha256", "values"))
        if shown := [one for one in some if one in known]:
            yield shown, np.stack([np.frombuffer(known[one] or b"", dtype="<f4") for one in shown])
