"""The names of `rocch.service`."""

from .app import create_app as create_app
from .run import Settings as Settings
from .run import open_service as open_service

__all__: list[str]
