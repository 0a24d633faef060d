"""Words that are likely to be asked about are read before, in the background and between the answers."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.utils import timezone

from qualifications.services.list_imports import Source, import_swow
from scoring.models import PendingQuery, RegisteredRival, Vector, Verdict, VocabularyWord
from scoring.services import embedding_backfill, pending_work
from scoring.services.rival_answers import answer_waiting
from scoring.services.rival_pool import Entering, enter_pool
from scoring.services.vocabulary import learn_words
from tests.factories import NOW, make_assignment
from tests.scoring.fakes import FakeRival, make_rival
from tests.scoring.test_asking import ask

pytestmark = pytest.mark.django_db
PICTURES = [Entering(sha256=f"{number:064x}", path=f"{number}.png", caption="") for number in range(5)]


@pytest.fixture
def rival(fake: type[FakeRival], settings: LazySettings) -> RegisteredRival:
    settings.RIVAL = make_rival().name
    enter_pool(PICTURES)
    embedding_backfill.fill_pools()
    fake.computed.clear()
    return RegisteredRival.objects.get()


def words() -> list[str]:
    return list(VocabularyWord.objects.order_by("pk").values_list("text", flat=True))


def test_word_of_the_vocabulary_is_answered_at_once_by_all_that_play(
    rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    learn_words(["snow", "frost"])

    read = embedding_backfill.read_vocabularies()

    rival_query, _ = ask(make_assignment(), "frost")
    assert (read, fake.computed) == (2, ["A snow", "A frost"])
    assert rival_query.verdict is not None
    assert not PendingQuery.objects.exists()


def test_vocabulary_is_read_once_and_what_is_new_afterwards(
    rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    learn_words(["snow", "frost"])
    embedding_backfill.read_vocabularies()
    learn_words(["frost", "ice"])

    counts = [embedding_backfill.read_vocabularies() for _ in range(2)]

    assert (counts, fake.computed) == ([1, 0], ["A snow", "A frost", "A ice"])
    assert pending_work.next_reading(now=NOW) is None


def test_word_that_was_asked_before_is_not_computed_again(
    rival: RegisteredRival, fake: type[FakeRival]
) -> None:
    ask(make_assignment(), "snow")
    answer_waiting(clock=lambda: NOW)
    learn_words(["snow"])

    embedding_backfill.read_vocabularies()

    assert fake.computed == ["A snow"]
    assert Vector.objects.filter(of="prompt").count() == 1


def test_question_that_somebody_waits_for_comes_before_the_next_words(
    rival: RegisteredRival, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scoring.services.embedding.WORDS_AT_ONCE", 1)
    learn_words(["ice", "frost"])
    ask(make_assignment(), "snow")
    seen: list[int] = []
    embed = FakeRival.embed_texts

    def watch(self: FakeRival, prompts: Sequence[str]) -> object:
        seen.append(Verdict.objects.count())
        return embed(self, prompts)

    monkeypatch.setattr(FakeRival, "embed_texts", watch)
    embedding_backfill.read_vocabularies()

    assert seen == [0, 0, 1]  # the first word, the question, the second word


def test_rival_that_is_down_reads_later_and_keeps_its_place(
    rival: RegisteredRival, fake: type[FakeRival], monkeypatch: pytest.MonkeyPatch
) -> None:
    learn_words(["snow", "poison"])

    assert embedding_backfill.read_vocabularies() == 0
    assert RegisteredRival.objects.get().vocabulary_read == 0
    assert pending_work.next_reading(now=NOW) == NOW + pending_work.REST


def test_vocabulary_takes_single_words_and_ends_where_the_setting_says(settings: LazySettings) -> None:
    settings.VOCABULARY = 3

    counts = [learn_words(some) for some in (["snow", "ice cream", "", "x" * 31, "ice"], ["ice", "a", "b"])]

    assert counts == [2, 1]
    assert words() == ["snow", "ice", "a"]


def test_imported_association_list_gives_its_words_the_most_said_first(tmp_path: Path) -> None:
    path = tmp_path / "list.csv"
    path.write_text("cue,response,count\nwinter,snow,9\nwinter,ice cream,8\nnight,moon,20\nsnow,winter,3\n")

    import_swow(source=Source(path=path, name="small", language="en", licence=None), clock=timezone.now)

    assert words() == ["moon", "snow", "winter", "night"]


def test_command_learns_a_file_and_the_lists_that_are_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "words.txt"
    path.write_text("umbrella\n\n  rain  \n")

    call_command("learn_words", path)
    call_command("learn_words")

    assert words() == ["umbrella", "rain"]
    assert [line.partition(".")[0] for line in capsys.readouterr().out.splitlines()] == [
        "2 new words",
        "0 new words",
    ]
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("learn_words", tmp_path / "none.txt")
