"""The figures of a study's annotations: counts, shares, and how far annotators agree. Exact."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from math import sqrt

from django.db.models import Count, Q, QuerySet, Sum

from crowd.winogavil.annotation import domain
from crowd.winogavil.annotation.models import Annotation, Judgement, Kind
from crowd.winogavil.annotation.queries.counted import counted_annotations
from crowd.winogavil.models import Association, Solution
from hits.studies.models import Study
from scoring import domain as scores

# The columns of the paper's tables.
GROUPS: Mapping[str, tuple[int, ...]] = {"5 & 6": (5, 6), "10 & 12": (10, 12)}
# Standard errors to either side of the mean, for 95 of 100 in a normal distribution.
WITHIN = 1.96
# What each annotator of one item said.
Answers = Sequence[Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Progress:
    asked: int = 0
    final: int = 0
    answers_wanted: int = 0


@dataclass(frozen=True, kw_only=True)
class Row:
    """One label. The model's and the people's shares say how often they found the picture that has it."""

    key: str
    count: int
    share: Fraction | None
    model: Fraction | None = None
    humans: Fraction | None = None

    @property
    def bar(self) -> str:
        """The share as a page draws it, written the same in every language."""
        return f"{float(self.share or 0):.4f}"


@dataclass(frozen=True, kw_only=True)
class Labels:
    """Figures of one kind of label, over what is final."""

    count: int = 0
    discarded: int = 0
    rows: Sequence[Row] = ()
    # The mean Jaccard index of two annotators' labels; of one label each, the share of pairs that agree.
    agreement: Fraction | None = None
    kappa: Fraction | None = None

    @property
    def kept(self) -> int:
        return self.count - self.discarded


@dataclass(frozen=True, kw_only=True)
class NewcomersSolving:
    """How newcomers solved one group of associations."""

    group: str
    count: int
    mean: Fraction | None = None
    # Deviation between associations; the mean in 95 of 100 samples; overlap of two newcomers' picks.
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    agreement: Fraction | None = None


@dataclass(frozen=True, kw_only=True)
class Figures:
    progress: Mapping[str, Progress] = field(default_factory=dict)
    types: Labels = field(default_factory=Labels)
    skills: Labels = field(default_factory=Labels)
    baseline: Sequence[NewcomersSolving] = ()


def figures_of(study: Study) -> Figures:
    return Figures(
        progress=progress_of(study),
        types=_types(study),
        skills=_skills(study),
        baseline=_baseline(study),
    )


def progress_of(study: Study) -> dict[str, Progress]:
    """Progress by kind; pulled questions do not count."""
    rows = Annotation.objects.filter(draw__study=study, item__pulled_at=None).order_by().values("kind")
    counted = rows.annotate(
        asked=Count("pk"), final=Count("pk", filter=Q(final_at__isnull=False)), wanted=Sum("item__wanted")
    )
    found = {
        row["kind"]: Progress(asked=row["asked"], final=row["final"], answers_wanted=row["wanted"])
        for row in counted
    }
    return {kind: found.get(kind, Progress()) for kind in Kind.values}


def _types(study: Study) -> Labels:
    rows = counted_annotations(study, Kind.TYPES)
    found = list(rows.values_list("labels", "association_id", "place__position", "place__predicted"))
    picks = _picks(rows)
    model: defaultdict[str, list[bool]] = defaultdict(list)
    humans: defaultdict[str, list[bool]] = defaultdict(list)
    counts: Counter[str] = Counter()
    for labels, association, position, predicted in found:
        for key in labels:
            counts[key] += 1
            model[key] += [] if predicted is None else [predicted]
            humans[key] += [position in picked for picked in picks[association]]
    answers = list(_answers(rows).values())
    return Labels(
        count=len(found),
        discarded=sum(not labels for labels, *_ in found),
        rows=[
            Row(
                key=key,
                count=counts[key],
                share=_share(counts[key], counts.total()),
                model=_share(sum(model[key]), len(model[key])),
                humans=_share(sum(humans[key]), len(humans[key])),
            )
            for key in domain.ASSOCIATION_TYPES
        ],
        agreement=_agreement(answers),
        kappa=domain.fleiss_kappa([[one for labels in given for one in labels] for given in answers]),
    )


def _skills(study: Study) -> Labels:
    """Shares are of the associations, and add up to more than a whole: one may need several skills."""
    rows = counted_annotations(study, Kind.SKILLS)
    found = list(rows.values_list("labels", flat=True))
    counts = Counter(key for labels in found for key in labels)
    return Labels(
        count=len(found),
        discarded=sum(not labels for labels in found),
        rows=[
            Row(key=key, count=counts[key], share=_share(counts[key], len(found)))
            for key in domain.REASONING_SKILLS
        ],
        agreement=_agreement(_answers(rows).values()),
    )


def _baseline(study: Study) -> list[NewcomersSolving]:
    rows = counted_annotations(study, Kind.BASELINE)
    answers = _answers(rows)
    sized = rows.annotate(size=Count("association__places")).order_by()
    names = ("size", "pk", "numerator", "denominator")
    swow = Q(association__source=Association.Source.SWOW)
    found, apart = list(sized.exclude(swow).values_list(*names)), list(sized.filter(swow).values_list(*names))
    groups = {name: [row for row in found if row[0] in sizes] for name, sizes in GROUPS.items()}
    groups |= {"all": found, **({"SWOW": apart} if apart else {})}
    return [
        _solved(
            name,
            means=[Fraction(numerator or 0, denominator or 1) for _, _, numerator, denominator in some],
            answers=[answers[pk] for _, pk, _, _ in some],
        )
        for name, some in groups.items()
    ]


def _solved(name: str, *, means: Sequence[Fraction], answers: Iterable[Answers]) -> NewcomersSolving:
    if not means:
        return NewcomersSolving(group=name, count=0)
    mean, agreement = scores.mean(means), _agreement(answers)
    if len(means) == 1:
        return NewcomersSolving(group=name, count=1, mean=mean, agreement=agreement)
    squares = sum(((one - mean) ** 2 for one in means), Fraction(0))
    deviation = sqrt(squares / (len(means) - 1))
    reach = WITHIN * deviation / sqrt(len(means))
    return NewcomersSolving(
        group=name,
        count=len(means),
        mean=mean,
        deviation=deviation,
        interval=(max(0.0, float(mean) - reach), min(1.0, float(mean) + reach)),
        agreement=agreement,
    )


def _answers(annotations: QuerySet[Annotation]) -> dict[int, list[list[str]]]:
    """Answers of the annotators, by annotation."""
    rows = Judgement.objects.filter(annotation__in=annotations.order_by().values("pk")).order_by("pk")
    found: defaultdict[int, list[list[str]]] = defaultdict(list)
    for annotation, given in rows.values_list("annotation_id", "given"):
        found[annotation].append([str(one) for one in given])
    return found


def _picks(annotations: QuerySet[Annotation]) -> dict[int, list[list[int]]]:
    """Positions that each of an association's own solvers picked, by association."""
    rows = Solution.objects.filter(association__in=annotations.order_by().values("association"))
    found: defaultdict[int, list[list[int]]] = defaultdict(list)
    for association, picked in rows.values_list("association_id", "picked"):
        found[association].append(picked)
    return found


def _agreement(answers: Iterable[Answers]) -> Fraction | None:
    """Mean Jaccard index over all pairs of annotators of the same item; None without pairs."""
    shared = [
        scores.jaccard(set(one), set(other)) for given in answers for one, other in combinations(given, 2)
    ]
    return scores.mean(shared) if shared else None


def _share(part: int, whole: int) -> Fraction | None:
    return Fraction(part, whole) if whole else None
