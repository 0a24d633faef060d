"""The researchers' pages. Thin: validate, one call, render."""

from crowd.whoops.admin import annotation_list, categories, images, projects, question_list

__all__ = ["annotation_list", "categories", "images", "projects", "question_list"]
