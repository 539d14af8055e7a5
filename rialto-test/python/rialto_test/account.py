"""An account of a test's venue, with a key for the program under test."""

import hashlib
import hmac
import json
import time
import urllib.error
import urllib.parse
import urllib.request

from .beliefs import differences_of
from .control_call import RialtoTestError

WAIT_S_MAX = 60


class Account:
    """An account: its `number`, and its API `key` with the HMAC `secret`."""

    def __init__(self, venue, number, created):
        self._venue = venue
        self.number = number
        self.key = created["api_key"]
        self.secret = created["secret"]

    def request(self, method, path, parameters=None, address=None):
        """Makes a signed request; `address` may be the venue's `fault_address`.

        Returns the answer; raises a RialtoTestError with status and code if it is refused.
        """
        query = urllib.parse.urlencode({**(parameters or {}), "timestamp": int(time.time() * 1000)})
        signature = hmac.new(self.secret.encode(), query.encode(), hashlib.sha256).hexdigest()
        url = f"{address or self._venue.address}{path}?{query}&signature={signature}"
        request = urllib.request.Request(url, method=method, headers={"X-MBX-APIKEY": self.key})
        # The venue is on this machine: no proxy lies between.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=WAIT_S_MAX) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            text = error.read().decode(errors="replace")
            raise RialtoTestError(f"{method} {path}: {error.code} {text}") from None

    def truth(self):
        """Returns what the venue knows about this account."""
        return self._venue.truth(self.number)

    def believe(self, open_orders=None, positions=None, balances=None):
        """Compares what the program believes with the truth; an empty list means that it is right.

        Only what is given is compared. `open_orders` are all open orders: by order id, by client order id, or as dicts
        with `id` and fields of the truth's orders. `positions` are all positions: signed quantity by symbol or alias.
        `balances` are totals by wallet and asset; others are not compared.
        """
        return differences_of(self.truth(), open_orders, positions, balances)
