"""Words that annotators read about each label: its name, what it means, and an example."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from crowd.winogavil.annotation import domain

Words = str | Promise


@dataclass(frozen=True, kw_only=True)
class Label:
    key: str
    name: Words
    meaning: Words
    example: Words = ""


@dataclass(frozen=True, kw_only=True)
class Group:
    """Labels that are shown together on the page."""

    labels: Sequence[Label]
    heading: Words = ""


_TYPES: Mapping[str, tuple[Words, Words, Words]] = {
    "visually_salient": (
        _("Visually salient"),
        _("The word names what catches the eye first in the picture."),
        _("“flower”, and a rose that fills the whole picture"),
    ),
    "visually_non_salient": (
        _("Visually non-salient"),
        _("The word is about something that can be seen in this very picture, and is not the main thing."),
        _("“fence”, and a horse with a fence far behind it"),
    ),
    "concept_related": (
        _("Concept related"),
        _("The word goes with the thing that the picture stands for. Any other picture of it would do."),
        _("“honey”, and a bee: every bee would do"),
    ),
    "activity": (
        _("Activity"),
        _("The word is something that is being done in the picture."),
        _("“swimming”, and ducks on a pond"),
    ),
    "counting": (
        _("Counting"),
        _("The word is a number, or says how many there are in the picture."),
        _("“pair”, and two gloves"),
    ),
    "colors": (
        _("Colors"),
        _("The word is a color that can be seen in the picture."),
        _("“golden”, and a field of wheat"),
    ),
}
_SKILLS: Mapping[str, tuple[Words, Words, Words]] = {
    "kind_of": (
        _("Kind of"),
        _("One is a kind of the other, or both are kinds of the same thing."),
        _("“violin”, and a guitar: both are instruments"),
    ),
    "attribute": (
        _("Attribute"),
        _("One is a quality that the other has."),
        _("“sour”, and a lemon"),
    ),
    "use_of": (
        _("Use of"),
        _("One uses the other, or is used for it."),
        _("“carpenter”, and a hammer"),
    ),
    "general_knowledge": (
        _("General knowledge"),
        _("One has to know a name or a fact about the world."),
        _("“Newton”, and an apple"),
    ),
    "word_sense": (
        _("Word sense"),
        _("The word has several meanings, and another one than the first fits."),
        _("“bank”, and a river"),
    ),
    "location": (
        _("Location"),
        _("One is found where the other is, or both are found in the same place."),
        _("“desert”, and a camel"),
    ),
    "outcome": (
        _("Outcome"),
        _("One comes of the other."),
        _("“ash”, and a campfire"),
    ),
    "activity": (
        _("Activity"),
        _("What is shown does it, or looks as if it did."),
        _("“wave”, and a bear with one paw in the air"),
    ),
    "humor": (
        _("Humor or sarcasm"),
        _("They go together as a joke."),
        _("“diet”, and a very large cake"),
    ),
    "analogy": (
        _("Analogy"),
        _("One can be seen or used like the other, though they belong to different worlds."),
        _("“roof”, and an umbrella"),
    ),
    "visual_similarity": (
        _("Visual similarity"),
        _("They look alike: the same shape, the same pattern."),
        _("“moon”, and a round cheese"),
    ),
    "abstraction": (
        _("Abstraction"),
        _("The word is an idea that the picture stands for."),
        _("“peace”, and a white dove"),
    ),
    "generalization": (
        _("Generalization"),
        _("What is shown is one case of something wider that the word is about."),
        _("“garden”, and a sparrow: one of many things found there"),
    ),
    domain.NONE: (
        _("None of these"),
        _("None of the others says how the word and the pictures go together."),
        "",
    ),
}


def _labels(keys: Iterable[str], words: Mapping[str, tuple[Words, Words, Words]]) -> tuple[Label, ...]:
    return tuple(
        Label(key=key, name=name, meaning=meaning, example=example)
        for key in keys
        for name, meaning, example in [words[key]]
    )


TYPE_GROUPS = (Group(labels=_labels(domain.ASSOCIATION_TYPES, _TYPES)),)
SKILL_GROUPS = (
    Group(heading=_("What one has to know"), labels=_labels(domain.NON_VISUAL, _SKILLS)),
    Group(heading=_("What one has to see"), labels=_labels(domain.VISUAL, _SKILLS)),
    Group(heading=_("Nothing fits"), labels=_labels([domain.NONE], _SKILLS)),
)


def names_of(groups: Sequence[Group]) -> dict[str, str]:
    """Names of the labels by key, in the active language."""
    return {label.key: str(label.name) for group in groups for label in group.labels}
