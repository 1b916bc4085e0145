from candidly.cli import main

main()
