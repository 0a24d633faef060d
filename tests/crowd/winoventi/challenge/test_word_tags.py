"""Parts of speech of the special words: asked of a tagger, counted by hand again, corrected by people."""

import pytest
from django.db import connection
from django.db.models import Q
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from crowd.winoventi.challenge.exporting.columns import told_by
from crowd.winoventi.challenge.queries.part_counts import PartCount, part_counts
from crowd.winoventi.challenge.queries.prompt_rows import read_prompts
from crowd.winoventi.challenge.services import word_tags
from crowd.winoventi.models import Premise, Project, WordTag
from crowd.winoventi.models.model_runs import ModelRun
from hits.core.errors import RuleBroken
from hits.core.models.audit_events import AuditEvent
from hits.identity.roles import RESEARCHER, REVIEWER
from scoring.models.model_questions import ModelQuestion
from scoring.services.answering_questions import answer_questions
from tests.crowd.winoventi.rows import make_pair, make_project
from tests.factories import NOW, make_user
from tests.goldens import body_of
from tests.pages import text_of
from tests.people import sign_in
from tests.scoring.fakes import make_rival
from tests.scoring.text_fakes import FakeText, use_text_fakes

pytestmark = pytest.mark.django_db


@pytest.fixture
def text(monkeypatch: pytest.MonkeyPatch) -> type[FakeText]:
    """A fake tagger. Of the pairs below, two words are verbs, one is an adjective, and three are nouns."""
    fake = use_text_fakes(monkeypatch)
    fake.parts = {"screamed": "VERB", "shivered": "VERB", "Ripe": "ADJ"}
    return fake


@pytest.fixture
def project(text: type[FakeText]) -> Project:
    made = make_project("lemon", "pan", "fig", tagger=make_rival("spacy-sm", kind="tagger"))
    make_pair(made)  # face / smile
    make_pair(made, "pan", ("hot", "cold"), "She [screamed / shivered].")
    make_pair(made, "fig", ("sweet", "sour"), "[ripe / stones] are what she likes.")
    return made


def tag() -> None:
    word_tags.tag_words(now=NOW)
    answer_questions(clock=lambda: NOW)
    word_tags.tag_words(now=NOW)


def parts() -> dict[tuple[str, str], str]:
    rows = WordTag.objects.select_related("premise__alternative__generic__noun")
    return {(row.premise.noun, row.kind): row.part for row in rows}


def test_words_of_valid_pairs_are_tagged_in_their_own_sentences(project: Project) -> None:
    failed = make_pair(project, "road", ("long", "short"))
    Premise.objects.filter(pk=failed.pk).update(state="failed")

    tag()

    asked = {(one.input["text"], one.input["start"], one.input["end"]) for one in ModelQuestion.objects.all()}
    assert asked == {
        ("She made a face.", 11, 15),
        ("She made a smile.", 11, 16),
        ("She screamed.", 4, 12),
        ("She shivered.", 4, 12),
        ("Ripe are what she likes.", 0, 4),
        ("Stones are what she likes.", 0, 6),
    }
    assert parts() == {
        ("lemon", "generic"): "NOUN",
        ("lemon", "exception"): "NOUN",
        ("pan", "generic"): "VERB",
        ("pan", "exception"): "VERB",
        ("fig", "generic"): "ADJ",
        ("fig", "exception"): "NOUN",
    }


def test_shares_are_those_counted_by_hand(project: Project) -> None:
    tag()

    found = part_counts(project)

    assert found.parts == [
        PartCount(part="NOUN", words=3, generic=1, exception=2, corrected=0),
        PartCount(part="VERB", words=2, generic=1, exception=1, corrected=0),
        PartCount(part="ADJ", words=1, generic=1, exception=0, corrected=0),
    ]
    assert (found.words, found.tagger) == (6, "spacy-sm (paper 1.2, spaCy 3.8)")


def test_each_tag_keeps_which_tagger_told_it(project: Project) -> None:
    tag()

    one = WordTag.objects.order_by("pk")[0]
    assert (one.rival.name, one.provenance["preprocessing"]["version"]) == ("spacy-sm", "1.2")
    assert one.provenance["weights_sha256"]


def test_a_part_that_nobody_knows_is_other(project: Project, text: type[FakeText]) -> None:
    text.parts["face"] = "SPACE"

    tag()

    assert parts()["lemon", "generic"] == "X"


def test_pairs_that_become_valid_later_are_tagged_by_themselves(project: Project) -> None:
    tag()
    make_pair(project, "road", ("long", "short"))

    tag()

    assert len(parts()) == 8
    assert ModelRun.objects.values_list("is_open", "failed").get() == (False, 0)


def test_a_pair_recorded_without_a_bracket_is_not_asked_about_and_counts_nowhere(
    project: Project, client: Client
) -> None:
    tag()
    made = make_pair(project, "road", ("long", "short"))
    Premise.objects.filter(pk=made.pk).update(sentence="The road goes on (old / new).")

    with CaptureQueriesContext(connection) as queries:
        word_tags.tag_words(now=NOW)

    assert len(queries) == 1
    assert ModelQuestion.objects.count() == len(parts()) == 6
    sign_in(client, RESEARCHER, project.study)
    table = reverse("admin:winoventi_table", args=[project.pk, "sentences"])
    assert body_of(client.get(table)).splitlines()[2:] == [
        "Sentences,3,",
        '"Words, on average",3.67,',
        "Special word in the first third,1,33.3 %",
        "Special word in the middle third,0,0.0 %",
        "Special word in the last third,2,66.7 %",
    ]
    page = text_of(client.get(reverse("admin:winoventi_statistics", args=[project.pk])))
    assert page.count("1 valid pair without a special word, recorded without a bracket: left out here.") == 2


def test_pairs_that_are_no_longer_valid_do_not_count(project: Project) -> None:
    tag()
    Premise.objects.filter(alternative__generic__noun__word="pan").update(state="failed")

    assert {one.part: one.words for one in part_counts(project).parts} == {"NOUN": 3, "ADJ": 1}


def test_a_finished_project_costs_one_query_and_one_without_tagger_too(project: Project) -> None:
    tag()

    with CaptureQueriesContext(connection) as queries:
        word_tags.tag_words(now=NOW)
    assert len(queries) == 1
    Project.objects.update(tagger=None)
    make_pair(project, "road", ("long", "short"))
    with CaptureQueriesContext(connection) as queries:
        word_tags.tag_words(now=NOW)

    assert len(queries) == 1


def test_a_sentence_that_the_tagger_cannot_read_waits_for_a_person_and_then_goes_on(
    project: Project, client: Client
) -> None:
    make_pair(project, "road", ("long", "short"), "The poison is [old / new].")
    tag()
    sign_in(client, RESEARCHER, project.study)
    statistics = reverse("admin:winoventi_statistics", args=[project.pk])
    again = reverse("admin:winoventi_words_again", args=[project.pk])
    assert "1 pair could not be tagged. This is no sentence." in text_of(client.get(statistics))
    assert f'action="{again}"' in text_of(client.get(statistics))

    for noun in ("sea", "sky"):  # new ones, not asked about yet
        make_pair(project, noun, ("blue", "gray"))
    answer = client.post(again)

    assert answer["Location"] == f"{statistics}#parts"
    assert "The tagger is asked again, about 2 words." in text_of(client.get(statistics))
    assert set(ModelQuestion.objects.exclude(status="answered").values_list("status", flat=True)) == {
        "waiting"
    }
    tag()
    assert len(parts()) == 10


def test_asking_again_without_a_tagger_says_what_to_do(project: Project) -> None:
    Project.objects.update(tagger=None)
    project.refresh_from_db()

    with pytest.raises(RuleBroken, match="Choose a tagger first"):
        word_tags.tag_anew(project=project, now=NOW)


def word(project: Project, noun: str = "lemon", kind: str = "generic") -> WordTag:
    return WordTag.objects.get(
        premise__project=project, premise__alternative__generic__noun__word=noun, kind=kind
    )


def address(tag_: WordTag) -> str:
    return reverse("admin:winoventi_word", args=[tag_.premise.project_id, tag_.pk])


def test_a_researcher_corrects_a_word_and_takes_it_back(project: Project, client: Client) -> None:
    tag()
    by = sign_in(client, RESEARCHER, project.study)
    one = word(project)

    said = text_of(client.post(address(one), {"part": "ADJ"}, follow=True))

    one.refresh_from_db()
    assert (one.part, one.tagged, one.corrected_by) == ("ADJ", "NOUN", by)
    assert "is corrected, and counts so from now on" in said
    assert {row.part: row.corrected for row in part_counts(project).parts} == {"NOUN": 0, "VERB": 0, "ADJ": 1}
    client.post(address(one), {"restore": ""})
    one.refresh_from_db()
    assert (one.part, one.corrected_by, one.corrected_at) == ("NOUN", None, None)
    actions = list(AuditEvent.objects.order_by("pk").values_list("kind", flat=True))
    assert actions == ["winoventi.part_of_speech_corrected", "winoventi.part_of_speech_restored"]
    assert "“face” in the generic sentence" in AuditEvent.objects.order_by("pk")[0].words


def test_the_same_correction_twice_is_one(project: Project) -> None:
    tag()
    by = make_user()

    assert word_tags.correct_tag(tag=word(project), part="ADJ", by=by, now=NOW)
    assert not word_tags.correct_tag(tag=word(project), part="ADJ", by=by, now=NOW)
    assert AuditEvent.objects.count() == 1


def test_a_bad_part_changes_nothing(project: Project, client: Client) -> None:
    tag()
    sign_in(client, RESEARCHER, project.study)
    one = word(project)

    page = text_of(client.post(address(one), {"part": "NICE"}))

    assert "Select a valid choice" in page
    one.refresh_from_db()
    assert (one.part, one.corrected_at) == ("NOUN", None)


def test_a_reviewer_looks_and_corrects_nothing(project: Project, client: Client) -> None:
    tag()
    sign_in(client, REVIEWER, project.study)
    one = word(project)

    assert "Correct it" not in text_of(client.get(address(one)))
    assert client.post(address(one), {"part": "ADJ"}).status_code == 403
    assert client.post(reverse("admin:winoventi_words_again", args=[project.pk])).status_code == 403
    one.refresh_from_db()
    assert one.part == "NOUN"


def test_words_of_a_strange_study_are_not_shown(project: Project, client: Client) -> None:
    tag()
    sign_in(client, RESEARCHER, make_project().study)

    assert client.get(address(word(project))).status_code == 404
    listed = text_of(client.get(reverse("admin:winoventi_wordtag_changelist")))
    assert "She made a face." not in listed


def test_a_correction_holds_when_another_tagger_is_chosen(project: Project) -> None:
    tag()
    by = make_user()
    word_tags.correct_tag(tag=word(project), part="ADJ", by=by, now=NOW)

    tag_by_another(project)

    new = WordTag.objects.get(rival=project.tagger, premise=word_of("lemon"), kind="generic")
    assert (new.tagged, new.part, new.corrected_by) == ("NOUN", "ADJ", by)
    assert part_counts(project).words == 6


def test_a_correction_under_one_tagger_counts_under_every_other_one(project: Project) -> None:
    tag()
    by = make_user()
    tag_by_another(project)
    one = WordTag.objects.get(rival=project.tagger, premise=word_of("lemon"), kind="generic")

    assert word_tags.correct_tag(tag=one, part="ADJ", by=by, now=NOW)

    corrected = WordTag.objects.filter(corrected_at__isnull=False)
    told = list(corrected.values_list("premise", "kind", "part", "corrected_by"))
    assert told == [(one.premise_id, "generic", "ADJ", by.pk)] * 2
    assert not word_tags.correct_tag(tag=one, part="ADJ", by=by, now=NOW)


def test_a_correction_that_is_taken_back_counts_under_no_tagger(project: Project) -> None:
    tag()
    word_tags.correct_tag(tag=word(project), part="ADJ", by=make_user(), now=NOW)
    tag_by_another(project)
    one = WordTag.objects.get(rival=project.tagger, premise=word_of("lemon"), kind="generic")

    assert word_tags.drop_correction(tag=one, by=make_user(), now=NOW)

    rows = WordTag.objects.filter(premise=one.premise_id, kind="generic")
    assert list(rows.values_list("part", flat=True)) == ["NOUN"] * 2
    assert not rows.filter(Q(corrected_by__isnull=False) | Q(corrected_at__isnull=False)).exists()


def tag_by_another(project: Project) -> None:
    Project.objects.update(tagger=make_rival("spacy-lg", kind="tagger"))
    project.refresh_from_db()
    tag()


def word_of(noun: str) -> Premise:
    return Premise.objects.get(alternative__generic__noun__word=noun)


def test_the_list_has_words_with_their_sentences_in_few_queries(project: Project, client: Client) -> None:
    tag()
    sign_in(client, RESEARCHER, project.study)
    listed = reverse("admin:winoventi_wordtag_changelist")
    client.get(listed)
    with CaptureQueriesContext(connection) as few:
        page = text_of(client.get(listed))
    for number in range(5):
        make_pair(project, f"noun{number}", sentence=f"It [was / is] {number}.")
    tag()

    with CaptureQueriesContext(connection) as many:
        client.get(listed)

    assert "She screamed." in page
    word_tags.correct_tag(tag=word(project), part="ADJ", by=make_user(), now=NOW)
    corrected = text_of(client.get(listed, {"corrected": "yes"}))
    assert "She made a face." in corrected
    assert "She screamed." not in corrected
    assert len(many) == len(few)
    assert client.get(f"{listed}{word(project).pk}/change/")["Location"] == address(word(project))


def test_statistics_and_file_have_the_table(project: Project, client: Client) -> None:
    tag()
    sign_in(client, RESEARCHER, project.study)

    file = body_of(client.get(reverse("admin:winoventi_table", args=[project.pk, "parts"])))
    page = text_of(client.get(reverse("admin:winoventi_statistics", args=[project.pk])))

    assert file.splitlines()[1:] == [
        "Part of speech,Tag,Words,Share,In generic sentences,In exception sentences,Corrected by hand",
        "noun,NOUN,3,50.0 %,1,2,0",
        "verb,VERB,2,33.3 %,1,1,0",
        "adjective,ADJ,1,16.7 %,1,0,0",
    ]
    assert "Told by spacy-sm (paper 1.2, spaCy 3.8)." in page


def test_the_full_export_says_the_part_and_who_told_it(project: Project) -> None:
    tag()
    word_tags.correct_tag(tag=word(project), part="ADJ", by=make_user(), now=NOW)

    rows = {
        (row.pair.noun, row.kind): row.tag for row in read_prompts(project, everything=False, in_full=True)
    }

    corrected, plain = rows["lemon", "generic"], rows["pan", "exception"]
    assert corrected is not None
    assert plain is not None
    assert (corrected.part, told_by(corrected)) == (
        "ADJ",
        "a person; spacy-sm (paper 1.2, spaCy 3.8) says NOUN",
    )
    assert (plain.part, told_by(plain)) == ("VERB", "spacy-sm (paper 1.2, spaCy 3.8)")
