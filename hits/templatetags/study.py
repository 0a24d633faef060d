"""The tabs of a study, on its own pages and on those of its projects: {% study_tabs study "people" %}"""

from typing import Any

from django import template

from hits.admin.studies.study_tabs import families_used, tabs_of
from hits.studies.models import Study

register = template.Library()


@register.inclusion_tag("admin/hits/study/tabs.html", takes_context=True)
def study_tabs(context: Any, study: Study, current: str) -> dict[str, Any]:
    """Return the tabs for whoever may open the study; on its projects' pages others have none."""
    user = context["request"].user
    if not user.has_perm("hits.view_study"):
        return {"study": study}
    tabs = tabs_of(study, user=user, used=families_used(study, user=user))
    return {"tabs": tabs, "current": current, "study": study}
