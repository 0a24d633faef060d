from django.apps import AppConfig


class QualificationsConfig(AppConfig):
    name = "qualifications"

    def ready(self) -> None:
        from hits.core import audit_subjects
        from hits.families import entry_policies
        from qualifications.gate_policy import GatePolicy
        from qualifications.roles import extend_roles_table

        entry_policies.register(GatePolicy())
        extend_roles_table()
        audit_subjects.register(
            {
                "qualification.": "Gates that people hold",
                "consent.": "Consent texts",
                "demographics.": "What people said about themselves",
            }
        )
