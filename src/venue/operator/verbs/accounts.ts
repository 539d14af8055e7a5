// `accounts …` and `keys …`: accounts, their permissions and their API keys. A changed key takes effect on every front
// at the same seq.

import { Option } from "commander";
import * as z from "zod";
import {
  accountTypeNames,
  isCustomerType,
  rateTierNames,
  walletNames,
} from "../../../core/accounts.ts";
import { everyPermissionName } from "../../../services/access/key-restrictions.ts";
import { oneOf } from "../../cli/terminal/choices.ts";
import { show } from "../../cli/terminal/output.ts";
import {
  accountNumber,
  id,
  type Noun,
  oneAccount,
  type VenueCall,
  verb,
  wholeNumber,
} from "./verb.ts";

const customerTypes = accountTypeNames.filter((_, type) => isCustomerType(type));
const partyForm = /^[^\s:]{1,120}::1220[0-9a-f]{64}$/;

export const accountVerbs: Noun = {
  name: "accounts",
  summary: "manage accounts",
  verbs: [
    verb({
      usage: "create",
      summary: "open an account",
      options: [
        oneOf(new Option("--type <type>", "type of the account"), customerTypes).default(
          "standard",
        ),
      ],
      examples: ["accounts create --type house"],
      request: z.object({ type: z.string().default("standard") }),
      toRequest: (_, { type }: { type: string }) => ({ type }),
      run: ({ operator }, { type }) => operator.createAccount(type),
    }),
    verb({
      usage: "show <account>",
      summary: "show an account and its balances",
      examples: ["accounts show 1002 --json"],
      request: oneAccount,
      toRequest: ([account]) => ({ account: accountNumber(account) }),
      run: ({ operator }, { account }) => operator.showAccount(account),
    }),
    verb({
      usage: "fund <account> <asset> <amount>",
      summary: "credit test funds to an account (DEV_TOOLS=1 only)",
      options: [
        oneOf(new Option("--wallet <wallet>", "the wallet to credit"), walletNames).default(
          "funding",
        ),
      ],
      examples: ["accounts fund 1002 USDC 25000 --wallet spot"],
      isForDevelopment: true,
      request: z.object({
        account: id,
        wallet: z.string(),
        asset: z.string(),
        amount: z.string(),
      }),
      toRequest: ([account, asset = "", amount = ""], { wallet }: { wallet: string }) => {
        return { account: accountNumber(account), wallet, asset, amount };
      },
      run: ({ operator }, request) => operator.fund(request),
    }),
    verb({
      usage: "freeze <account>",
      summary: "refuse an account's new orders; cancels and liquidations still go through",
      options: [new Option("--cancel-orders", "also cancel its open orders")],
      examples: ["accounts freeze 1002 --cancel-orders"],
      request: z.object({ account: id, cancelsOrders: z.boolean().default(false) }),
      toRequest: ([account], { cancelOrders }: { cancelOrders?: boolean }) => {
        return { account: accountNumber(account), cancelsOrders: cancelOrders ?? false };
      },
      run: ({ operator }, { account, cancelsOrders }) =>
        operator.access.freeze(account, cancelsOrders),
    }),
    verb({
      usage: "thaw <account>",
      summary:
        "lift an operator's freeze; a settlement freeze ends when the wallet covers its trades again",
      examples: ["accounts thaw 1002"],
      request: oneAccount,
      toRequest: ([account]) => ({ account: accountNumber(account) }),
      run: ({ operator }, { account }) => operator.access.thaw(account),
    }),
    verb({
      usage: "house <account>",
      summary:
        "make an account a house account: no fees, and a daily limit on fills that settle on the ledger",
      options: [new Option("--off", "make the account a customer account again")],
      examples: ["accounts house 1002"],
      request: z.object({ account: id, isHouse: z.boolean() }),
      toRequest: ([account], { off }: { off?: boolean }) => {
        return { account: accountNumber(account), isHouse: off !== true };
      },
      run: ({ operator }, { account, isHouse }) => operator.access.house(account, isHouse),
    }),
    verb({
      usage: "permit <account> <permissions>",
      choices: { permissions: ["WITHDRAW", "NONE"] },
      summary: "set what the account may do besides trading: WITHDRAW or NONE",
      examples: ["accounts permit 1002 NONE"],
      request: z.object({ account: id, permissions: z.string().max(64) }),
      toRequest: ([account, permissions = ""]) => ({
        account: accountNumber(account),
        permissions,
      }),
      run: ({ operator }, { account, permissions }) => operator.access.permit(account, permissions),
    }),
    verb({
      usage: "enroll <account> <party>",
      summary: "bind a wallet account to its ledger party; it can trade once its wallet accepts",
      examples: ["accounts enroll 1003 alice::1220…"],
      request: z.object({
        account: id,
        party: z.string().regex(partyForm, "expected a party id such as alice::1220…"),
      }),
      toRequest: ([account, party = ""]) => ({ account: accountNumber(account), party }),
      run: async ({ venue }, { account, party }) => venue.settlement("enroll", account, party),
    }),
  ],
};

interface NewKeyOptions {
  readonly tier?: string;
  readonly permissions?: string;
  readonly label?: string;
  readonly publicKey?: string;
  readonly allowIp?: string[];
}

interface PageOptions {
  readonly account?: number | null;
}

const keyNumber = (text?: string): number => wholeNumber("key-id", text);

export const keyVerbs: Noun = {
  name: "keys",
  summary: "manage API keys",
  verbs: [
    verb({
      usage: "create <account>",
      summary: "create a key; its secret is shown only once",
      options: [
        oneOf(new Option("--tier <tier>", "the rate tier"), rateTierNames).default("standard"),
        new Option("--permissions <list>", everyPermissionName).default("READ,TRADE"),
        new Option("--label <text>", "a label to recognise the key by"),
        new Option("--public-key <base64>", "an Ed25519 public key, instead of an HMAC secret"),
        new Option("--allow-ip <ranges...>", "addresses or networks the key may be used from"),
      ],
      examples: ["keys create 1002 --tier ext-mm --label desk"],
      request: z.object({
        account: id,
        tier: z.string().optional(),
        permissions: z.string().optional(),
        label: z.string().max(64).optional(),
        publicKey: z.string().max(100).optional(),
        allowedRanges: z.array(z.string()).max(64).optional(),
      }),
      toRequest: ([account], { allowIp, ...toRequest }: NewKeyOptions) => {
        return { ...toRequest, account: accountNumber(account), allowedRanges: allowIp ?? [] };
      },
      run: ({ operator }, request) => operator.createKey(request),
    }),
    verb({
      usage: "list",
      summary: "list keys, without their secrets",
      options: [
        new Option("--account <number>", "only the keys of this account").argParser(accountNumber),
      ],
      examples: ["keys list --account 1002"],
      request: z.object({
        account: id.nullable().default(null),
        after: z.number().int().nonnegative().default(0),
        limit: id.max(1_000).default(500),
      }),
      converse: async (call, _, { account = null }: PageOptions) =>
        show(await allKeys(call, account)),
      run: ({ operator }, page) => operator.listKeys(page),
    }),
    verb({
      usage: "tier <key-id> <tier>",
      choices: { tier: rateTierNames },
      summary: "set the rate tier: standard, ext-mm or house",
      examples: ["keys tier 7 ext-mm"],
      request: z.object({ keyId: id, tier: z.string() }),
      toRequest: ([keyId, tier = ""]) => ({ keyId: keyNumber(keyId), tier }),
      run: ({ operator }, { keyId, tier }) => operator.setTier(keyId, tier),
    }),
    verb({
      usage: "permit <key-id> <permissions>",
      summary: "replace the key's permissions",
      examples: ["keys permit 7 READ,TRADE"],
      request: z.object({ keyId: id, permissions: z.string() }),
      toRequest: ([keyId, permissions = ""]) => ({ keyId: keyNumber(keyId), permissions }),
      run: ({ operator }, { keyId, permissions }) => operator.permit(keyId, permissions),
    }),
    verb({
      usage: "allow-ip <key-id> [ranges...]",
      summary: "replace the addresses the key may be used from; none means anywhere",
      examples: ["keys allow-ip 7 192.0.2.7 10.0.0.0/8"],
      request: z.object({ keyId: id, ranges: z.array(z.string()).max(64) }),
      toRequest: ([keyId, ...ranges]) => ({ keyId: keyNumber(keyId), ranges: ranges.map(String) }),
      run: ({ operator }, { keyId, ranges }) => operator.allowAddresses(keyId, ranges),
    }),
    verb({
      usage: "revoke <key-id>",
      summary: "revoke a key permanently, effective immediately",
      examples: ["keys revoke 7"],
      request: z.object({ keyId: id }),
      toRequest: ([keyId]) => ({ keyId: keyNumber(keyId) }),
      run: ({ operator }, { keyId }) => operator.revokeKey(keyId),
    }),
  ],
};

/** Reads page by page, so that a list of hundreds of thousands of keys does not block the venue's main thread. */
async function allKeys(call: VenueCall, account: number | null): Promise<object[]> {
  const keys: { readonly key_id: number }[] = [];
  for (;;) {
    const after = keys.at(-1)?.key_id ?? 0;
    const page = (await call("keys/list", { account, after })) as { readonly key_id: number }[];
    if (page.length === 0) return keys;
    keys.push(...page);
  }
}
