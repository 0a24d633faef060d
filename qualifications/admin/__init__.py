from qualifications.admin import attempts, consent, gates, holdings, launch_facts, swow

__all__ = ["attempts", "consent", "gates", "holdings", "launch_facts", "swow"]
