"""The part of a page that holds a bonus table, for the script that keeps it live."""

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseBadRequest
from django.shortcuts import render
from django.views.decorators.http import require_POST

from hits.admin.bonus_table.table_field import TEMPLATE, read_editor
from hits.admin.selection import signed_in


@require_POST
def table_view(request: HttpRequest) -> HttpResponse:
    """Show the table that was sent after what its button does. It reads and writes nothing else."""
    user = signed_in(request)
    if not (user.has_perm("hits.change_study") or user.has_perm("hits.add_study")):
        raise PermissionDenied
    field = request.GET.get("field", "")
    if not field.isidentifier():
        return HttpResponseBadRequest("Name the form's field.")
    return render(request, TEMPLATE, read_editor(request.POST, prefix=field).context())
