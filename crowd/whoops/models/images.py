from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.pictures.models import Picture
from crowd.whoops.models.designers import Designer
from crowd.whoops.models.projects import Project
from hits.ledger.models.bonuses import Bonus
from hits.work.models.items import Item

LONGEST_LINE = 300
LONGEST_PROMPT = 2000
LONGEST_EXPLANATION = 500


class Category(models.Model):
    """A kind of common sense that an image goes against.

    All studies share one list, and staff edit it; a study may have a list of its own instead.
    """

    class Origin(models.TextChoices):
        PAPER = "paper", "Named in the paper"
        OURS = "ours", "Ours: the paper does not name it"
        ADDED = "added", "Added by staff"

    # None: it is in the shared list.
    project = models.ForeignKey(Project, models.CASCADE, null=True, related_name="categories", editable=False)
    name = models.CharField(max_length=80)
    about = models.CharField(max_length=200, blank=True)
    # Never edited: whoever publishes figures by category must know which of them the paper has.
    origin = models.CharField(max_length=8, choices=Origin, default=Origin.ADDED, editable=False)

    class Meta:
        ordering = ("name",)
        verbose_name_plural = "categories"
        constraints = [
            models.UniqueConstraint(
                fields=["name"], condition=Q(project=None), name="whoops_shared_category_once"
            ),
            models.UniqueConstraint(fields=["project", "name"], name="whoops_category_once"),
        ]

    def __str__(self) -> str:
        return self.name


class Image(models.Model):
    """A weird image on its way into the data. Its designer may send it again, as another revision."""

    class State(models.TextChoices):
        CONTROL = "control", "With the control group"
        RETURNED = "returned", "Back with its designer"
        REVIEW = "review", "With the reviewers"
        ACCEPTED = "accepted", "Accepted"
        REFUSED = "refused", "Refused"
        WITHDRAWN = "withdrawn", "Withdrawn by its designer"

    TRANSITIONS = {
        State.CONTROL: {State.REVIEW, State.RETURNED, State.REFUSED, State.WITHDRAWN},
        State.RETURNED: {State.CONTROL, State.REVIEW, State.WITHDRAWN},
        State.REVIEW: {State.ACCEPTED, State.CONTROL, State.RETURNED, State.REFUSED, State.WITHDRAWN},
        State.ACCEPTED: {State.REFUSED},
        State.REFUSED: {State.REVIEW},
        State.WITHDRAWN: set(),
    }

    public_id = models.UUIDField(default=uuid4, unique=True, editable=False)
    project = models.ForeignKey(Project, models.CASCADE, related_name="images")
    # Counted up within the project, by a caller that holds the project.
    number = models.PositiveIntegerField(editable=False)
    designer = models.ForeignKey(Designer, models.PROTECT, related_name="images")
    state = models.CharField(max_length=16, choices=State, default=State.CONTROL)
    revision = models.PositiveSmallIntegerField(default=1)
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    prompt = models.TextField(max_length=LONGEST_PROMPT)
    seed = models.CharField(max_length=64, blank=True)
    tool = models.CharField("made with", max_length=80)
    # "X1 with Y" became "X2 with Y".
    normal_element = models.CharField("what would be normal", max_length=LONGEST_LINE)
    weird_element = models.CharField("what stands there instead", max_length=LONGEST_LINE)
    shared_element = models.CharField("what it goes with", max_length=LONGEST_LINE)
    explanation = models.CharField("why it is weird, in one sentence", max_length=LONGEST_EXPLANATION)
    # As a researcher has edited it, until another revision is sent; each edit is a row of its own.
    edited_explanation = models.CharField(max_length=LONGEST_EXPLANATION, blank=True, editable=False)
    category = models.ForeignKey(Category, models.PROTECT, null=True, related_name="images")
    # Items that ask about the image: this revision's for the control group; once accepted, the annotators'.
    control_item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="whoops_control")
    annotation_item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="whoops_annotation")
    # Annotations that are counted or held back; recounted whenever one of them changes.
    annotated = models.PositiveSmallIntegerField(default=0, editable=False)
    bonus = models.OneToOneField(Bonus, models.PROTECT, null=True, related_name="+")
    # Set while the image is accepted and has no bonus: what has to happen first.
    unowed = models.CharField("why it is not owed yet", max_length=300, blank=True, editable=False)
    sent_at = models.DateTimeField()
    changed_at = models.DateTimeField()
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("project", "number")
        permissions = [
            ("decide_image", "Can decide on images"),
            ("review_image", "Can check images for harm"),
            ("edit_image", "Can edit explanations and categories of images"),
        ]
        constraints = [
            models.UniqueConstraint(fields=["project", "number"], name="whoops_image_number_once"),
            models.CheckConstraint(
                condition=~Q(state="accepted") | Q(accepted_at__isnull=False),
                name="whoops_image_accepted_once",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "state", "number"], name="whoops_image_by_state"),
            models.Index(fields=["designer", "number"], name="whoops_image_by_designer"),
            models.Index(
                fields=["project", "annotated"],
                condition=Q(state="accepted"),
                name="whoops_image_to_annotate",
            ),
        ]

    def __str__(self) -> str:
        return f"Image {self.number}"

    @property
    def final_explanation(self) -> str:
        """The explanation that is part of the data: the designer's, unless a researcher has edited it."""
        return self.edited_explanation or self.explanation

    @property
    def normal_pair(self) -> str:
        return f"{self.normal_element} with {self.shared_element}"

    @property
    def weird_pair(self) -> str:
        return f"{self.weird_element} with {self.shared_element}"


class Revision(models.Model):
    """One submission of an image, as it was sent, and what became of it. Append-only but for the outcome."""

    class Outcome(models.TextChoices):
        NONE = "", "Not decided yet"
        RETURNED = "returned", "Returned"
        ACCEPTED = "accepted", "Accepted"
        REFUSED = "refused", "Refused"
        WITHDRAWN = "withdrawn", "Withdrawn"

    image = models.ForeignKey(Image, models.CASCADE, related_name="revisions")
    number = models.PositiveSmallIntegerField()
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    # Asked of the control group: a worker who began with an earlier revision still answers about that one.
    control_item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="whoops_revision")
    # Every text of the image as it was then.
    texts = models.JSONField(default=dict)
    sent_at = models.DateTimeField()
    outcome = models.CharField(max_length=16, choices=Outcome, default=Outcome.NONE, blank=True)
    # Written for the designer.
    reason = models.CharField(max_length=1000, blank=True)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["image", "number"], name="whoops_revision_once")]

    def __str__(self) -> str:
        return f"{self.image}, revision {self.number}"


class Partner(models.Model):
    """The scene of an image with nothing weird in it: made with the same tool, or a photograph."""

    class Kind(models.TextChoices):
        NORMAL = "normal", "Normal: made with the same tool"
        NATURAL = "natural", "Natural: a photograph"

    image = models.ForeignKey(Image, models.CASCADE, related_name="partners")
    kind = models.CharField(max_length=8, choices=Kind)
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")
    prompt = models.TextField(max_length=LONGEST_PROMPT, blank=True)
    seed = models.CharField(max_length=64, blank=True)
    tool = models.CharField("made with", max_length=80, blank=True)
    added_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["image", "kind"], name="whoops_partner_once")]

    def __str__(self) -> str:
        return f"{self.get_kind_display()} of {self.image}"
