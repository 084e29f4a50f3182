"""What planetree runs on: the versions that a bug report should name."""

from planetree.environment.versions import show_versions

__all__ = ["show_versions"]
