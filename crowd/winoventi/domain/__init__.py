"""The rules of the exception procedure that need no database."""

EXCEPTIONS = "winoventi.exceptions"
PREMISES = "winoventi.premises"
VALIDATE = "winoventi.validate"
CHOOSE = "winoventi.choose"
WALK = "winoventi.walk"
TASKS = (EXCEPTIONS, PREMISES, VALIDATE, CHOOSE)

MOST_ALTERNATIVES = 3
KS = (1, 3, 5, 8)
LARGEST_K = 50
# The two prompts of a pair, and what each is about.
GENERIC = "generic"
EXCEPTION = "exception"
KINDS = (GENERIC, EXCEPTION)
