"""Groups of participants: they are for Prolific what scored qualifications and blocks are elsewhere."""

from collections.abc import Iterator
from typing import Any

from hits.core.domain.requirements import GROUP
from hits.core.errors import ProviderRefused
from hits.providers.gateway.interface import ProviderTest, QualificationRequest, QualifiedWorker
from hits.providers.prolific.prolific_client import GONE, ProlificClient

GROUPS = "participant-groups/"
# The group of whom the account blocks, in the name that staff see at Prolific.
BLOCKED = "Blocked [crowd:blocked]"
PASSED = 1


class ParticipantGroups:
    """Part of ProlificProvider: a type is a group, and whoever passed is in it."""

    _client: ProlificClient
    _workspace_id: str

    def create_qualification(
        self,
        *,
        name: str,
        description: str,
        keywords: str = "",
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> str:
        if test is not None:
            raise ProviderRefused("Prolific shows and marks no tests: choose a test here.", code="NoTests")
        return f"{GROUP}{self._group_of(name, ends='') or self._make_group(name)}"

    def update_qualification(
        self,
        qualification_type_id: str,
        *,
        description: str,
        retry_delay_s: int | None = None,
        test: ProviderTest | None = None,
    ) -> None:
        """Do nothing: a group has a name alone, and keeps it."""

    def find_qualification(self, *, mark: str) -> str | None:
        found = self._group_of("", ends=f"[{mark}]")
        return f"{GROUP}{found}" if found else None

    def grant_qualification(
        self,
        qualification_type_id: str,
        *,
        worker_external_id: str,
        value: int = PASSED,
        notify: bool = True,
        reason: str = "",
    ) -> None:
        method = "POST" if value >= PASSED else "DELETE"
        self._change_group(qualification_type_id.removeprefix(GROUP), worker_external_id, method=method)

    def revoke_qualification(
        self, qualification_type_id: str, *, worker_external_id: str, reason: str = ""
    ) -> None:
        self._change_group(qualification_type_id.removeprefix(GROUP), worker_external_id, method="DELETE")

    def list_qualified(self, qualification_type_id: str) -> Iterator[QualifiedWorker]:
        for worker in self._members(qualification_type_id.removeprefix(GROUP)):
            yield QualifiedWorker(worker_external_id=worker, value=PASSED)

    def list_qualification_requests(self, qualification_type_id: str) -> Iterator[QualificationRequest]:
        return iter(())

    def accept_qualification_request(self, external_id: str, *, value: int) -> None:
        raise ProviderRefused("Nobody asks for a group at Prolific.", code="NoRequests")

    def reject_qualification_request(self, external_id: str, *, reason: str) -> None:
        raise ProviderRefused("Nobody asks for a group at Prolific.", code="NoRequests")

    def block_worker(self, external_id: str, *, reason: str) -> None:
        self._change_group(self._blocked_group(), external_id, method="POST")

    def unblock_worker(self, external_id: str) -> None:
        self._change_group(self._blocked_group(), external_id, method="DELETE")

    def list_blocked(self) -> Iterator[str]:
        group = self._group_of(BLOCKED, ends="")
        return self._members(group) if group else iter(())

    def _blocked_group(self) -> str:
        return self._group_of(BLOCKED, ends="") or self._make_group(BLOCKED)

    def _group_of(self, name: str, *, ends: str) -> str | None:
        listed = self._client.pages(
            "list_groups",
            GROUPS,
            lambda row: (str(row["id"]), str(row["name"]), bool(row.get("is_deleted"))),
            size_as="limit",
            workspace_id=self._workspace_id,
        )
        wanted = (known for known in listed if not known[2])
        return next(
            (one for one, known, _ in wanted if known == name or (ends and known.endswith(ends))), None
        )

    def _make_group(self, name: str) -> str:
        body = {"name": name, "workspace_id": self._workspace_id, "participant_ids": []}
        made: str = self._client.tell("create_group", GROUPS, body, read=lambda row: str(row["id"]))
        return made

    def _change_group(self, group: str, worker_external_id: str, *, method: str) -> None:
        body = {"participant_ids": [worker_external_id]}
        path = f"{GROUPS}{group}/participants/"
        try:
            self._client.tell("change_group", path, body, method=method, repeats=True)
        except ProviderRefused as refusal:
            if refusal.code == str(GONE):
                raise ProviderRefused(
                    str(refusal), code="QualificationTypeDoesNotExist", is_only_answer=True
                ) from refusal
            raise

    def _members(self, group: str) -> Iterator[str]:
        def read(answer: Any) -> list[str]:
            return [str(row["participant_id"]) for row in answer["results"]]

        yield from self._client.ask("list_group_members", f"{GROUPS}{group}/participants/", read)
