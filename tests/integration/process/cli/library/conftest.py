"""The libraries of the tests in this process, for those of whole processes."""

from tests.cli.library.conftest import filled as filled
from tests.cli.library.conftest import library as library
