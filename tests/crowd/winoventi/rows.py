"""Factories of rows of the exception procedure for the tests about models; every argument has a default."""

from collections.abc import Sequence
from typing import Any

from django.utils import timezone

from crowd.winoventi.models import (
    Alternative,
    Choice,
    Evaluation,
    FilterScore,
    Generic,
    Judgement,
    ModelAnswer,
    Noun,
    Premise,
    Project,
    Prompt,
    Reading,
    WordTag,
    triplet_key,
)
from crowd.winoventi.models.model_runs import ModelRun
from crowd.winoventi.procedure.services.projects import add_nouns, open_project
from hits.identity.models.workers import Worker
from scoring.models import RegisteredRival
from tests.factories import NOW, make_study, make_worker


def make_project(*nouns: str, **rules: Any) -> Project:
    project = open_project(study=rules.pop("study", None) or make_study(), **rules)
    add_nouns(project=project, words=nouns)
    return project


def by_itself(project: Project, kind: str) -> None:
    project.steps.filter(kind=kind).update(by_itself=True)


def make_generic(project: Project, noun: str = "lemon", word: str = "sour", **changes: Any) -> Generic:
    row = project.nouns.filter(word=noun).first() or Noun.objects.create(
        project=project, number=project.nouns.count() + 1, word=noun
    )
    return Generic.objects.create(project=project, noun=row, word=word, **{"k": 1, **changes})


def make_alternative(
    project: Project, noun: str = "lemon", generic: str = "sour", word: str = "sweet", **changes: Any
) -> Alternative:
    worker: Worker = changes.pop("worker", None) or make_worker()
    made = Generic.objects.filter(project=project, noun__word=noun, word=generic).first()
    made = made or make_generic(project, noun, generic, state=Generic.State.ANSWERED, worker=worker)
    return Alternative.objects.create(
        project=project,
        generic=made,
        word=word,
        position=1,
        key=triplet_key(noun, generic, word),
        worker=worker,
        **changes,
    )


def make_pair(
    project: Project,
    noun: str = "lemon",
    words: Sequence[str] = ("sour", "sweet"),
    sentence: str = "She made a [face / smile].",
) -> Premise:
    """A valid pair."""
    generic, exception = words
    inside = sentence.partition("[")[2].partition("]")[0].split("/")
    alternative = make_alternative(project, noun, generic, exception, state=Alternative.State.PASSED)
    return Premise.objects.create(
        project=project,
        alternative=alternative,
        sentence=sentence,
        generic_word=inside[0].strip(),
        exception_word=inside[1].strip(),
        state=Premise.State.VALID,
        settled_at=NOW,
        worker=make_worker(),
    )


def make_readings(
    project: Project, rival: RegisteredRival, noun: str, affirmative: str, negated: str
) -> None:
    """Make a model's readings of the two sentences with a full stop; the words stand in their order."""
    row = project.nouns.get(word=noun)
    for template, words in (("is", affirmative), ("is_not", negated)):
        found = [[word, 0.1] for word in words.split()]
        Reading.objects.create(noun=row, rival=rival, template=template, words=found, read_at=NOW)


def make_everything(project: Project) -> Premise:
    """Make rows in every state; return the first pair, with all that belongs to it."""
    now = timezone.now()
    masked = RegisteredRival.objects.create(name="bert-large-uncased", kind="masked", added_at=now)
    causal = RegisteredRival.objects.create(name="gpt2", kind="causal", added_at=now)
    rules = {"generics_model": masked, "filter_model": masked, "perplexity_model": causal}
    Project.objects.filter(pk=project.pk).update(**rules, cuts={"1": 40.0, "3": 55.5})
    add_nouns(project=project, words=("lemon", "sky", "bat", "bat", "jellyfish"))
    for number in range(40):
        changes: dict[str, Any] = {"k": 1 + 2 * (number % 2), "rank": number + 1}
        changes["perplexity"] = 8 + (number / 9) ** 4
        if number > 30:
            changes |= {"state": "cut", "reason": "Perplexity 60.0: those of k = 1 are cut at 40.0."}
        make_generic(project, f"thing{number}", "nice", **changes)
    pair = make_pair(project)
    for k, state in ((1, "valid"), (3, "failed"), (3, "malformed")):
        other = make_pair(
            project, f"noun {k} {state}", ("edible", "toxic"), "They took the [ripe / raw] one."
        )
        reason = {"failed": "generic_synonym,exception_fits_generic", "malformed": "not_one_bracket"}
        settled = None if state == "malformed" else now
        rows = Premise.objects.filter(pk=other.pk)
        rows.update(state=state, reason=reason.get(state, ""), settled_at=settled)
    make_alternative(
        project, "sky", "blue", "gray", state="filtered", reason="Not likelier (0.1 against 0.2)."
    )
    make_alternative(project, "bat", "nocturnal", "wooden")
    words = [["edible", 0.31], ["sour", 0.21], ["yellow", 0.11], ["good", 0.04], ["raw", 0.01]]
    noun = pair.alternative.generic.noun
    digest = {"weights_sha256": "5f3c" * 16}
    for template in ("is", "is_not", "is_comma", "is_not_comma"):
        read = {"noun": noun, "rival": masked, "template": template, "words": words, "read_at": now}
        Reading.objects.create(**read, provenance=digest)
    FilterScore.objects.create(
        alternative=pair.alternative,
        rival=masked,
        way="properly",
        p_generic=0.2134,
        p_exception=0.0123,
        passes=True,
        provenance=digest,
        scored_at=now,
    )
    for is_bad in (False, True):
        fine = dict.fromkeys(("generic_synonym", "exception_synonym", "generic_fits_exception"), False)
        Judgement.objects.create(premise=pair, worker=make_worker(), exception_fits_generic=is_bad, **fine)
    evaluation = Evaluation.objects.create(project=project, name="a-model-of-others", added_at=now)
    for kind, is_right in (("generic", True), ("exception", False)):
        prompt = Prompt.objects.create(premise=pair, kind=kind)
        Choice.objects.create(prompt=prompt, worker=make_worker(), word="sour", is_right=is_right)
        answer = {"premise": pair, "kind": kind, "is_right": is_right}
        ModelAnswer.objects.create(evaluation=evaluation, **answer)
    ModelRun.objects.create(project=project, rival=masked, purpose="filter", started_at=now, waiting=1)
    return pair


def make_analysis(project: Project) -> WordTag:
    """Make a model's probabilities, and parts of speech of which one is corrected; return that one."""
    bert = RegisteredRival.objects.get(name="bert-large-uncased")
    tagger = RegisteredRival.objects.create(name="spacy-sm", kind="tagger", added_at=NOW)
    Project.objects.filter(pk=project.pk).update(tagger=tagger)
    versions = {"pipeline": "en_core_web_sm", "version": "3.8.0", "spacy": "3.8.18"}
    read = {"rival": tagger, "tagged_at": NOW, "provenance": {"preprocessing": versions}}
    evaluation = Evaluation.objects.create(
        project=project, name=bert.name, rival=bert, way="properly", added_at=NOW
    )
    for number, pair in enumerate(project.premises.filter(state=Premise.State.VALID).order_by("pk")):
        for kind, tagged in (("generic", "NOUN"), ("exception", "VERB" if number else "NOUN")):
            WordTag.objects.create(premise=pair, kind=kind, tagged=tagged, part=tagged, **read)
        p_target, p_incorrect = 0.02 + 0.6 * number, 0.61
        answer = {"p_target": p_target, "p_incorrect": p_incorrect, "is_right": p_target > p_incorrect}
        ModelAnswer.objects.create(evaluation=evaluation, premise=pair, kind="exception", **answer)
    corrected = WordTag.objects.order_by("pk")[0]
    WordTag.objects.filter(pk=corrected.pk).update(part="ADJ", corrected_at=NOW)
    return corrected
