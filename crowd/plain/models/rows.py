from django.conf import settings
from django.db import models
from django.db.models import Q

from crowd.pictures.models import Picture
from crowd.plain.domain.description_parser import read_page
from crowd.plain.domain.pages import Page
from crowd.plain.models.projects import Project
from hits.work.models.items import Item


class Description(models.Model):
    """A described page. Once workers are asked by it, it stays, and the next one is a new version."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="descriptions")
    # Counted up in its project, which the caller holds.
    version = models.PositiveSmallIntegerField(editable=False)
    # The text as it was written, without a fault.
    text = models.TextField()
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    changed_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "version"], name="plain_version_once"),
            models.CheckConstraint(condition=Q(text__icontains="title:"), name="plain_description_has_title"),
        ]

    def __str__(self) -> str:
        return f"{self.page.title} (version {self.version})"

    @property
    def page(self) -> Page:
        return read_page(self.text).page


class Row(models.Model):
    """A line of an uploaded file, asked about by the page. A page without columns has one without cells."""

    description = models.ForeignKey(Description, models.CASCADE, related_name="rows")
    # Counted up in its description.
    number = models.PositiveIntegerField(editable=False)
    cells = models.JSONField(default=dict)
    # The role whose people alone are asked, as task types name it. Empty: anybody.
    role = models.CharField(max_length=100, blank=True, default="", db_default="")
    # How many answers it had when it was last looked whether they are enough.
    weighed_answers = models.PositiveSmallIntegerField(default=0, db_default=0, editable=False)
    # None: the row waits until a researcher asks about it.
    item = models.OneToOneField(Item, models.PROTECT, null=True, related_name="plain_row")

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["description", "number"], name="plain_row_number_once"),
            models.UniqueConstraint(
                fields=["description", "role"], condition=~Q(role=""), name="plain_row_role_once"
            ),
        ]

    def __str__(self) -> str:
        return f"Row {self.number}"


class RowPicture(models.Model):
    """The picture of the pool that a cell names."""

    row = models.ForeignKey(Row, models.CASCADE, related_name="pictures")
    column = models.CharField(max_length=200)
    picture = models.ForeignKey(Picture, models.PROTECT, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["row", "column"], name="plain_picture_once")]

    def __str__(self) -> str:
        return f"{self.column} of {self.row}"
