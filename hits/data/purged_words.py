"""What a purge erases of these rooms: words to workers, words of theirs, and words about them."""

from django.db.models import OuterRef

from hits.data import purge_parts
from hits.data.purge_parts import blanking, deleting
from hits.identity.models.blocks import Block
from hits.people.models import Message, Recipient
from hits.review.models import Appeal
from hits.work.models.decisions import Note

ERASED = "(erased)"


def register() -> None:
    purge_parts.register(
        deleting(
            Recipient,
            name="Letters to workers: to whom each went",
            told=lambda row: str(row.pk),
            rows=lambda study: Recipient.objects.filter(message__study=study),
        ),
        blanking(Message, "subject", "text", name="Letters to workers: their words", path="study", to=ERASED),
        blanking(Appeal, "text", name="Appeals: what the worker wrote", to=ERASED),
        deleting(Note, name="Notes of reviewers about a piece of work", told=lambda row: str(row.text)),
    )
    purge_parts.keep_whoever(
        lambda: Block.objects.filter(worker=OuterRef("pk")).exclude(status=Block.Status.LIFTED)
    )
