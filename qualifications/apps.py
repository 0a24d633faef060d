from django.apps import AppConfig


class QualificationsConfig(AppConfig):
    name = "qualifications"

    def ready(self) -> None:
        from django.utils.translation import gettext_lazy as _

        from hits import families
        from hits.batches.services import study_copies
        from hits.core import audit_subjects
        from hits.families import entry_policies
        from qualifications.gate_policy import GatePolicy
        from qualifications.personal_policy import PersonalPolicy
        from qualifications.roles import extend_roles_table
        from qualifications.services import purged_answers
        from qualifications.services.copied_rules import copy_consent, copy_gates

        entry_policies.register(PersonalPolicy())
        entry_policies.register(GatePolicy())
        extend_roles_table()
        purged_answers.register()
        study_copies.register(copy_gates)
        study_copies.register(copy_consent)
        families.name_measures({"provider": _("score of the platform's test")})
        audit_subjects.register(
            {
                "qualification.": "Gates that people hold",
                "consent.": "Consent texts",
                "demographics.": "What people said about themselves",
            }
        )
