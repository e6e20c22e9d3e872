"""The libraries of the tests in this process, for those of whole processes."""

from tests.cli.conftest import filled as filled
from tests.cli.conftest import library as library
