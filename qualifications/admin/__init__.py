from qualifications.admin import attempts, consent, facts_before_work, gates, holdings, swow, worker_page

__all__ = ["attempts", "consent", "facts_before_work", "gates", "holdings", "swow", "worker_page"]
