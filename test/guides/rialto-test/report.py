"""Prints what the report of a small run says; report.mjs must print the same."""

import json

from rialto_test import open_venue

with open_venue() as venue:
    account = venue.account(funds={"USDC": 1000})
    order = {"symbol": "CC-USDC", "side": "BUY", "type": "LIMIT", "timeInForce": "GTC"}
    terms = {**order, "quantity": 200, "price": "0.1", "newClientOrderId": "mine"}
    account.request("POST", "/api/v3/order", terms)
    report = venue.report("python.html", account, believed={"open_orders": []})
    part = venue.report("python.html", account=account, from_=2, to=3)
with open("python.html", encoding="utf-8") as page:
    is_page = page.read().startswith("<!doctype html>")
told = {
    "isPage": is_page,
    "orders": report["accounts"][0]["orders"]["accepted"],
    "kinds": [f"{finding['severity']} {finding['kind']}" for finding in report["findings"]],
    "difference": report["accounts"][0]["beliefs"][0],
    "events": part["window"]["events"],
}
print(json.dumps(told), end="")
