"""What is compared of the provider's side and ours, and how each row of it is counted."""

KINDS = ("hits", "answers", "decisions", "payments")
ALIKE = "alike"
COUNTS = (ALIKE, "different", "only_theirs", "only_ours")
