from django.apps import AppConfig


class BenchmarksConfig(AppConfig):
    name = "crowd.benchmarks"
    verbose_name = "Benchmarks"

    def ready(self) -> None:
        from crowd.benchmarks.roles import ROLES
        from hits.core import audit_subjects
        from hits.identity import roles

        for role, permissions in ROLES.items():
            roles.extend(permissions, role)
        audit_subjects.register({"benchmark.": "Benchmarks"})
