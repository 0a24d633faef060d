"""What the page of a study leads to: its game, from pictures to statistics."""

from urllib.parse import urlencode

from django.urls import reverse

from hits.admin.study_pages import StudyPage, announce
from hits.models import Study


def _list(name: str, study: Study) -> str:
    query = urlencode({"item__study__id__exact": study.pk})
    return f"{reverse(f'admin:winogavil_{name}_changelist')}?{query}"


announce(
    StudyPage(
        name="Picture sets",
        permission="winogavil.view_board",
        address=lambda study: _list("board", study),
    ),
    StudyPage(
        name="Associations",
        permission="winogavil.view_association",
        address=lambda study: _list("association", study),
    ),
    StudyPage(
        name="Questions for the solver's test",
        permission="hits.change_batch",
        address=lambda study: f"{reverse('admin:winogavil_make_test')}?{urlencode({'study': study.pk})}",
    ),
    StudyPage(
        name="Annotations",
        permission="winogavil_annotation.view_annotation",
        address=lambda study: reverse("admin:winogavil_annotations", args=[study.pk]),
    ),
    StudyPage(
        name="Statistics and releases",
        permission="winogavil_releases.view_statistics",
        address=lambda study: reverse("admin:winogavil_releases_statistics", args=[study.pk]),
    ),
    StudyPage(
        name="Web game",
        permission="winogavil_play.view_webgame",
        address=lambda study: reverse("admin:play_game", args=[study.pk]),
    ),
)
