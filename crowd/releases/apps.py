from django.apps import AppConfig


class ReleasesConfig(AppConfig):
    name = "crowd.releases"
    verbose_name = "Releases"

    def ready(self) -> None:
        from crowd.releases.roles import ROLES
        from hits.core import audit_subjects
        from hits.identity import roles

        for role, permissions in ROLES.items():
            roles.extend(permissions, role)
        audit_subjects.register({"release.": "Releases"})
