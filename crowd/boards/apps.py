from django.apps import AppConfig


class BoardsConfig(AppConfig):
    name = "crowd.boards"
    verbose_name = "Boards"

    def ready(self) -> None:
        from crowd.boards.roles import ROLES
        from hits.core import audit_subjects
        from hits.identity import roles

        for role, permissions in ROLES.items():
            roles.extend(permissions, role)
        audit_subjects.register({"board.": "Public pages of releases"})
