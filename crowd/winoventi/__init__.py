"""The exception procedure: generic associations, their exceptions, and the premises that tell which holds."""
