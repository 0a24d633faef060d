"""How far each rival knows the pool."""

from django.db.models import Exists, OuterRef

from scoring.models import PendingQuery, PoolPicture, RegisteredRival, Vector


def pictures_known(rival: RegisteredRival) -> int:
    """Of the present pool; with what the rival cannot read, which it will not be asked for again."""
    known = Vector.objects.filter(space__weights_sha256=rival.weights_sha256, of=Vector.Of.PICTURE).values(
        "content_sha256"
    )
    return PoolPicture.objects.filter(**{f"{rival.reads}__in": known}).count() if rival.weights_sha256 else 0


def is_pool_known(rival: RegisteredRival) -> bool:
    """The same, of the whole pool."""
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
    """Riddles that wait for it, and how many of them have failed before."""
    waiting = PendingQuery.objects.filter(rival=rival)
    return waiting.count(), waiting.filter(tries__gt=0).count()
