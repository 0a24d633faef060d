"""The rules of caption matching, without a database."""

# Tasks, as items and batches name them.
VALIDATE = "winoground.validate"
ONBOARDING = "winoground.onboarding"
# What a yes is worth, and what a right answer of the first questions is.
YES = "yes"
RIGHT = "onboarding"
# Of an example: both captions with both images.
PLACES = ((0, 0), (0, 1), (1, 0), (1, 1))
