"""Who may work: consent, tests and gates. The room is furnished by a later change; see docs/architecture.md."""
