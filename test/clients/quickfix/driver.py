# QuickFIX as initiator: order entry and a drop copy of one account. A proxy loses messages and cuts connections, so that
# the engine recovers by resend, by reset, and with numbers that go on.

import base64
import hashlib
import hmac
import json
import threading
import time
import urllib.parse
import urllib.request

import quickfix as fix
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from proxy import Proxy
from steps import BASE, ED25519, HMAC, SPOT, finish, need, step, until

SETTINGS = """[DEFAULT]
ConnectionType=initiator
SocketConnectHost=127.0.0.1
SocketConnectPort={port}
ReconnectInterval=1
HeartBtInt=5
NonStopSession=Y
UseDataDictionary=N
ResetOnLogon={resets}
[SESSION]
BeginString=FIX.4.4
SenderCompID={name}
TargetCompID=SPOT
"""


class Client(fix.Application):
    """One session."""

    def __init__(self, name, more, resets="Y"):
        super().__init__()
        self.name, self.more = name, more
        with open(ED25519[1], "rb") as file:
            self.key = load_pem_private_key(file.read(), None)
        self.lock = threading.Lock()
        self.session = fix.SessionID("FIX.4.4", name, "SPOT")
        self.logons, self.is_on, self.kept = 0, False, []
        self.proxy = Proxy()
        with open(f"{name}.cfg", "w") as file:
            file.write(SETTINGS.format(port=self.proxy.port, name=name, resets=resets))
        # The engine does not keep these three alive.
        self.settings = fix.SessionSettings(f"{name}.cfg")
        self.store = fix.MemoryStoreFactory()
        self.initiator = fix.SocketInitiator(self, self.store, self.settings)
        self.initiator.start()
        until(f"the logon of {name}", lambda: self.is_on)

    def onCreate(self, session):
        pass

    def onLogon(self, session):
        with self.lock:
            self.logons, self.is_on = self.logons + 1, True

    def onLogout(self, session):
        with self.lock:
            self.is_on = False

    def toAdmin(self, message, session):
        """Adds key and signature to a Logon."""
        header = message.getHeader()
        if header.getField(35) != "A":
            return
        payload = "\x01".join(header.getField(tag) for tag in (35, 49, 56, 34, 52))
        signature = base64.b64encode(self.key.sign(payload.encode())).decode()
        signed = {95: str(len(signature)), 96: signature, 553: ED25519[0], 25035: "2"}
        for tag, value in (signed | self.more).items():
            message.setField(fix.StringField(tag, value))

    def toApp(self, message, session):
        pass

    def fromAdmin(self, message, session):
        self.keep(message)

    def fromApp(self, message, session):
        self.keep(message)

    def keep(self, message):
        pairs = (pair.partition("=") for pair in message.toString().split("\x01"))
        fields = {int(tag): value for tag, _, value in pairs if tag.isdigit()}
        with self.lock:
            self.kept.append(fields)

    def messages(self):
        with self.lock:
            return list(self.kept)

    def send(self, kind, body):
        message = fix.Message()
        message.getHeader().setField(fix.MsgType(kind))
        for tag, value in body.items():
            message.setField(fix.StringField(tag, value))
        fix.Session.sendToTarget(message, self.session)

    def report(self, wanted):
        """Waits for a message with these fields."""
        fits = lambda one: all(one.get(tag) == value for tag, value in wanted.items())
        found = lambda: next((one for one in self.messages() if fits(one)), None)
        try:
            return until(f"a message with {wanted}", found)
        except AssertionError as error:
            raise AssertionError(f"{error}; the last ones are {self.messages()[-5:]}") from None

    def asks(self, kind, body, wanted):
        """Sends a message and waits for the answer with these fields."""
        self.send(kind, body)
        return self.report(wanted)


def order(name, price, more=None):
    terms = {11: name, 55: SPOT, 54: "1", 40: "2", 59: "1", 38: "200.0", 44: price}
    return terms | (more or {})


def rest(path, method="GET", **params):
    """A signed request to the venue's REST interface; returns its answer."""
    query = urllib.parse.urlencode({"symbol": SPOT, "timestamp": int(time.time() * 1000)} | params)
    signature = hmac.new(HMAC[1].encode(), query.encode(), hashlib.sha256).hexdigest()
    address = f"{BASE}{path}?{query}&signature={signature}"
    request = urllib.request.Request(address, method=method, headers={"X-MBX-APIKEY": HMAC[0]})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.load(answer)


class Trading:
    def logs_on(self):
        self.reports = Client("COPY", {9406: "Y"})
        self.orders = Client("DESK", {9001: "Y"})

    def trades(self):
        self.orders.asks("D", order("taker", "0.1700", {59: "3"}), {11: "taker", 150: "F"})
        self.orders.asks("D", order("rest", "0.0900"), {11: "rest", 150: "0"})

    def amends(self):
        body = {11: "less", 41: "rest", 55: SPOT, 38: "150.0"}
        amended = self.orders.asks("XAK", body, {11: "less", 150: "5"})
        need(amended[38] == "150.00000000", amended)

    def cancels(self):
        self.orders.asks("F", {11: "undo", 41: "rest", 55: SPOT}, {11: "undo", 150: "4"})
        self.orders.asks("F", {11: "again", 41: "rest", 55: SPOT}, {35: "9", 11: "again"})

    def resends(self):
        self.orders.proxy.lose_reports(2)
        for name in ("lost-1", "lost-2", "seen"):
            self.orders.send("D", order(name, "0.0901"))
        for name in ("lost-1", "lost-2"):
            self.orders.report({11: name, 150: "0", 43: "Y"})
        self.orders.report({11: "seen", 150: "0"})
        need(self.orders.logons == 1, "the session did not go on")

    def resets(self):
        self.orders.proxy.cut()
        self.reports.report({41: "seen", 150: "4"})
        until("the next logon", lambda: self.orders.logons == 2 and self.orders.is_on)
        self.orders.asks("D", order("after", "0.0902"), {11: "after", 150: "0"})

    def continues(self):
        """A session that does not reset its numbers gets what happened while it was away, once."""
        self.kept = Client("KEPT", {141: "N"}, resets="N")
        self.kept.asks("D", order("kept", "0.0903"), {11: "kept", 150: "0"})
        self.kept.proxy.leave()
        until("the loss", lambda: not self.kept.is_on)
        terms = {"side": "BUY", "quantity": "200.0"}
        limit = {"type": "LIMIT", "timeInForce": "GTC", "price": "0.0904"}
        rest("/api/v3/order", "POST", newClientOrderId="away", **terms, **limit)
        rest("/api/v3/order", "POST", newClientOrderId="filled", type="MARKET", **terms)
        self.kept.proxy.come_back()
        until("the next logon", lambda: self.kept.logons == 2 and self.kept.is_on)
        for wanted in ({11: "away", 150: "0"}, {11: "filled", 150: "F"}):
            missed = self.kept.report(wanted | {43: "Y"})
            copied = self.reports.report(wanted)
            need(missed[17] == copied[17], f"{missed} is not {copied}")
        self.kept.asks("D", order("kept-on", "0.0905"), {11: "kept-on", 150: "0"})
        numbers = [int(one[17]) for one in self.kept.messages() if 17 in one]
        need(numbers == sorted(set(numbers)), numbers)

    def copies(self):
        """The drop copy has the account's fills, and the numbers of its reports ascend."""
        theirs = sorted((row["id"], row["qty"], row["price"]) for row in rest("/api/v3/myTrades"))
        copied = self.reports.messages()
        ours = sorted((int(one[1003]), one[32], one[31]) for one in copied if one.get(150) == "F")
        need(theirs and ours == theirs, f"the copy has {ours}, the account {theirs}")
        numbers = [int(one[17]) for one in copied if 17 in one]
        need(numbers == sorted(set(numbers)), numbers)

    def logs_out(self):
        self.orders.initiator.stop()
        self.reports.initiator.stop()
        self.kept.initiator.stop()
        names = sorted(row["clientOrderId"] for row in rest("/api/v3/openOrders"))
        need(names == ["after", "away", "kept", "kept-on"], f"after the logout {names} are open")


trading = Trading()
step("trading", "logs on with an Ed25519 key", trading.logs_on)
step("trading", "trades", trading.trades)
step("trading", "amends", trading.amends)
step("trading", "cancels, and is refused", trading.cancels)
step("trading", "recovers lost reports by resend", trading.resends)
step("trading", "recovers from a cut connection by reset, and its orders are cancelled", trading.resets)
step("trading", "continues its numbers, and gets what it missed", trading.continues)
step("trading", "has every fill in its drop copy", trading.copies)
step("trading", "logs out and keeps its orders", trading.logs_out)
finish()
