"""`python -m priscian.cli` is the command `priscian`."""

from priscian.cli.app import main

if __name__ == "__main__":
    main()
