from django.apps import AppConfig


class RehearsalConfig(AppConfig):
    name = "crowd.rehearsal"
    verbose_name = "Rehearsals"

    def ready(self) -> None:
        from crowd.rehearsal.roles import ROLES
        from hits.identity import roles

        for role, permissions in ROLES.items():
            roles.extend(permissions, role)
