from qualifications.admin import attempts, consent, gates, holdings, swow

__all__ = ["attempts", "consent", "gates", "holdings", "swow"]
