"""How far each rival knows the pool."""

from scoring.models import Asking, PoolPicture, RegisteredRival, Vector


def pictures_known(rival: RegisteredRival) -> int:
    """Of the present pool; with what the rival cannot read, which it will not be asked for again."""
    known = Vector.objects.filter(space__weights_sha256=rival.weights_sha256, of=Vector.Of.PICTURE).values(
        "content_sha256"
    )
    return PoolPicture.objects.filter(**{f"{rival.reads}__in": known}).count() if rival.weights_sha256 else 0


def unreadable(rival: RegisteredRival) -> int:
    rows = Vector.objects.filter(space__weights_sha256=rival.weights_sha256, of=Vector.Of.PICTURE)
    return rows.filter(values=None).count()


def waiting_for(rival: RegisteredRival) -> tuple[int, int]:
    """Riddles that wait for it, and how many of them have failed before."""
    waiting = Asking.objects.filter(rival=rival)
    return waiting.count(), waiting.filter(tries__gt=0).count()
