"""Pictures of single items: kept outside the pool, with the very bytes that were sent."""

from contextlib import ExitStack
from datetime import datetime
from hashlib import sha256
from uuid import uuid4

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils.translation import gettext as _

from crowd.pictures import domain
from crowd.pictures.files.single_uploads import Upload
from crowd.pictures.models import Original, Picture, new_key
from crowd.pictures.services.picture_entry import SUFFIXES
from crowd.pictures.services.picture_states import lock_pictures
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

LONGEST_NAME = 200
LONGEST_SENDER = 80
WAITS = (
    "This very picture is in the pool and waits for its check. "
    "Send it once it has been checked, or choose another one."
)
Status = Picture.Status


def upload_picture(
    *,
    upload: Upload,
    concept: str,
    by: User | None,
    sender: str = "",
    name: str = "",
    source: str = "",
    credit: str = "",
    licence: str = "",
    now: datetime,
) -> Picture:
    """The picture with this content, fit to be shown: a new one, or an existing one, also of the pool.

    Raises RuleBroken for one that staff have removed or not let in. Its row is locked until the caller's
    transaction ends, so call this first in the transaction that makes the item.
    """
    with ExitStack() as undoing, transaction.atomic():
        picture = _known(upload) or _keep(
            upload,
            undoing,
            concept=domain.tidy_concept(concept)[: domain.LONGEST_CONCEPT],
            source=source,
            credit=credit,
            licence=licence,
        )
        _refuse_what_may_not_be_shown(picture)
        if not picture.originals.filter(sha256=upload.original_sha256).exists():
            Original.objects.create(
                picture=picture,
                sha256=upload.original_sha256,
                # Without a suffix: nothing takes it for what its sender called it.
                file=_store(f"originals/{uuid4()}", upload.original, undoing),
                name=_one_line(name or upload.name)[:LONGEST_NAME],
                bytes=len(upload.original),
                sent_by=by,
                sender=_one_line(sender)[:LONGEST_SENDER],
                sent_at=now,
            )
        undoing.pop_all()
    return picture


def _keep(upload: Upload, undoing: ExitStack, **words: str) -> Picture:
    key = new_key()
    stored = _store(f"pictures/{key}.{SUFFIXES[upload.media_type]}", upload.data, undoing)
    try:
        with transaction.atomic():
            return Picture.objects.create(
                key=key,
                sha256=sha256(upload.data).hexdigest(),
                original_sha256=upload.original_sha256,
                file=stored,
                media_type=upload.media_type,
                status=Status.FIT,
                in_pool=False,
                **words,
            )
    except IntegrityError:
        # The same was uploaded just now; any other error is raised again.
        default_storage.delete(stored)
        if known := _known(upload):
            return known
        raise


def _store(name: str, content: bytes, undoing: ExitStack) -> str:
    """Store a file that is deleted again unless the caller gets to its end."""
    stored = default_storage.save(name, ContentFile(content))
    undoing.callback(default_storage.delete, stored)
    return stored


def _known(upload: Upload) -> Picture | None:
    """The picture with the same bytes, as sent or as served; its row is locked, and read afresh."""
    drawn = sha256(upload.data).hexdigest()
    either = {drawn, upload.original_sha256}
    same = Q(sha256__in=either) | Q(original_sha256=upload.original_sha256)
    keys = Picture.objects.filter(same).order_by("in_pool", "pk").values_list("pk", flat=True)[:1]
    return next(iter(lock_pictures(list(keys))), None)


def _refuse_what_may_not_be_shown(picture: Picture) -> None:
    match picture.status:
        case Status.REMOVED:
            words = _("This very picture was removed by staff. Choose another one.")
            raise RuleBroken("picture_removed", words)
        case Status.UNFIT if picture.is_undecided:
            words = _(
                "This very picture is in the pool, where letters were found on it, and nobody has said that "
                "they do no harm. Choose another one."
            )
            raise RuleBroken("picture_flagged", words)
        case Status.UNFIT:
            words = _("Staff looked at this very picture before: %(reason)s. Choose another one.")
            raise RuleBroken("picture_unfit", words % {"reason": picture.get_unfit_reason_display()})
        case Status.WAITING:
            raise RuleBroken("picture_waits", WAITS)


def _one_line(text: str) -> str:
    return " ".join(text.replace("\0", "").split())
