"""Messages to workers: what was written, and whom it reached."""

from collections.abc import Iterable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import ngettext

from hits.admin.home.navigation import MenuPlace, Section
from hits.admin.page_parts import ReadOnlyAdmin
from hits.admin.people import letter_forms
from hits.admin.selection import page_of, signed_in
from hits.people.models import Message, Recipient
from hits.people.queries import worker_record
from hits.people.services import worker_letters

Status = Recipient.Status


@admin.register(Message)
class MessageAdmin(ReadOnlyAdmin[Message]):
    menu = MenuPlace(Section.PEOPLE, 6, "Messages to workers")
    nothing_yet = (
        "Messages that were sent to workers are listed here. Write one from the list of workers: select "
        "some, and choose to write to them."
    )
    list_display = ("subject", "account", "study", "by", "made_at", "delivery")
    list_filter = ("account",)
    search_fields = ("subject",)
    ordering = ("-pk",)
    list_per_page = 50
    show_full_result_count = False

    def get_urls(self) -> list[URLPattern]:
        shown = self.admin_site.admin_view
        return [
            path("write/", shown(letter_forms.compose_view), name="hits_message_compose"),
            path("<int:message_id>/retry/", shown(self.retry_view), name="hits_message_retry"),
            *super().get_urls(),
        ]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Message]:
        return worker_record.messages_for(request.user).select_related("account", "study", "by")

    def get_changelist_instance(self, request: HttpRequest) -> Any:
        """The list, with the figures of its page's rows read in one query."""
        changes = super().get_changelist_instance(request)
        self.fill_rows(changes.result_list)
        return changes

    def fill_rows(self, rows: Iterable[Any]) -> None:
        messages = list(rows)
        tallies = worker_record.tallies(message.pk for message in messages)
        for message in messages:
            message.tally = tallies[message.pk]

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        message = self.get_object(request, object_id)
        if message is None:
            raise Http404
        if not self.has_view_permission(request, message):
            raise PermissionDenied
        tally = worker_record.tallies([message.pk])[message.pk]
        status = request.GET.get("status", "")
        rows = message.recipients.select_related("worker").order_by("pk")
        if status in Status.values:
            rows = rows.filter(status=status)
        total = tally.counts.get(status, 0) if status in Status.values else tally.total
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": message.subject,
            "message": message,
            "tally": tally,
            "failed": tally.counts.get(Status.FAILED, 0),
            "unknown": tally.counts.get(Status.UNKNOWN, 0),
            "status": status,
            "page": page_of(rows, number=request.GET.get("page"), total=total),
            "may_write": request.user.has_perm("hits.send_message"),
        }
        return TemplateResponse(request, "admin/hits/message/page.html", context)

    def retry_view(self, request: HttpRequest, message_id: int) -> HttpResponse:
        """Send again to failed recipients, or to unclear ones if the user accepts that some get it twice."""
        if not request.user.has_perm("hits.send_message") or not self.has_view_permission(request):
            raise PermissionDenied
        message = get_object_or_404(self.get_queryset(request), pk=message_id)
        status = request.POST.get("status", "")
        if status == Status.UNKNOWN and not request.POST.get("sure"):
            messages.error(request, "Tick the box first: a worker may get the message twice.")
        elif status in (Status.UNKNOWN, Status.FAILED):
            count = worker_letters.retry_recipients(
                recipients=message.recipients.filter(status=status), by=signed_in(request)
            )
            words = ngettext("On its way again to %d worker.", "On its way again to %d workers.", count)
            messages.success(request, words % count)
        return redirect("admin:hits_message_change", message.pk)

    @admin.display(description="delivery")
    def delivery(self, message: Message) -> str:
        return message.tally.words  # type: ignore[attr-defined, no-any-return]
