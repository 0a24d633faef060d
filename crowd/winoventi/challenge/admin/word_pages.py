"""The page of one special word: what the tagger says of it, and the form that corrects it."""

from typing import Any
from urllib.parse import urlencode

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import URLPattern, reverse
from django.utils import timezone

from crowd.winoventi.challenge.services.word_tags import correct_tag, drop_correction, tag_anew
from crowd.winoventi.domain.parts_of_speech import PARTS
from crowd.winoventi.models import Premise, Project, WordTag
from hits.admin.projects.project_page import ProjectPages
from hits.admin.selection import signed_in
from hits.core.domain.counted_nouns import plural
from hits.core.errors import RuleBroken

Pages = ProjectPages[Any]


class PartForm(forms.Form):
    part = forms.ChoiceField(label="Part of speech of this word in this sentence", choices=PARTS)


def urls(pages: Pages) -> list[URLPattern]:
    return [
        pages.at("<int:pk>/words/<int:tag>/", word_view, "word"),
        pages.at("<int:pk>/words/again/", again_view, "words_again"),
    ]


def words_url(project: Project) -> str:
    """The list of the words of valid pairs that the project's current tagger has read."""
    query = {
        "premise__project__study__id__exact": project.study_id,
        "premise__state__exact": Premise.State.VALID.value,
        "rival__id__exact": project.tagger_id,
    }
    return f"{reverse('admin:winoventi_wordtag_changelist')}?{urlencode(query)}"


def word_view(pages: Pages, request: HttpRequest, pk: int, tag: int) -> HttpResponse:
    """Correct the word by one button, or let the tagger's word count again by the other."""
    keep = pages.permission("change")
    project = pages.find(request, pk, *([keep] if request.method == "POST" else []))
    rows = WordTag.objects.filter(premise__project=project)
    row = get_object_or_404(rows.select_related("premise__project__study", "rival", "corrected_by"), pk=tag)
    form = PartForm(request.POST or None, initial={"part": row.part})
    if request.method == "POST" and "restore" in request.POST:
        if drop_correction(tag=row, by=signed_in(request), now=timezone.now()):
            messages.success(request, f"“{row.word}” counts as the tagger says again.")
        return redirect(pages.address(project, "word", row.pk))
    if request.method == "POST" and form.is_valid():
        if correct_tag(tag=row, part=form.cleaned_data["part"], by=signed_in(request), now=timezone.now()):
            messages.success(request, f"“{row.word}” is corrected, and counts so from now on.")
        return redirect(pages.address(project, "word", row.pk))
    context = {
        "title": f"Part of speech of “{row.word}”",
        "tag": row,
        "sentence": row.premise.context(row.kind),
        "form": form,
        "may_keep": request.user.has_perm(keep),
        "words_url": words_url(project),
    }
    return pages.render(request, "admin/winoventi/word.html", context, project=project)


def again_view(pages: Pages, request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the tagger again about what it could not tell: for a cause that somebody has fixed."""
    project = pages.find(request, pk, pages.permission("change"))
    if request.method == "POST":
        try:
            count = tag_anew(project=project, now=timezone.now())
        except RuleBroken as refusal:
            messages.error(request, str(refusal))
        else:
            messages.success(request, f"The tagger is asked again, about {plural(count, 'word')}.")
    return redirect(f"{pages.address(project, 'statistics')}#parts")
