"""The form of an example: two captions, two pictures with where they are from, and the labels."""

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django import forms
from django.core import signing
from django.core.exceptions import ValidationError

from crowd.pictures.fields import PictureField
from crowd.pictures.models import Picture
from crowd.pictures.services.item_pictures import upload_picture
from crowd.questions.domain import is_unfit, trim
from crowd.winoground.models import Example, Tag
from crowd.winoground.services.example_writing import PLAIN, SourcedPicture, WrittenExample, is_fixed
from crowd.winoground.services.readiness import ASKED_OF_PICTURES, Faults
from crowd.winoground.services.tag_list import LONGEST as LONGEST_TAG
from hits.core.errors import RuleBroken
from hits.identity.models.users import User

SIDES = "AB"
CONCEPT = "caption matching"
SALT = "winoground.kept_picture"
# A form may be open for a day before a picture in it has to be chosen again.
KEPT_S = 86_400
UNSAID = ("", "Not said yet")
HELP = {
    "source": "An address, or “own photo”.",
    "credit": "The person to be named with the picture.",
    "licence": "For example CC BY 4.0, or “ours”.",
}
METADATA = ("metadata_0", "metadata_1")
METADATA_HELP = dict.fromkeys(
    METADATA,
    "As its source gives them. They are searched for words about people, as a rough estimate of who is "
    "shown; workers never see them.",
)
METADATA_WIDGETS = {name: forms.Textarea(attrs={"rows": 2}) for name in METADATA}
# The field at which a refusal of the whole form is best read.
FIELD_OF = {"same_picture": "image_1", "bad_tag": "new_tags"}


@dataclass(frozen=True, kw_only=True)
class Side:
    """A caption and its picture, as the template lays them out."""

    letter: str
    caption: forms.BoundField
    image: forms.BoundField
    kept: forms.BoundField
    words: Sequence[forms.BoundField]
    metadata: forms.BoundField
    picture: Picture | None


class WordsForm(forms.ModelForm[Example]):
    """A form whose texts are trimmed, and refused if they cannot be stored."""

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        for name, value in list(values.items()):
            if isinstance(value, str) and name not in ("note", "new_tags"):
                values[name] = trim(value)
            if isinstance(value, str) and is_unfit(value.replace("\r\n", " ").replace("\n", " ")):
                self.add_error(name, "It has a character that cannot be stored. Type it again.")
        return values


class MetadataForm(WordsForm):
    """What is written about both pictures, for an example whose other facts stay."""

    class Meta:
        model = Example
        fields = METADATA
        widgets = METADATA_WIDGETS
        help_texts = METADATA_HELP


class ExampleForm(WordsForm):
    swap = forms.ChoiceField(
        label="What is swapped",
        required=False,
        choices=[UNSAID, *Example.Swap.choices],
        widget=forms.RadioSelect,
        help_text="Objects: parts that name things. Relations: verbs, adjectives, prepositions, adverbs. "
        "Both: two swaps, or one that changes what a word is.",
    )
    predicates = forms.TypedChoiceField(
        label="Main predicates",
        required=False,
        coerce=int,
        empty_value=None,
        choices=[UNSAID, *Example.Predicates.choices],
        widget=forms.RadioSelect,
        help_text="How many clauses a caption says something with. This has nothing to do with the swap.",
    )
    tags = forms.ModelMultipleChoiceField(
        Tag.objects.all(), label="Tags", required=False, widget=forms.CheckboxSelectMultiple
    )
    new_tags = forms.CharField(
        label="Tags that are not in the list",
        required=False,
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=f"One a line, of at most {LONGEST_TAG} letters. They join the list for everybody.",
    )

    class Meta:
        model = Example
        fields = PLAIN
        widgets = {
            "note": forms.Textarea(attrs={"rows": 3}),
            **METADATA_WIDGETS,
        }
        help_texts = {
            **METADATA_HELP,
            "is_symbolic": "Something drawn or depicted stands for something else.",
            "is_series": "Both pictures are of one series: the same people and place.",
            "is_pragmatic": "It is read by what is meant, not word for word.",
            "note": "Workers never see it.",
        }

    def __init__(
        self, data: Any, files: Any, *, example: Example | None, user: User, may_add_tags: bool
    ) -> None:
        # A copy, and a draft: what is typed is no fact yet.
        instance = copy(example) if example else Example()
        instance.state = Example.State.DRAFT
        super().__init__(data, files, instance=instance, label_suffix="")
        self._user = user
        self._pictures: list[Picture | None] = [None, None]
        if example:
            self._pictures = [example.image_0, example.image_1]
            self.initial["tags"] = [tag.pk for tag in example.tags.all()]
        for place, picture in enumerate(self._pictures):
            self._add_picture_fields(place, picture)
        if not may_add_tags:
            del self.fields["new_tags"]
        if example and is_fixed(example):
            for name in ("caption_0", "caption_1", "has_altered_morpheme", "image_0", "image_1"):
                self.fields[name].disabled = True

    def sides(self) -> list[Side]:
        return [
            Side(
                letter=letter,
                caption=self[f"caption_{place}"],
                image=self[f"image_{place}"],
                kept=self[f"kept_{place}"],
                words=[self[f"{name}_{place}"] for name in ASKED_OF_PICTURES],
                metadata=self[f"metadata_{place}"],
                picture=self._pictures[place],
            )
            for place, letter in enumerate(SIDES)
        ]

    def radios(self) -> list[forms.BoundField]:
        return [self[name] for name in ("swap", "predicates")]

    def flags(self) -> list[forms.BoundField]:
        return [self[name] for name in ("is_symbolic", "is_series", "is_pragmatic")]

    def take_pictures(self, *, now: datetime) -> None:
        """Store uploads at once: whatever else is wrong, pictures need not be chosen again."""
        for place in (0, 1):
            upload = self.cleaned_data.get(f"image_{place}")
            if upload is None or self.fields[f"image_{place}"].disabled:
                self._pictures[place] = self._kept(place) or self._pictures[place]
                continue
            words = {name: trim(self.data.get(f"{name}_{place}", "")) for name in ASKED_OF_PICTURES}
            try:
                picture = upload_picture(
                    upload=upload, concept=CONCEPT, by=self._user, now=now, **self._short(place, words)
                )
            except RuleBroken as refusal:
                self.add_error(f"image_{place}", str(refusal))
                continue
            self._pictures[place] = picture
            self.data = self.data.copy()  # type: ignore[attr-defined]
            self.data[f"kept_{place}"] = signing.dumps([picture.pk, self._user.pk], salt=SALT)  # type: ignore[index]

    def written(self) -> WrittenExample:
        typed = self.cleaned_data.get("new_tags", "").splitlines()
        return WrittenExample(
            **{name: self.cleaned_data[name] for name in PLAIN},
            shown=(self._shown(0), self._shown(1)),
            tags={tag.pk for tag in self.cleaned_data["tags"]},
            new_tags=[line for line in typed if line.strip()],
        )

    def refuse(self, refusal: RuleBroken) -> None:
        name = FIELD_OF.get(refusal.code)
        problem = ValidationError(str(refusal), code=refusal.code)
        self.add_error(name if name in self.fields else None, problem)

    def show(self, faults: Faults) -> None:
        """Show what the kept example lacks, in a form that was not sent."""
        self.cleaned_data = {}
        for name, words in faults.items():
            self.add_error(name, list(words))

    def _add_picture_fields(self, place: int, picture: Picture | None) -> None:
        letter = SIDES[place]
        self.fields[f"image_{place}"] = PictureField(
            label=f"Another picture {letter}" if picture else f"Picture {letter}", required=False
        )
        self.fields[f"kept_{place}"] = forms.CharField(required=False, widget=forms.HiddenInput)
        for name in ASKED_OF_PICTURES:
            column: Any = Picture._meta.get_field(name)
            self.fields[f"{name}_{place}"] = forms.CharField(
                label=f"{name.capitalize()} of picture {letter}",
                required=False,
                max_length=column.max_length,
                initial=getattr(picture, name) if picture else "",
                help_text=HELP[name],
            )

    def _kept(self, place: int) -> Picture | None:
        """The picture that this person uploaded with this form before, if our signature proves it."""
        try:
            picture, user = signing.loads(self.data.get(f"kept_{place}", ""), salt=SALT, max_age=KEPT_S)
        except signing.BadSignature:
            return None
        return Picture.objects.filter(pk=picture).first() if user == self._user.pk else None

    def _short(self, place: int, words: Mapping[str, str]) -> dict[str, str]:
        """Words that fit: too long ones are reported at their field, and not kept with the picture."""
        return {name: said for name, said in words.items() if f"{name}_{place}" not in self.errors}

    def _shown(self, place: int) -> SourcedPicture:
        picture = self._pictures[place]
        words = {name: self.cleaned_data[f"{name}_{place}"] for name in ASKED_OF_PICTURES}
        return SourcedPicture(picture=picture, **words) if picture else SourcedPicture()
