// What a first start with development tools leaves behind: a demo account with money on both sides of
// a market, a house account whose order rests there, a key, and the one line that makes the two meet.

import { SystemAccount } from "../core/accounts.ts";
import { present } from "../core/assert.ts";
import { CommandKind } from "../core/commands.ts";
import { parseScaled } from "../core/decimal.ts";
import { insuranceSeed } from "../core/limits.ts";
import { noOptions, OrderType, Side, TimeInForce } from "../core/orders.ts";
import { RejectReason } from "../core/reject-reason.ts";
import type { Operator } from "./operator.ts";
import { OperatorRefusal } from "./operator-ask.ts";
import type { Venue } from "./venue.ts";

const symbol = "CC-USDC";
const price = "0.1500";
const offered = "10000";
const bought = "100";

const spotMoney: readonly (readonly [asset: string, amount: string])[] = [
  ["USDC", "100000"],
  ["CC", "500000"],
  ["CBTC", "2"],
  ["CETH", "40"],
];
const perpMoney = "100000";

export interface Demo {
  readonly account: number;
  readonly apiKey: string;
  readonly secret: string;
  /** For bash with curl and openssl: buys from the house's order. */
  readonly line: string;
  /** USDC that the faucet gave the insurance fund. */
  readonly fund: number;
}

/** Makes the demo accounts, key and order; `address` is where the venue answers. */
export async function createDemo(venue: Venue, operator: Operator, address: string): Promise<Demo> {
  const fund = { account: SystemAccount.insurance, wallet: "perp", asset: "USDC" };
  await operator.fund({ ...fund, amount: String(insuranceSeed) });
  const maker = await fundedAccount(operator, "house");
  await placeOffer(venue, maker);
  const account = await fundedAccount(operator, "standard");
  const key = await operator.createKey({ account, label: "demo" });
  const { api_key: apiKey, secret } = key as { api_key: string; secret: string };
  const line = orderLine(address, apiKey, secret);
  return { account, apiKey, secret, line, fund: insuranceSeed };
}

async function fundedAccount(operator: Operator, type: string): Promise<number> {
  const { account } = await operator.createAccount(type);
  for (const [asset, amount] of spotMoney) {
    await operator.fund({ account, wallet: "spot", asset, amount });
  }
  await operator.fund({ account, wallet: "perp", asset: "USDC", amount: perpMoney });
  return account;
}

async function placeOffer({ table, desk }: Venue, account: number): Promise<void> {
  const market = present(table.find(symbol), "the demo's market");
  const reply = await desk.ask({
    kind: CommandKind.placeOrder,
    account,
    market: market.id,
    side: Side.sell,
    type: OrderType.limit,
    timeInForce: TimeInForce.gtc,
    price: parseScaled(price, market.tickDecimals),
    qty: parseScaled(offered, market.lotDecimals),
    ...noOptions,
    clientId: "",
    attached: null,
  });
  if (reply.reason !== RejectReason.none) throw new OperatorRefusal("the demo order was refused");
}

function orderLine(address: string, apiKey: string, secret: string): string {
  const query = `symbol=${symbol}&side=BUY&type=LIMIT&timeInForce=GTC&quantity=${bought}&price=${price}`;
  const sign = `printf %s "$q" | openssl dgst -sha256 -hmac ${secret} -r | cut -d' ' -f1`;
  return (
    `q="${query}&timestamp=$(date +%s)000"; curl -s -X POST -H "X-MBX-APIKEY: ${apiKey}" ` +
    `"${address}/api/v3/order?$q&signature=$(${sign})"`
  );
}
