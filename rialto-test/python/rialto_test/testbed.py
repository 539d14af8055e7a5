"""Finds the test bed that runs on this machine, or starts one: `rialto testbed --idle 60`.

It outlives this process and ends by itself. Two programs that start one at the same time both use the first.
"""

import hashlib
import os
import subprocess
import tempfile
import time

from .control_call import NotAnswered, RialtoTestError, control_call

# The first start of a program's version makes the image, which takes some seconds; a busy machine takes longer.
START_S_MAX = 180
LOOK_S = 0.05
IDLE_S = 60
# The longest path of a socket, as in the program.
SOCKET_BYTES_MAX = 100
# A test bed may end between the moment it was found and the call.
CALLS_MAX = 3
ADVICE = 'Install rialto on the PATH, or set RIALTO to its command, such as RIALTO="node /path/to/rialto.js".'


def testbed_folder():
    """Returns the test bed's folder: RIALTO_TESTBED, or the one that `rialto testbed` takes."""
    given = os.environ.get("RIALTO_TESTBED")
    if given:
        return os.path.abspath(given)
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.abspath(os.path.join(cache, "rialto", "testbed"))


def socket_of(folder):
    path = os.path.join(folder, "control.sock")
    if len(path.encode()) <= SOCKET_BYTES_MAX:
        return path
    digest = hashlib.sha256(folder.encode()).hexdigest()[:16]
    return os.path.join(tempfile.gettempdir(), f"rialto-{digest}.sock")


def testbed_call(name, parameters=None):
    """Makes a call of the test bed; starts one if none runs."""
    folder = testbed_folder()
    path = socket_of(folder)
    for calls in range(1, CALLS_MAX + 1):
        try:
            return control_call(path, name, parameters)
        except NotAnswered:
            if calls == CALLS_MAX:
                raise
            _start_testbed(folder, path)


def _start_testbed(folder, path):
    command = (os.environ.get("RIALTO") or "rialto").split()
    words = [*command, "testbed", "--folder", folder, "--idle", str(IDLE_S)]
    with tempfile.TemporaryFile(prefix="rialto-test-") as log:
        try:
            child = subprocess.Popen(
                words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
        except FileNotFoundError:
            raise RialtoTestError(f"the test bed did not start: there is no program {command[0]}\n{ADVICE}") from None
        until = time.monotonic() + START_S_MAX
        while not _is_answered(path):
            code = child.poll()
            if code is not None:
                log.seek(0)
                ended = log.read().decode(errors="replace").strip() or f"it ended with {code}"
                # Another program was faster: its test bed answers soon.
                if "a test bed is already running" not in ended:
                    raise RialtoTestError(f"the test bed did not start: {ended}\n{ADVICE}")
            if time.monotonic() > until:
                raise RialtoTestError(f"no test bed answers at {path} after {START_S_MAX} s")
            time.sleep(LOOK_S)
        # It goes on without this process, so nobody waits for its end.
        child.returncode = child.returncode or 0


def _is_answered(path):
    try:
        control_call(path, "ping")
        return True
    except NotAnswered:
        return False
