"""The `rocch` command, also as `python -m rocch`; it needs the extra `cli`."""

import sys
from importlib.util import find_spec

from rocch.errors import missing_extra

# The packages of the extra.
PACKAGES = ("click", "rich", "duckdb")
# The status that click ends with after bad input.
UNUSABLE = 2


def main() -> None:
    """Run the command line, or say in one line what to install."""
    if not all(map(find_spec, PACKAGES)):
        print(f"rocch: {missing_extra('cli', 'The command line')}", file=sys.stderr)  # noqa: T201
        sys.exit(UNUSABLE)
    from rocch.cli.main import main as run

    run()


if __name__ == "__main__":
    main()
