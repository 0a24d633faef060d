from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from hits.identity.models.users import User
from hits.studies.models import Study
from scoring.models.model_facts import ModelFacts

NAME = RegexValidator(r"^[a-z0-9][a-z0-9._-]*\Z", "Use small letters, digits, dots, dashes and underscores.")


class RegisteredRival(ModelFacts):
    """A model under a name of ours, with the weights it must have. Other weights are another rival.

    Its parameters are counted whenever it is loaded.
    """

    class Kind(models.TextChoices):
        CAPTION = "caption", "Sentence model over captions"
        CLIP = "clip", "CLIP over pictures"
        MASKED = "masked", "Masked language model"
        CAUSAL = "causal", "Causal language model"
        TAGGER = "tagger", "Part-of-speech tagger"
        CROSS = "cross", "Cross-encoder of a text and a picture"
        SPEAKER = "speaker", "Model that says words about a picture"

    # Models that can play: they score texts against pictures.
    SCORE_PICTURES = (Kind.CAPTION, Kind.CLIP, Kind.CROSS)
    # Those of them that embed texts and pictures apart, so that the pool's vectors are kept.
    KEEP_VECTORS = (Kind.CAPTION, Kind.CLIP)

    name = models.CharField(max_length=64, unique=True, validators=[NAME])
    kind = models.CharField(max_length=16, choices=Kind)
    model = models.CharField(max_length=200, blank=True)
    # Where the weights came from, in words, and their path below the weights' folder. Empty: in a package.
    source = models.CharField(max_length=500, blank=True)
    path = models.CharField(max_length=500, blank=True)
    # Empty only for packaged weights that no process has read yet.
    weights_sha256 = models.CharField("SHA-256 of the weights", max_length=64, blank=True)
    options = models.JSONField(default=dict, blank=True)
    # Where its vectors are, once a process has loaded it: whoever finds them there needs no model.
    space = models.ForeignKey(
        "scoring.Space", models.SET_NULL, null=True, editable=False, related_name="rivals"
    )
    # The last row of the vocabulary that it has read in that space.
    vocabulary_read = models.PositiveBigIntegerField(default=0, editable=False)
    added_at = models.DateTimeField()

    class Meta:
        verbose_name = "rival"
        ordering = ("name",)
        constraints = [
            models.CheckConstraint(
                condition=Q(path="") | ~Q(weights_sha256=""), name="rival_fetched_weights_have_a_digest"
            )
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def scores_pictures(self) -> bool:
        return self.kind in self.SCORE_PICTURES

    @property
    def keeps_vectors(self) -> bool:
        return self.kind in self.KEEP_VECTORS

    @property
    def reads(self) -> str:
        """The column of the pool with the digest of what this rival reads of a picture."""
        return "caption_sha256" if self.kind == self.Kind.CAPTION else "sha256"


class StudyRival(models.Model):
    """A rival that a study plays against. One is paid on; the others are only recorded."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="rivals")
    rival = models.ForeignKey(RegisteredRival, models.PROTECT, related_name="studies")
    is_paid = models.BooleanField(
        "bonuses are paid on it",
        default=False,
        help_text="Bonuses are paid on this rival. Earlier queries stay paid on the rival of their day.",
    )
    added_at = models.DateTimeField()
    added_by = models.ForeignKey(User, models.PROTECT, null=True, related_name="+")

    class Meta:
        verbose_name = "rival of a study"
        verbose_name_plural = "rivals of studies"
        constraints = [
            models.UniqueConstraint(fields=["study", "rival"], name="study_rival_once"),
            models.UniqueConstraint(
                fields=["study"], condition=Q(is_paid=True), name="study_rival_one_is_paid_on"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rival} in {self.study}"
