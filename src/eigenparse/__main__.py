"""``python -m eigenparse``: the command line."""

from eigenparse.cli.main import main

if __name__ == "__main__":
    main()
