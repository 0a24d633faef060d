from qualifications.admin import swow

__all__ = ["swow"]
