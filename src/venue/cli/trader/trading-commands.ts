// The trader's orders: `order` and `cancel`. They use the venue's public routes like any client, signed with a stored
// profile. A market ending in -PERP or USDT is a perpetual.

import { randomBytes } from "node:crypto";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import {
  type Query,
  RequestRefused,
  type TradingClient,
} from "../../../tools/trader/trading-client.ts";
import { oneOf } from "../terminal/choices.ts";
import { show } from "../terminal/output.ts";
import { type AnsweredOrder, type Charge, feeOf, orderRow } from "./order-report.ts";
import { count, type Market, marketNamed, type OrderTerms, orderTerms } from "./order-terms.ts";
import { explained } from "./refusal-reasons.ts";
import { clientOf, namedProfile, type ProfileOptions, pathOf, sendOn } from "./trader-calls.ts";

type OrderOptions = ProfileOptions & OrderTerms & { readonly id?: string };

interface CancelOptions extends ProfileOptions {
  readonly id?: string;
  readonly all?: true;
}

function decimal(text: string): string {
  if (!/^\d{1,20}(\.\d{1,20})?$/.test(text))
    throw new InvalidArgumentError("expected a decimal number");
  return text;
}

export function addTradingCommands(program: Command): void {
  program
    .command("order")
    .addArgument(oneOf(new Argument("<side>", "buy or sell"), ["buy", "sell"]))
    .argument("<market>", "such as CC-USDC or BTC-PERP", marketNamed)
    .argument("<quantity>", "amount of the base asset", decimal)
    .description("place an order; without --price it trades at the market")
    .option("--price <price>", "limit price", decimal)
    .addOption(
      oneOf(new Option("--tif <time>", "how long a limit order stays"), [
        "GTC",
        "IOC",
        "FOK",
      ]).default("GTC"),
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
}

async function order(
  side: string,
  market: Market,
  quantity: string,
  options: OrderOptions,
): Promise<void> {
  const { id = `cli-${randomBytes(9).toString("base64url")}` } = options;
  // Only spot answers its fills.
  const form = market.isPerpetual ? "RESULT" : "FULL";
  const own = { side: side.toUpperCase(), quantity, newClientOrderId: id, newOrderRespType: form };
  const terms = orderTerms(market, options);
  const client = await clientOf(options);
  const placed = await place(market, client, { ...terms, ...own });
  show({ ...orderRow(placed), ...feeOf(await chargesOf(placed, market, client)) });
}

type PlacedOrder = AnsweredOrder & { readonly fills?: readonly Charge[] };

/** Places an order; if it is unknown whether the venue has it, the error says so. */
async function place(market: Market, client: TradingClient, query: Query): Promise<PlacedOrder> {
  try {
    return await client.send("POST", pathOf(market, "order"), query);
  } catch (error) {
    if (error instanceof RequestRefused && !error.isUnsure)
      throw await explained(error, client.address, market);
    const what = `it is unknown whether order ${query["newClientOrderId"]} was placed: look with 'rialto orders'`;
    throw new Error(what, { cause: error });
  }
}

/** The fees of an order that was just placed; none if they cannot be read, because the order is placed all the same. */
async function chargesOf(
  { fills, executedQty, orderId }: PlacedOrder,
  { symbol, isPerpetual }: Market,
  client: TradingClient,
): Promise<readonly Charge[]> {
  if (!isPerpetual || Number(executedQty) === 0) return fills ?? [];
  const query = { symbol, orderId: String(orderId), limit: "1000" };
  return client.send<Charge[]>("GET", "/compat/fapi/v1/userTrades", query).catch(() => []);
}

async function cancel(
  market: Market,
  number: string | undefined,
  { id, all, ...options }: CancelOptions,
): Promise<void> {
  const given = [number, id, all].filter((one) => one !== undefined);
  if (given.length !== 1) throw new InvalidArgumentError("give an order's number, --id or --all");
  const client = await clientOf(options);
  const { name, symbol } = market;
  if (all) {
    const path = pathOf(market, "massCancel");
    const answer = await sendOn<Canceled>(market, client, "DELETE", path, { symbol });
    show({ market: name, canceled: answer.canceled });
    return;
  }
  const path = pathOf(market, "order");
  const which = { symbol, orderId: number, origClientOrderId: id };
  show(orderRow(await sendOn(market, client, "DELETE", path, which)));
}

interface Canceled {
  /** Number of orders. */
  readonly canceled: number;
}
