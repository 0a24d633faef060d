"""Researchers' pages of weird images. Thin: validate, one call, render."""

from crowd.whoops.admin import projects
from crowd.whoops.annotate.admin import annotation_list
from crowd.whoops.images.admin import categories
from crowd.whoops.judge.admin import question_list
from crowd.whoops.review.admin import images

__all__ = ["annotation_list", "categories", "images", "projects", "question_list"]
