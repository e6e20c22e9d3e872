"""The names of `rocch.service`."""

from .app import create_app as create_app
from .run import open_service as open_service
from .settings import Settings as Settings

__all__: list[str]
