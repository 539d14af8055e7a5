// The trader's views: `orders`, `book`, `balance` and `positions`, read from the venue's public routes.

import type { Command } from "commander";
import { getPublic } from "../../../tools/trader/trading-client.ts";
import { show } from "../terminal/output.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";
import { type AnsweredOrder, orderRow, sumOf, unlessZero } from "./order-report.ts";
import { assetOf, count, type Market, marketNamed, nameOf } from "./order-terms.ts";
import { ownProfiles } from "./profile-commands.ts";
import { explained } from "./refusal-reasons.ts";
import { clientOf, namedProfile, type ProfileOptions, pathOf, sendOn } from "./trader-calls.ts";

export function addViewCommands(program: Command): void {
  program
    .command("orders")
    .argument("[market]", "such as CC-USDC or BTC-PERP (default: all markets)", marketNamed)
    .description("list the open orders of the account")
    .addOption(namedProfile())
    .addHelpText("after", "\nExamples:\n  $ rialto orders\n  $ rialto orders CC-USDC")
    .action(orders);
  program
    .command("book")
    .argument("<market>", "such as CC-USDC or BTC-PERP", marketNamed)
    .description("show the best prices of a market")
    .option("--limit <n>", "levels of each side", count, "10")
    .option(
      "--venue <url>",
      "the venue's URL (default: that of the profile in use, or the running venue's)",
    )
    .addHelpText("after", "\nExample:\n  $ rialto book CC-USDC --limit 5")
    .action(book);
  program
    .command("balance")
    .description("show the balances of the account")
    .addOption(namedProfile())
    .addHelpText("after", "\nExample:\n  $ rialto balance")
    .action(balance);
  program
    .command("positions")
    .description("show the open positions of the account")
    .addOption(namedProfile())
    .addHelpText("after", "\nExample:\n  $ rialto positions")
    .action(positions);
}

async function orders(market: Market | undefined, options: ProfileOptions): Promise<void> {
  const client = await clientOf(options);
  if (market !== undefined) {
    const path = pathOf(market, "openOrders");
    const { symbol } = market;
    const rows = await sendOn<AnsweredOrder[]>(market, client, "GET", path, { symbol });
    show(rows.map(orderRow));
    return;
  }
  const [spot, perpetual] = await Promise.all([
    client.send<AnsweredOrder[]>("GET", "/api/v3/openOrders"),
    client.send<AnsweredOrder[]>("GET", "/compat/fapi/v1/openOrders"),
  ]);
  show([...spot, ...perpetual].map(orderRow));
}

async function positions(options: ProfileOptions): Promise<void> {
  const client = await clientOf(options);
  const rows = await client.send<PositionRow[]>("GET", "/compat/fapi/v2/positionRisk");
  const open = rows.filter(({ positionAmt }) => Number(positionAmt) !== 0);
  show(
    open.map((row) => ({
      market: nameOf(row.symbol),
      quantity: row.positionAmt,
      entry: row.entryPrice,
      mark: row.markPrice,
      unrealised: row.unRealizedProfit,
      // A position that no price could liquidate has none.
      liquidation: unlessZero(row.liquidationPrice),
      leverage: row.leverage,
    })),
  );
}

async function book(
  market: Market,
  { limit, venue }: { readonly limit: string; readonly venue?: string },
): Promise<void> {
  const profile =
    venue === undefined
      ? await ownProfiles()
          .find(undefined)
          .catch(() => null)
      : null;
  const address = profile?.address ?? (await venueAddress(venue, dataDirDefault));
  const query = { symbol: market.symbol, limit };
  const path = pathOf(market, "depth");
  const { bids, asks } = await getPublic<Depth>(address, path, query).catch(async (error) => {
    throw await explained(error, address, market);
  });
  show(
    Array.from({ length: Math.max(bids.length, asks.length) }, (_, level) => ({
      buy_quantity: bids[level]?.[1] ?? null,
      bid: bids[level]?.[0] ?? null,
      ask: asks[level]?.[0] ?? null,
      sell_quantity: asks[level]?.[1] ?? null,
    })),
  );
}

async function balance(options: ProfileOptions): Promise<void> {
  const client = await clientOf(options);
  const [spot, perp] = await Promise.all([
    client.send<SpotAccount>("GET", "/api/v3/account"),
    client.send<PerpBalance[]>("GET", "/compat/fapi/v2/balance"),
  ]);
  show([
    ...spot.balances.map(({ asset, free, locked }) => {
      return { wallet: "spot", asset, free, locked, total: sumOf([free, locked]) };
    }),
    ...perp.map(({ asset, availableBalance: free, balance: total }) => {
      return { wallet: "perp", asset: assetOf(asset), free, locked: null, total };
    }),
  ]);
}

type Level = readonly [price: string, quantity: string];

interface Depth {
  readonly bids: readonly Level[];
  readonly asks: readonly Level[];
}

interface SpotAccount {
  readonly balances: readonly {
    readonly asset: string;
    readonly free: string;
    readonly locked: string;
  }[];
}

interface PerpBalance {
  readonly asset: string;
  readonly balance: string;
  readonly availableBalance: string;
}

interface PositionRow {
  readonly symbol: string;
  readonly positionAmt: string;
  readonly entryPrice: string;
  readonly markPrice: string;
  readonly unRealizedProfit: string;
  readonly liquidationPrice: string;
  readonly leverage: string;
}
