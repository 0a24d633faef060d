"""Words whose vectors are computed before anybody asks, so that a verdict about them needs no model."""

from collections.abc import Iterable
from itertools import islice

from django.conf import settings
from django.db.models import Max

from scoring.models import RegisteredRival, VocabularyWord
from scoring.services.rival_selection import NoRival, rivals_with_vectors

LONGEST = VocabularyWord._meta.get_field("text").max_length or 0
AT_ONCE = 1000


def learn_words(words: Iterable[str]) -> int:
    """Add words, the most frequent first, until the vocabulary is full; return how many are new.

    A cue of the game is one word. Lists hold others too, and these are left out.
    """
    known = set(VocabularyWord.objects.values_list("text", flat=True))
    room = max(0, settings.VOCABULARY - len(known))
    fitting = (word for word in dict.fromkeys(words) if word not in known and _may_be_a_cue(word))
    new = [VocabularyWord(text=word) for word in islice(fitting, room)]
    VocabularyWord.objects.bulk_create(new, batch_size=AT_ONCE, ignore_conflicts=True)
    return len(new)


def _may_be_a_cue(word: str) -> bool:
    return len(word) <= LONGEST and len(word.split()) == 1


def words_unread(rival: RegisteredRival) -> int:
    return VocabularyWord.objects.filter(pk__gt=rival.vocabulary_read).count()


def is_all_read() -> bool:
    """Whether every rival in play has read the whole vocabulary."""
    last = VocabularyWord.objects.aggregate(last=Max("pk"))["last"] or 0
    try:
        return all(rival.vocabulary_read >= last for rival in rivals_with_vectors())
    except NoRival:
        return True
