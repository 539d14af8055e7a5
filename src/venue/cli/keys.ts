// `keys …`: API keys of accounts. A change reaches every front at the same place in the journal.

import { type Command, InvalidArgumentError } from "commander";
import { show } from "./terminal/output.ts";
import { callVenue, type VenueCall, withVenue } from "./venue-call.ts";

/** The positive whole number given on the command line as `name`. */
export function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) {
    throw new InvalidArgumentError(`${name}: a whole number above 0 is expected, not ${text}`);
  }
  return Number(text);
}

/** The number of an account, as every command takes it. */
export function accountNumber(text: string): number {
  return wholeNumber("account", text);
}

interface CreateOptions {
  readonly tier?: string;
  readonly permissions?: string;
  readonly label?: string;
  readonly publicKey?: string;
  readonly allowIp?: string[];
}

interface ListOptions {
  readonly account?: number;
}

/** Page by page: a venue has hundreds of thousands of accounts, and its main thread other things to do. */
async function allKeys(call: VenueCall, account: number | null): Promise<object[]> {
  const keys: { readonly key_id: number }[] = [];
  for (;;) {
    const after = keys.at(-1)?.key_id ?? 0;
    const page = (await call("keys/list", { account, after })) as { readonly key_id: number }[];
    if (page.length === 0) return keys;
    keys.push(...page);
  }
}

export function addKeyCommands(program: Command): void {
  const keys = program.command("keys").description("API keys of accounts");
  addCreate(keys);
  keys
    .command("list")
    .description("list keys; secrets are never shown again")
    .option("--account <number>", "only this account's", accountNumber)
    .addHelpText("after", "\nExample:\n  $ rialto keys list --account 1002")
    .action(async ({ account }: ListOptions) => {
      show(await withVenue((call) => allKeys(call, account ?? null)));
    });
  addChange(keys, {
    usage: "tier <key-id> <tier>",
    description: "set the rate tier: standard, ext-mm or house",
    example: "rialto keys tier 7 ext-mm",
    parameters: (keyId, [tier]) => ({ keyId, tier }),
  });
  addChange(keys, {
    usage: "permit <key-id> <permissions>",
    description: "set the whole list of permissions",
    example: "rialto keys permit 7 READ,TRADE",
    parameters: (keyId, [permissions]) => ({ keyId, permissions }),
  });
  addChange(keys, {
    usage: "allow-ip <key-id> [ranges...]",
    description: "set the addresses the key may be used from; none means anywhere",
    example: "rialto keys allow-ip 7 192.0.2.7 10.0.0.0/8",
    parameters: (keyId, ranges) => ({ keyId, ranges }),
  });
  addChange(keys, {
    usage: "revoke <key-id>",
    description: "revoke a key for good: it opens nothing from that moment on",
    example: "rialto keys revoke 7",
    parameters: (keyId) => ({ keyId }),
  });
}

function addCreate(keys: Command): void {
  keys
    .command("create <account>")
    .description("create a key; its secret is shown this once")
    .option("--tier <tier>", "standard, ext-mm or house", "standard")
    .option("--permissions <list>", "READ, TRADE, WITHDRAW", "READ,TRADE")
    .option("--label <text>", "a name for people")
    .option("--public-key <base64>", "an Ed25519 key instead of an HMAC secret")
    .option("--allow-ip <ranges...>", "addresses the key may be used from")
    .addHelpText("after", "\nExample:\n  $ rialto keys create 1002 --tier ext-mm --label desk")
    .action(async (account: string, options: CreateOptions) => {
      const { allowIp, ...given } = options;
      const request = { ...given, account: accountNumber(account), allowedRanges: allowIp ?? [] };
      show(await callVenue("keys/create", request));
    });
}

interface Change {
  readonly usage: string;
  readonly description: string;
  readonly example: string;
  readonly parameters: (keyId: number, rest: readonly string[]) => object;
}

/** The call is named after the command. */
function addChange(keys: Command, change: Change): void {
  const [name = ""] = change.usage.split(" ");
  keys
    .command(change.usage)
    .description(change.description)
    .addHelpText("after", `\nExample:\n  $ ${change.example}`)
    .action(async (keyId: string, ...given: unknown[]) => {
      // The library hands the options and the command over behind the arguments.
      const rest = given.slice(0, -2).flat().map(String);
      const changed = await callVenue(
        `keys/${name}`,
        change.parameters(wholeNumber("key-id", keyId), rest),
      );
      show(changed);
    });
}
