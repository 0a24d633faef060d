"""What a purge of a study erases here: what people say about themselves, and what they hold and were told."""

from django.db.models import OuterRef

from hits.data import purge_parts
from hits.data.purge_parts import blanking, deleting, only_in
from qualifications.models import Attempt, Demographics, Holding, SpokenEnglish, UnderAge


def register() -> None:
    purge_parts.register(
        deleting(
            Demographics,
            name="What people said about themselves, of those in no other study",
            told=lambda row: str(row.pk),
            rows=lambda study: Demographics.objects.filter(worker__in=only_in(study)),
        ),
        deleting(
            SpokenEnglish,
            name="Whether they speak English, of those in no other study",
            told=lambda row: str(row.pk),
            rows=lambda study: SpokenEnglish.objects.filter(worker__in=only_in(study)),
        ),
        deleting(Holding, name="What people hold of its gates", told=lambda row: str(row.pk)),
        blanking(Attempt, "words", name="Words to people about their tests"),
    )
    purge_parts.keep_whoever(lambda: UnderAge.objects.filter(worker=OuterRef("pk")))
