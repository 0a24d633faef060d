"""The demo: a task family's main job from launch to bonus, over real HTTP, on a scratch database."""
