"""The `pak3h` command, one file per subcommand."""
