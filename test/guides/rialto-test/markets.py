"""Plays markets, lets faults happen and moves time with the package for Python; markets.mjs must print the same."""

import datetime
import json
import sys
import time
import urllib.error
import urllib.request

from rialto_test import RialtoTestError, open_venue

source = sys.argv[1]
market = "BTCUSDT"
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))

with open_venue() as venue:
    made = venue.load_market(script="calm", market=market, price=95800, seed=7, for_="2s", speed="max")
    recorded = venue.load_market(source=source, market=market, speed="max", as_now=True)
    playing = venue.play_market(script="calm", market=market, price=95800, speed="1x")

    def bids():
        with opener.open(f"{venue.address}/fapi/v1/depth?symbol={market}") as answer:
            return json.loads(answer.read())["bids"]

    while not bids():
        time.sleep(0.05)
    stopped = playing.stop()

    account = venue.account(funds={"USDC": 1000})

    def status():
        headers = {"X-MBX-APIKEY": account.key}
        request = urllib.request.Request(f"{venue.fault_address}/api/v3/time", headers=headers)
        try:
            with opener.open(request) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            with error:
                return error.code

    venue.faults.apply("slow-venue", address="127.0.0.9")
    profile = {"name": "mine", "faults": [{"kind": "outage", "as": "503"}]}
    venue.faults.apply(profile, account=account, seed=3, for_="10m")
    refused = [status()]
    venue.faults.clear()
    refused.append(status())

    states = [venue.time.pause()["state"]]
    stepped = venue.time.step(by="5m")
    jumped = venue.time.jump("candle")
    # Without a zone, a datetime is in UTC, wherever the machine is.
    moved = venue.time.set(datetime.datetime.fromisoformat(jumped["time"].rstrip("Z")))
    states += [stepped["state"], jumped["state"], venue.time.speed(2)["state"]]
    try:
        venue.time.set("2199-01-31T09:30:00Z")
        far = ""
    except RialtoTestError as error:
        far = str(error)
    states.append(venue.time.resume()["state"])

told = {
    "made": [made["script"], made["seed"], made["refused"]],
    "recorded": [recorded["depth"], recorded["refused"]],
    "stopped": [stopped["script"], stopped["refused"]],
    "refused": refused,
    "states": states,
    "moved_ms": stepped["moved_ms"],
    "reached": jumped["reached"],
    "set": moved["moved_ms"],
    "far": far.split(" after ")[0],
}
print(json.dumps(told), end="")
