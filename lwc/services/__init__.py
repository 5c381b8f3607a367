"""What an agent or an operator may do: one function behind each command, tool and view."""
