// Where the wallet of a reference provider is: on the development ledger of a venue on the same machine,
// whose folder it is given, or at a participant of its own.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { accessTokens } from "../../adapters/ledger/access-token.ts";
import { adminUser } from "../../adapters/ledger/devnet/devnet-ledger.ts";
import { DevnetAdmin } from "../../adapters/ledger/devnet-admin.ts";
import { LedgerApiClient, LedgerFault } from "../../adapters/ledger/ledger-api-client.ts";
import { networkProfiles } from "../../adapters/ledger/network-profile.ts";
import { RegistryClient } from "../../adapters/ledger/registry-client.ts";
import { SwapWallet } from "../../adapters/ledger/swap-wallet.ts";
import type { Instrument, Party } from "../../ports/ledger.ts";
import type { TokenSource } from "../../ports/ledger-place.ts";

export interface OpenWallet {
  readonly wallet: SwapWallet;
  readonly instruments: ReadonlyMap<string, Instrument>;
}

/** A participant of the provider's own. */
export interface ParticipantPlace {
  readonly url: string;
  readonly token: string;
  readonly userId: string;
  readonly party: Party;
  /** Of the venue. */
  readonly operator: Party;
}

const instrumentList = z.object({
  instruments: z.array(z.object({ id: z.string(), admin: z.string() })),
});
const devnetPlace = z.object({
  url: z.string(),
  adminUrl: z.string().nullable(),
  operator: z.string(),
});
const devnetSecrets = z.object({ api: z.string(), admin: z.string() });

const timeoutMs = 10_000;
/** What a provider on the development ledger begins with, of each asset. */
const firstCoin = "1000000";
/** In so many coins: swaps at the same time cannot spend the same one. */
const firstCoins = 4;

function walletAt(place: ParticipantPlace, tokens: TokenSource, isDevnet: boolean): SwapWallet {
  const { url, userId, party, operator } = place;
  const profile = networkProfiles[isDevnet ? "devnet" : "canton-v1"];
  const { requestTimeoutMs, streamIdleMs } = profile;
  const api = new LedgerApiClient({
    ...{ address: { url }, requestTimeoutMs, streamIdleMs },
    tokens: accessTokens(tokens, userId),
  });
  const registry = new RegistryClient({ byAdmin: new Map(), fallback: { url } }, requestTimeoutMs);
  return new SwapWallet(api, registry, { profile, userId, party, operator });
}

async function instrumentsAt(url: string): Promise<Map<string, Instrument>> {
  const response = await fetch(`${url}/registry/metadata/v1/instruments`, {
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`the registry at ${url} answered ${response.status}`);
  const { instruments } = instrumentList.parse(await response.json());
  return new Map(instruments.map(({ id, admin }) => [id, { admin, id }]));
}

export async function openParticipant(place: ParticipantPlace): Promise<OpenWallet> {
  const instruments = await instrumentsAt(place.url);
  return { wallet: walletAt(place, { kind: "given", token: place.token }, false), instruments };
}

/** A party of that name on the development ledger in `folder`, with coins from its faucet where it has none. */
export async function openDevnetWallet(folder: string, name: string): Promise<OpenWallet> {
  const { url, adminUrl, operator } = devnetPlace.parse(await jsonIn(folder, "place.json"));
  const { api: secret, admin } = devnetSecrets.parse(await jsonIn(folder, "secrets.json"));
  const { requestTimeoutMs, streamIdleMs } = networkProfiles.devnet;
  const tokens = { kind: "minted", secret } as const;
  const office = new LedgerApiClient({
    ...{ address: { url }, requestTimeoutMs, streamIdleMs },
    tokens: accessTokens(tokens, adminUser),
  });
  const userId = `provider-${name}`;
  const party = `${name}${operator.slice(operator.indexOf("::"))}`;
  await office.allocateParty(name, userId).catch((error: unknown) => {
    if (!isKnownParty(error)) throw error;
  });
  await office.grantRights(userId, [{ kind: { CanActAs: { value: { party } } } }]);
  const wallet = walletAt({ url, token: "", userId, party, operator }, tokens, true);
  const instruments = await instrumentsAt(url);
  if (adminUrl !== null && (await wallet.freeCoins(Date.now())).length === 0) {
    const hands = new DevnetAdmin({ url: adminUrl }, admin);
    for (const id of instruments.keys())
      for (let coin = 0; coin < firstCoins; coin++) await hands.tap(party, id, firstCoin);
  }
  return { wallet, instruments };
}

/** Made by an earlier start. */
function isKnownParty(error: unknown): boolean {
  const fault = error instanceof LedgerFault ? error.fault : null;
  return fault?.kind === "error" && fault.error.code === "PARTY_ALREADY_EXISTS";
}

async function jsonIn(folder: string, name: string): Promise<unknown> {
  const text = await readFile(join(folder, name), "utf8").catch(() => null);
  if (text === null) throw new Error(`no development ledger runs in ${folder}`);
  return JSON.parse(text);
}
