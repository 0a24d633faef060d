"""What a deployment is made of: images, units, and the server in front."""
