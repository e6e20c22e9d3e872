"""`python -m rocch` is the `rocch` command."""

from rocch.cli.main import main

main()
