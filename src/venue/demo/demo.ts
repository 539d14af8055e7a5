// The demo of a first start with development tools: a demo account with a balance of every asset, a house account
// with orders on every market, an API key, and a one-line example order.

import { SystemAccount } from "../../core/accounts.ts";
import { insuranceSeed } from "../../core/limits.ts";
import type { Operator } from "../operator/operator.ts";
import type { Venue } from "../venue.ts";
import { demoSymbol, restDemoBooks } from "./demo-book.ts";
import { storeDemoHouse } from "./demo-house.ts";

const bought = "100";

interface Purse {
  readonly spot: readonly (readonly [asset: string, amount: string])[];
  readonly perp: string;
}

const traderPurse: Purse = {
  spot: [
    ["USDC", "100000"],
    ["CC", "500000"],
    ["CBTC", "2"],
    ["CETH", "40"],
  ],
  perp: "100000",
};
/** Initial balances of the house account: twice what its orders need. */
const housePurse: Purse = {
  spot: [
    ["USDC", "25000000"],
    ["CC", "12000000"],
    ["CBTC", "182"],
    ["CETH", "3640"],
  ],
  perp: "5000000",
};

export interface Demo {
  readonly account: number;
  readonly apiKey: string;
  readonly secret: string;
  /** A command line for bash with curl and openssl that buys at the market's price, wherever a fleet has moved it. */
  readonly line: string;
  /** USDC that the faucet credited to the insurance fund. */
  readonly fund: number;
}

interface DemoOptions {
  /** The venue's URL. */
  readonly address: string;
  readonly dataDir: string;
  readonly hasFleet: boolean;
}

/**
 * Creates the demo accounts, key and orders. With a fleet, the orders leave it room around the middle.
 */
export async function createDemo(
  venue: Venue,
  operator: Operator,
  { address, dataDir, hasFleet }: DemoOptions,
): Promise<Demo> {
  await fundInsurance(operator);
  const maker = await fundedAccount(operator, "house", housePurse);
  await restDemoBooks(venue, maker, hasFleet);
  await storeDemoHouse(dataDir, maker);
  const account = await fundedAccount(operator, "standard", traderPurse);
  const key = await operator.createKey({ account, label: "demo" });
  const { api_key: apiKey, secret } = key as { api_key: string; secret: string };
  const line = orderLine(address, apiKey, secret);
  return { account, apiKey, secret, line, fund: insuranceSeed };
}

/** Credits the insurance fund with what a venue needs to trade perpetuals. */
export async function fundInsurance(operator: Operator): Promise<void> {
  const fund = { account: SystemAccount.insurance, wallet: "perp", asset: "USDC" };
  await operator.fund({ ...fund, amount: String(insuranceSeed) });
}

async function fundedAccount(
  operator: Operator,
  type: string,
  { spot, perp }: Purse,
): Promise<number> {
  const { account } = await operator.createAccount(type);
  for (const [asset, amount] of spot) {
    await operator.fund({ account, wallet: "spot", asset, amount });
  }
  await operator.fund({ account, wallet: "perp", asset: "USDC", amount: perp });
  return account;
}

function orderLine(address: string, apiKey: string, secret: string): string {
  const query = `symbol=${demoSymbol}&side=BUY&type=MARKET&quantity=${bought}`;
  const sign = `printf %s "$q" | openssl dgst -sha256 -hmac ${secret} -r | cut -d' ' -f1`;
  return (
    `q="${query}&timestamp=$(date +%s)000"; curl -s -X POST -H "X-MBX-APIKEY: ${apiKey}" ` +
    `"${address}/api/v3/order?$q&signature=$(${sign})"`
  );
}
