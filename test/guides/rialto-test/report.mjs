// Prints what the report of a small run says; report.py must print the same.

import { readFileSync } from "node:fs";
import { openVenue } from "rialto-test";

const venue = await openVenue();
const account = await venue.account({ funds: { USDC: 1000 } });
const order = { symbol: "CC-USDC", side: "BUY", type: "LIMIT", timeInForce: "GTC" };
const terms = { ...order, quantity: 200, price: "0.1", newClientOrderId: "mine" };
await account.request("POST", "/api/v3/order", terms);
const about = { account, believed: { openOrders: [] } };
const { findings, accounts } = await venue.report("node.html", about);
const { window } = await venue.report("node.html", { account, from: 2, to: 3 });
await venue.close();
const told = {
  isPage: readFileSync("node.html", "utf8").startsWith("<!doctype html>"),
  orders: accounts[0].orders.accepted,
  kinds: findings.map(({ severity, kind }) => `${severity} ${kind}`),
  difference: accounts[0].beliefs[0],
  events: window.events,
};
process.stdout.write(JSON.stringify(told));
