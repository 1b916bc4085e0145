import sys


def main() -> None:
    """Run the command line. Ctrl-C while it is still loading ends it with status 130."""
    try:
        from candidly.ground.own_path import is_gone, leave_working_directory

        if is_gone():
            print("candidly: error: the folder that you are in is gone.", file=sys.stderr)
            sys.exit(2)
        leave_working_directory()
        from candidly.cli import main as run

        run()
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
