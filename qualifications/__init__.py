"""Who may work: consent, tests and gates. The room is still empty; see docs/architecture.md."""
