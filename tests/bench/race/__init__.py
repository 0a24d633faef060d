"""The product and other crowdsourcing programs do the same job on the same machine, in turns."""
