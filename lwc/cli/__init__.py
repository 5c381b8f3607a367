"""The command line: a table of commands, one file a group, one file that prints."""
