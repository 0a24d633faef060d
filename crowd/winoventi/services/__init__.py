"""The steps of the exception procedure.

Every service that writes what follows from facts locks its project first, and then items: a second caller
waits, and finds what the first has written.
"""
