"""What the page of a study leads to: its exception procedure, or the form that sets one up."""

from urllib.parse import urlencode

from django.urls import reverse

from crowd.winoventi.models import Project
from hits.admin.study_pages import StudyPage, announce
from hits.models import Study


def address_of_project(study: Study) -> str:
    if project := Project.objects.filter(study=study).first():
        return reverse("admin:winoventi_project_change", args=[project.pk])
    return f"{reverse('admin:winoventi_project_add')}?{urlencode({'study': study.pk})}"


announce(
    StudyPage(name="Exception procedure", permission="winoventi.view_project", address=address_of_project)
)
