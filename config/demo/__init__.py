"""The demo: the main job from launch to bonus, over real HTTP, on a scratch database."""
