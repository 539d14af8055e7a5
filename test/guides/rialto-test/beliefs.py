"""Prints what the package for Python tells of an account; beliefs.mjs must print the same."""

import json

from rialto_test import RialtoTestError, open_venue


def refusal(make):
    try:
        make()
    except RialtoTestError as error:
        return str(error)


limit = {"symbol": "CC-USDC", "type": "LIMIT"}

with open_venue() as venue:
    seller = venue.account(funds={"CC": "100"})
    account = venue.account(funds={"USDC": 1000}, perp={"USDC": 5})

    def send(who, **more):
        who.request("POST", "/api/v3/order", {**limit, **more})

    send(seller, side="SELL", timeInForce="GTC", quantity=100, price="0.2")
    buy = {"side": "BUY", "timeInForce": "IOC", "quantity": 150, "price": "0.2"}
    send(account, **buy, newClientOrderId="taken")
    rest = {"side": "BUY", "timeInForce": "GTC", "quantity": 200, "price": "0.1"}
    send(account, **rest, newClientOrderId="resting")
    send(account, **rest, newClientOrderId="gone")
    account.request("DELETE", "/api/v3/order", {"symbol": "CC-USDC", "origClientOrderId": "gone"})

    tiny = venue.account(funds={"CC": 1e-7})

    def holds(amount):
        return tiny.believe(balances={"spot": {"CC": amount}})

    truth = account.truth()
    told = {
        "right": account.believe(
            open_orders=[{"id": truth.order("resting")["order_id"], "price": 0.1, "side": "BUY"}],
            positions={},
            balances={"spot": {"CC": "99.9"}, "perp": {"USDC": 5}},
        ),
        "wrong": account.believe(
            open_orders=[{"id": "resting", "qty": "201"}, "taken", "never"],
            positions={"BTCUSDT": "0.5"},
            balances={"spot": {"CC": "1"}},
        ),
        "tiny": [holds(1e-7), holds("1E-07"), holds(2e-7), holds("e-7")],
        "forgotten": account.believe(open_orders=[]),
        "reasons": [f"{one['status']} {one['reason'] or 'null'}" for one in truth.orders],
        "fills": [
            f"{truth.order(fill['order_id'])['client_order_id']} {fill['qty']} {fill['fee_asset']}"
            for fill in truth.fills
        ],
        "noAsset": refusal(lambda: venue.account(funds={"XYZ": 1})),
        "noSetting": refusal(lambda: open_venue(settings={"POTR": 1})),
    }

told["afterClose"] = refusal(account.truth).split(" at ")[0]
print(json.dumps(told), end="")
