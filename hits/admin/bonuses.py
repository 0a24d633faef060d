from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import ngettext

from hits.admin.parts import ReadOnlyAdmin
from hits.models import Bonus
from hits.services import bonuses
from hits.tasks import nudge, pay_bonuses


@admin.register(Bonus)
class BonusAdmin(ReadOnlyAdmin[Bonus]):
    list_display = ("worker", "amount", "rule", "study", "status", "approved_by", "problem")
    list_filter = ("status", "assignment__hit__batch__study")
    list_select_related = ("assignment__worker", "assignment__hit__batch__study", "approved_by")
    search_fields = ("assignment__worker__pseudonym", "rule", "token")
    ordering = ("-pk",)
    actions = ("approve",)

    def has_approve_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("hits.approve_bonus")

    @admin.action(description="Approve for payment", permissions=["approve"])
    def approve(self, request: HttpRequest, rows: QuerySet[Bonus]) -> None:
        selected = list(rows.filter(status__in=(Bonus.Status.OWED, Bonus.Status.REFUSED)))
        approved = bonuses.approve_bonuses(
            bonuses=selected,
            by=request.user,  # type: ignore[arg-type]
            now=timezone.now(),
        )
        nudge(pay_bonuses)
        total = sum(bonus.amount for bonus in selected if bonus.status == Bonus.Status.APPROVED)
        words = ngettext("Approved %d bonus", "Approved %d bonuses", approved) % approved
        messages.success(request, f"{words}, ${total} in all. On the way to the workers.")

    @admin.display(ordering="assignment__worker__pseudonym")
    def worker(self, bonus: Bonus) -> str:
        return bonus.assignment.worker.pseudonym

    @admin.display(ordering="assignment__hit__batch__study__name")
    def study(self, bonus: Bonus) -> str:
        return str(bonus.assignment.hit.batch.study)
