// Prints what the package for Node tells of an account; beliefs.py must print the same.

import { openVenue } from "rialto-test";

const refusal = (made) =>
  made.then(
    () => null,
    ({ message }) => message,
  );
const limit = { symbol: "CC-USDC", type: "LIMIT" };

const venue = await openVenue();
const seller = await venue.account({ funds: { CC: "100" } });
const account = await venue.account({ funds: { USDC: 1000 }, perp: { USDC: 5 } });
const send = (who, more) => who.request("POST", "/api/v3/order", { ...limit, ...more });
await send(seller, { side: "SELL", timeInForce: "GTC", quantity: 100, price: "0.2" });
const buy = { side: "BUY", timeInForce: "IOC", quantity: 150, price: "0.2" };
await send(account, { ...buy, newClientOrderId: "taken" });
const rest = { side: "BUY", timeInForce: "GTC", quantity: 200, price: "0.1" };
await send(account, { ...rest, newClientOrderId: "resting" });
await send(account, { ...rest, newClientOrderId: "gone" });
const gone = { symbol: "CC-USDC", origClientOrderId: "gone" };
await account.request("DELETE", "/api/v3/order", gone);

const tiny = await venue.account({ funds: { CC: 1e-7 } });
const holds = (amount) => tiny.believe({ balances: { spot: { CC: amount } } });

const truth = await account.truth();
const told = {
  right: await account.believe({
    openOrders: [{ id: truth.order("resting").order_id, price: 0.1, side: "BUY" }],
    positions: {},
    balances: { spot: { CC: "99.9" }, perp: { USDC: 5 } },
  }),
  wrong: await account.believe({
    openOrders: [{ id: "resting", qty: "201" }, "taken", "never"],
    positions: { BTCUSDT: "0.5" },
    balances: { spot: { CC: "1" } },
  }),
  tiny: [await holds(1e-7), await holds("1E-07"), await holds(2e-7), await holds("e-7")],
  forgotten: await account.believe({ openOrders: [] }),
  reasons: truth.orders.map(({ status, reason }) => `${status} ${reason}`),
  fills: truth.fills.map(({ order_id: id, qty, fee_asset: asset }) => {
    return `${truth.order(id).client_order_id} ${qty} ${asset}`;
  }),
  noAsset: await refusal(venue.account({ funds: { XYZ: 1 } })),
  noSetting: await refusal(openVenue({ settings: { POTR: 1 } })),
};
await venue.close();
const afterClose = (await refusal(account.truth())).split(" at ")[0];
process.stdout.write(JSON.stringify({ ...told, afterClose }));
