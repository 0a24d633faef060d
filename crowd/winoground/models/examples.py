from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from crowd.pictures.models import Picture
from crowd.winoground.models.projects import Project
from hits.work.models.items import Item

LONGEST_CAPTION = 300
LONGEST_METADATA = 1000
LONGEST_REASON = 300


class Tag(models.Model):
    """A fine tag of what is swapped between two captions. All studies share the list, and it grows."""

    name = models.CharField(max_length=80, unique=True)
    # The paper names this tag.
    is_first = models.BooleanField("of the paper", default=False, editable=False)
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, editable=False, related_name="+"
    )
    added_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("name",)

    def __str__(self) -> str:
        return self.name


class Example(models.Model):
    """Two captions of the same words, and two images: caption 0 belongs to image 0, caption 1 to image 1."""

    class State(models.TextChoices):
        DRAFT = "draft", "Draft"
        READY = "ready", "Ready"
        ASKED = "asked", "Asked of workers"
        WITHDRAWN = "withdrawn", "Withdrawn"

    TRANSITIONS = {
        State.DRAFT: {State.READY, State.WITHDRAWN},
        State.READY: {State.DRAFT, State.ASKED, State.WITHDRAWN},
        State.ASKED: {State.WITHDRAWN},
        State.WITHDRAWN: {State.DRAFT},
    }

    class Swap(models.TextChoices):
        OBJECT = "object", "Object"
        RELATION = "relation", "Relation"
        BOTH = "both", "Both"

    class Predicates(models.IntegerChoices):
        ONE = 1, "One main predicate"
        TWO = 2, "Two main predicates"

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="examples")
    # Counted up within the project, by a caller that holds the project.
    number = models.PositiveIntegerField(editable=False)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    state = models.CharField(max_length=16, choices=State, default=State.DRAFT)
    caption_0 = models.CharField("caption A", max_length=LONGEST_CAPTION, blank=True)
    caption_1 = models.CharField("caption B", max_length=LONGEST_CAPTION, blank=True)
    has_altered_morpheme = models.BooleanField(
        "a word changes its form",
        default=False,
        help_text="As in watch and watching: the words may differ by more than their order.",
    )
    image_0 = models.ForeignKey(Picture, models.PROTECT, null=True, related_name="+")
    image_1 = models.ForeignKey(Picture, models.PROTECT, null=True, related_name="+")
    swap = models.CharField("what is swapped", max_length=8, choices=Swap, blank=True)
    tags = models.ManyToManyField(Tag, blank=True, related_name="examples")
    predicates = models.PositiveSmallIntegerField("main predicates", choices=Predicates, null=True)
    is_symbolic = models.BooleanField("symbolic", default=False)
    is_series = models.BooleanField("of one series", default=False)
    is_pragmatic = models.BooleanField("pragmatic", default=False)
    # Searched for words about people, as a rough estimate of who is shown. Workers never see it.
    metadata_0 = models.TextField(
        "title and description of picture A", blank=True, max_length=LONGEST_METADATA
    )
    metadata_1 = models.TextField(
        "title and description of picture B", blank=True, max_length=LONGEST_METADATA
    )
    note = models.TextField("note for colleagues", blank=True, max_length=2000)
    created_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("project", "number")
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="winoground_example_number_once"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "withdrawn"])
                | (
                    Q(image_0__isnull=False, image_1__isnull=False, predicates__isnull=False)
                    & ~Q(caption_0="")
                    & ~Q(caption_1="")
                    & ~Q(swap="")
                ),
                name="winoground_example_whole_before_asked",
            ),
            models.CheckConstraint(
                condition=Q(image_0=None) | Q(image_1=None) | ~Q(image_0=F("image_1")),
                name="winoground_example_two_images",
            ),
        ]
        indexes = [models.Index(fields=["project", "state", "number"], name="winoground_example_by_state")]

    def __str__(self) -> str:
        return f"Example {self.number}"


class GenderedConfirmation(models.Model):
    """A person's word that gendered words stay in an example's captions. Append-only."""

    example = models.ForeignKey(Example, models.CASCADE, related_name="gendered_confirmations")
    # The words that stay, each once.
    words = models.JSONField()
    # [[0, "woman"], [1, "woman"]]: in which captions they stay; elsewhere they have to be confirmed anew.
    # None: given before captions were told apart, for both.
    places = models.JSONField(null=True)
    reason = models.CharField(max_length=LONGEST_REASON)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    at = models.DateTimeField()

    class Meta:
        ordering = ("pk",)
        default_permissions = ()
        constraints = [
            models.CheckConstraint(condition=~Q(reason=""), name="winoground_confirmation_has_reason"),
        ]

    def __str__(self) -> str:
        return ", ".join(self.words)


class Pairing(models.Model):
    """One caption with one image: workers answer a question about it, and models give it a score."""

    example = models.ForeignKey(Example, models.CASCADE, related_name="pairings")
    caption = models.PositiveSmallIntegerField()
    image = models.PositiveSmallIntegerField()
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="winoground_pairing")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["example", "caption", "image"], name="winoground_pairing_once"),
            models.CheckConstraint(condition=Q(caption__lte=1, image__lte=1), name="winoground_pairing_two"),
        ]

    def __str__(self) -> str:
        return f"{self.example}: caption {'AB'[self.caption]} with image {'AB'[self.image]}"

    @property
    def is_match(self) -> bool:
        return self.caption == self.image
