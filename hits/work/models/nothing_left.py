from django.db import models

from hits.work.models.assignments import Assignment


class NothingLeft(models.Model):
    """Why our page had nothing to ask of a worker who had accepted: one row keeps it for each assignment."""

    study_path = "assignment__hit__batch__study"

    class Why(models.TextChoices):
        ANSWERED = "answered", "all of it was answered, or being answered then"
        NARROWED = "narrowed", "what was left is kept for people who have not done related work of the study"
        KNOWN = "known", "what was left was their own, or they had answered it before"

    assignment = models.OneToOneField(Assignment, models.CASCADE, related_name="nothing_left")
    why = models.CharField(max_length=16, choices=Why)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.assignment}: {self.get_why_display()}"
