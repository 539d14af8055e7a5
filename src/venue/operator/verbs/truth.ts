// `truth …`: what the venue knows about an account, for tests of trading programs. It is read page by page, so that a long
// history does not block the venue's main thread.

import * as z from "zod";
import { show } from "../../cli/terminal/output.ts";
import { truthRowsMax } from "../operator-commands.ts";
import { accountNumber, id, type Noun, oneAccount, type VenueCall, verb } from "./verb.ts";

const page = z.object({
  account: id,
  market: z.string().max(32),
  after: z.number().int().nonnegative().default(0),
  limit: id.max(truthRowsMax).default(truthRowsMax),
});

const notes =
  "It is read from the journal's rows, and is the same whatever happened on the way to the client.";

export const truthVerbs: Noun = {
  name: "truth",
  summary: "what the venue knows about an account (DEV_TOOLS=1 only)",
  verbs: [
    verb({
      usage: "account <account>",
      summary: "show balances and positions, and the venue's markets",
      notes,
      examples: ["truth account 1002 --json"],
      isForDevelopment: true,
      request: oneAccount,
      toRequest: ([account]) => ({ account: accountNumber(account) }),
      run: ({ operator }, { account }) => operator.truth.account(account),
    }),
    verb({
      usage: "orders <account> <market>",
      summary: "list all orders in a market, with states and reasons, oldest first",
      notes,
      examples: ["truth orders 1002 BTCUSDT --json"],
      isForDevelopment: true,
      request: page,
      converse: async (call, [account, market = ""]) =>
        show(await allOf(call, "truth/orders", accountNumber(account), market)),
      run: ({ operator }, request) => operator.truth.orders(request),
    }),
    verb({
      usage: "fills <account> <market>",
      summary: "list all fills in a market, oldest first",
      notes,
      examples: ["truth fills 1002 CBTC-USDC"],
      isForDevelopment: true,
      request: page,
      converse: async (call, [account, market = ""]) =>
        show(await allOf(call, "truth/fills", accountNumber(account), market)),
      run: ({ operator }, request) => operator.truth.fills(request),
    }),
  ],
};

interface Row {
  readonly order_id: number;
  readonly trade_id?: number;
}

async function allOf(call: VenueCall, name: string, account: number, market: string) {
  const all: Row[] = [];
  for (;;) {
    const last = all.at(-1);
    const after = last?.trade_id ?? last?.order_id ?? 0;
    const rows = (await call(name, { account, market, after })) as Row[];
    all.push(...rows);
    if (rows.length < truthRowsMax) return all;
  }
}
