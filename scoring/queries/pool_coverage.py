"""How much of the pool each rival knows."""

from django.db.models import Exists, OuterRef

from scoring.models import PendingQuery, PoolPicture, RegisteredRival, Vector


def pictures_known(rival: RegisteredRival) -> int:
    """Pictures of the present pool with a vector, or which the rival cannot read and will not retry."""
    known = Vector.objects.filter(space__weights_sha256=rival.weights_sha256, of=Vector.Of.PICTURE).values(
        "content_sha256"
    )
    return PoolPicture.objects.filter(**{f"{rival.reads}__in": known}).count() if rival.weights_sha256 else 0


def is_pool_known(rival: RegisteredRival) -> bool:
    """Whether the rival knows every picture of the pool."""
    known = Vector.objects.filter(
        space__weights_sha256=rival.weights_sha256,
        of=Vector.Of.PICTURE,
        content_sha256=OuterRef(rival.reads),
    )
    return not PoolPicture.objects.filter(~Exists(known)).exists()


def unreadable(rival: RegisteredRival) -> int:
    rows = Vector.objects.filter(space__weights_sha256=rival.weights_sha256, of=Vector.Of.PICTURE)
    return rows.filter(values=None).count()


def waiting_for(rival: RegisteredRival) -> tuple[int, int]:
    """How many queries wait for the rival, and how many of them have failed before."""
    waiting = PendingQuery.objects.filter(rival=rival)
    return waiting.count(), waiting.filter(tries__gt=0).count()
