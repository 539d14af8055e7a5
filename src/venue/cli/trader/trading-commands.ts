// The trader's commands: `order`, `cancel`, `orders`, `book`, `balance` and `positions`. They use the venue's public
// routes like any client, signed with a stored profile. A market ending in -PERP or USDT is a perpetual.

import { randomBytes } from "node:crypto";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { getPublic, RequestRefused, TradingClient } from "../../../tools/trader/trading-client.ts";
import { show } from "../terminal/output.ts";
import { dataDirDefault, venueAddress } from "../venue-address.ts";
import { type Market, marketNamed, type OrderTerms, orderTerms } from "./order-terms.ts";
import { ownProfiles } from "./profile-commands.ts";

interface ProfileOptions {
  readonly profile?: string;
}

type OrderOptions = ProfileOptions & OrderTerms & { readonly id?: string };

interface CancelOptions extends ProfileOptions {
  readonly id?: string;
  readonly all?: true;
}

const namedProfile = () =>
  new Option("--profile <name>", "profile to sign with (default: the one in use)");

function decimal(text: string): string {
  if (!/^\d{1,20}(\.\d{1,20})?$/.test(text))
    throw new InvalidArgumentError("expected a decimal number");
  return text;
}

/** A number of orders or of levels. */
function count(text: string): string {
  if (!/^[1-9]\d{0,15}$/.test(text))
    throw new InvalidArgumentError("expected a whole number above 0");
  return text;
}

async function clientOf({ profile: name }: ProfileOptions): Promise<TradingClient> {
  const profiles = ownProfiles();
  const profile = await profiles.find(name);
  return new TradingClient({ ...profile, secret: await profiles.secretOf(profile) });
}

const pathOf = (market: Market, spot: string, perpetual: string) =>
  market.isPerpetual ? `/fapi/v1/${perpetual}` : `/api/v3/${spot}`;

export function addTradingCommands(program: Command): void {
  program
    .command("order")
    .addArgument(new Argument("<side>", "buy or sell").choices(["buy", "sell"]))
    .argument("<market>", "such as CC-USDC or BTC-PERP", marketNamed)
    .argument("<quantity>", "amount of the base asset", decimal)
    .description("place an order; without --price it trades at the market")
    .option("--price <price>", "limit price", decimal)
    .addOption(
      new Option("--tif <time>", "how long a limit order stays")
        .choices(["GTC", "IOC", "FOK"])
        .default("GTC"),
    )
    .option("--post-only", "refuse the order if it would trade at once")
    .option("--reduce-only", "only make a position smaller (perpetuals)")
    .option("--id <text>", "your own id of the order (default: a random one)")
    .addOption(namedProfile())
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto order buy CC-USDC 100 --price 0.15\n  $ rialto order sell BTC-PERP 0.01 --reduce-only",
    )
    .action(order);
  program
    .command("cancel")
    .argument("<market>", "such as CC-USDC or BTC-PERP", marketNamed)
    .argument("[order]", "the venue's number of the order", count)
    .description("cancel an order, by number or --id, or all open orders of a market")
    .option("--id <text>", "your own id of the order")
    .option("--all", "all open orders of the market")
    .addOption(namedProfile())
    .addHelpText(
      "after",
      "\nExamples:\n  $ rialto cancel CC-USDC 17\n  $ rialto cancel BTC-PERP --all",
    )
    .action(cancel);
  addViews(program);
}

function addViews(program: Command): void {
  program
    .command("orders")
    .argument("<market>", "such as CC-USDC or BTC-PERP", marketNamed)
    .description("list the open orders of a market")
    .addOption(namedProfile())
    .addHelpText("after", "\nExample:\n  $ rialto orders CC-USDC")
    .action(async (market: Market, options: ProfileOptions) => {
      const client = await clientOf(options);
      const path = pathOf(market, "openOrders", "openOrders");
      const rows = await client.send<Record<string, unknown>[]>("GET", path, {
        symbol: market.symbol,
      });
      show(rows.map(orderRow));
    });
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
    .action(async (options: ProfileOptions) => {
      const client = await clientOf(options);
      const rows = await client.send<PositionRow[]>("GET", "/fapi/v2/positionRisk");
      const open = rows.filter(({ positionAmt }) => Number(positionAmt) !== 0);
      show(
        open.map((row) => ({
          market: row.symbol,
          quantity: row.positionAmt,
          entry: row.entryPrice,
          mark: row.markPrice,
          unrealised: row.unRealizedProfit,
          liquidation: row.liquidationPrice,
          leverage: row.leverage,
        })),
      );
    });
}

async function order(
  side: string,
  market: Market,
  quantity: string,
  options: OrderOptions,
): Promise<void> {
  const { id = `cli-${randomBytes(9).toString("base64url")}` } = options;
  const query = {
    side: side.toUpperCase(),
    quantity,
    newClientOrderId: id,
    newOrderRespType: "RESULT",
  };
  const terms = orderTerms(market, options);
  const client = await clientOf(options);
  try {
    show(
      orderRow(await client.send("POST", pathOf(market, "order", "order"), { ...terms, ...query })),
    );
  } catch (error) {
    if (error instanceof RequestRefused && !error.isUnsure) throw error;
    const what = `it is unknown whether order ${id} was placed: look with 'rialto orders'`;
    throw new Error(what, { cause: error });
  }
}

async function cancel(
  market: Market,
  number: string | undefined,
  { id, all, ...options }: CancelOptions,
): Promise<void> {
  const given = [number, id, all].filter((one) => one !== undefined);
  if (given.length !== 1) throw new InvalidArgumentError("give an order's number, --id or --all");
  const client = await clientOf(options);
  const { symbol } = market;
  if (all) {
    const path = pathOf(market, "openOrders", "allOpenOrders");
    show(await client.send("DELETE", path, { symbol }));
    return;
  }
  const which = { orderId: number, origClientOrderId: id };
  show(
    orderRow(await client.send("DELETE", pathOf(market, "order", "order"), { symbol, ...which })),
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
  const { bids, asks } = await getPublic<Depth>(address, pathOf(market, "depth", "depth"), query);
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
    client.send<PerpBalance[]>("GET", "/fapi/v2/balance"),
  ]);
  show([
    ...spot.balances.map(({ asset, free, locked }) => ({ wallet: "spot", asset, free, locked })),
    ...perp.map(({ asset, availableBalance: free, balance: total }) => {
      return { wallet: "perp", asset, free, locked: null, total };
    }),
  ]);
}

/** The fields of an order that matter at a terminal; the routes answer more. */
function orderRow(order: Readonly<Record<string, unknown>>): object {
  const { orderId, clientOrderId, symbol, side, type, price, origQty, executedQty, status } = order;
  const own = order["origClientOrderId"] ?? clientOrderId;
  return {
    order: orderId,
    id: own,
    market: symbol,
    side,
    type,
    price,
    quantity: origQty,
    filled: executedQty,
    status,
  };
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
