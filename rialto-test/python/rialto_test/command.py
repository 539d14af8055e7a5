"""Runs a command of the venue's own command line beside the test."""

import json
import os
import signal
import subprocess

from .control_call import RialtoTestError

# How long a command that was told to end may take.
END_S_MAX = 15


def option_words(options):
    """`{"requote_ms": 100, "skip_bad": True}` as `--requote-ms 100 --skip-bad`; a list repeats its option."""
    words = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            words.append(flag)
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [flag, str(one)]
    return words


class RunningCommand:
    """A command that runs."""

    def __init__(self, command, environment, words):
        self._name = words[0]
        self._child = subprocess.Popen(
            [*command, *words, "--json"],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def result(self, timeout=None):
        """Returns what it printed as JSON, once it has ended; raises a RialtoTestError if it failed."""
        printed, complained = self._child.communicate(timeout=timeout)
        if self._child.returncode != 0:
            raise RialtoTestError(f"rialto {self._name}: {complained.strip() or printed.strip()}")
        return json.loads(printed) if printed.strip() else None

    def stop(self):
        """Lets it end as on Ctrl-C, and returns its result."""
        self._child.send_signal(signal.SIGINT)
        try:
            return self.result(timeout=END_S_MAX)
        except subprocess.TimeoutExpired:
            self._child.kill()
            return self.result()
