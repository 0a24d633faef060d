from django.db import models
from django.db.models import Q


class PoolPicture(models.Model):
    """A picture of the pool as rivals know it. Its caption may be corrected; its bytes never change."""

    sha256 = models.CharField(max_length=64, unique=True)
    # Below the media folder.
    path = models.CharField(max_length=500)
    caption = models.CharField(max_length=500)
    caption_sha256 = models.CharField(max_length=64)

    def __str__(self) -> str:
        return self.caption


class VocabularyWord(models.Model):
    """A word that somebody may well ask about: rivals in play compute its vector beforehand."""

    text = models.CharField(max_length=30, unique=True)

    def __str__(self) -> str:
        return self.text


class Space(models.Model):
    """A space in which vectors are comparable: one model's weights and one preprocessing of its input."""

    # The model's name, as verdicts state it. Empty in older rows until a process loads the model again.
    model = models.CharField(max_length=200, blank=True)
    weights_sha256 = models.CharField(max_length=64)
    preprocessing_sha256 = models.CharField(max_length=64)
    preprocessing = models.JSONField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["weights_sha256", "preprocessing_sha256"], name="space_once_per_weights_and_preparing"
            )
        ]

    def __str__(self) -> str:
        return self.weights_sha256[:12]


class Vector(models.Model):
    """A model's embedding of one picture or prompt: computed once, read by every process."""

    class Of(models.TextChoices):
        PICTURE = "picture"
        PROMPT = "prompt"

    space = models.ForeignKey(Space, models.CASCADE, related_name="vectors")
    of = models.CharField(max_length=8, choices=Of)
    # SHA-256 of the picture's bytes, the caption or the prompt, whichever the model reads.
    content_sha256 = models.CharField(max_length=64)
    # Float32, little-endian. Null: the model cannot read it, and `problem` says why.
    values = models.BinaryField(null=True)
    problem = models.CharField(max_length=500, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["space", "of", "content_sha256"], name="vector_once_per_content"),
            models.CheckConstraint(
                condition=Q(values__isnull=False, problem="") | (Q(values=None) & ~Q(problem="")),
                name="vector_or_problem",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.of} {self.content_sha256[:12]}"
