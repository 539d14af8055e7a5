// Opens the wallet of a reference provider: either on the development ledger of a local venue, found by the venue's
// folder, or on the provider's own participant.

import { accessTokens } from "../../adapters/ledger/access-token.ts";
import { DevnetAdmin } from "../../adapters/ledger/devnet-admin.ts";
import { LedgerApiClient } from "../../adapters/ledger/ledger-api-client.ts";
import { networkProfiles } from "../../adapters/ledger/network-profile.ts";
import { RegistryClient } from "../../adapters/ledger/registry-client.ts";
import { SwapWallet } from "../../adapters/ledger/swap-wallet.ts";
import { devnetConnectionIn, instrumentsAt, partyAt } from "../../devnet/devnet-connection.ts";
import type { Instrument, Party } from "../../ports/ledger/ledger.ts";
import type { LedgerAddress, TokenSource } from "../../ports/ledger/ledger-endpoint.ts";

export interface OpenWallet {
  readonly wallet: SwapWallet;
  readonly instruments: ReadonlyMap<string, Instrument>;
}

/** Endpoint of the provider's own participant. */
export interface ParticipantEndpoint {
  readonly url: string;
  readonly token: string;
  readonly userId: string;
  readonly party: Party;
  /** Party of the venue's operator. */
  readonly operator: Party;
}

/** Amount of each initial holding of a provider on the development ledger. */
const firstCoin = "1000000";
/** Number of initial holdings per asset: several, because concurrent swaps cannot spend the same one. */
const firstCoins = 4;

interface WalletTerms {
  readonly address: LedgerAddress;
  readonly tokens: TokenSource;
  readonly userId: string;
  readonly party: Party;
  readonly operator: Party;
}

function walletAt(terms: WalletTerms, isDevnet: boolean): SwapWallet {
  const { address, tokens, userId, party, operator } = terms;
  const profile = networkProfiles[isDevnet ? "devnet" : "canton-v1"];
  const { requestTimeoutMs, streamIdleMs } = profile;
  const api = new LedgerApiClient({
    ...{ address, requestTimeoutMs, streamIdleMs },
    tokens: accessTokens(tokens, userId, Date.now),
  });
  const registry = new RegistryClient({ byAdmin: new Map(), fallback: address }, requestTimeoutMs);
  return new SwapWallet(api, registry, { profile, userId, party, operator });
}

export async function openParticipant(endpoint: ParticipantEndpoint): Promise<OpenWallet> {
  const { url, token, ...who } = endpoint;
  const tokens = { kind: "given", token } as const;
  const wallet = walletAt({ address: { url }, tokens, ...who }, false);
  return { wallet, instruments: await instrumentsAt(url) };
}

/**
 * Opens the wallet of the party `name` on the development ledger in `folder`. The party is created if needed, and
 * funded from the faucet if it holds nothing.
 */
export async function openDevnetWallet(folder: string, name: string): Promise<OpenWallet> {
  const devnet = devnetConnectionIn(folder);
  const { address, admin, operator, tokens } = devnet;
  const userId = `provider-${name}`;
  const party = await partyAt(devnet, name, userId);
  const wallet = walletAt({ address, tokens, userId, party, operator }, true);
  const instruments = await instrumentsAt(address.url);
  if (admin !== null && (await wallet.freeCoins(Date.now())).length === 0) {
    const devnetAdmin = new DevnetAdmin(admin.address, admin.token);
    const coins = [...instruments.keys()].flatMap((id) => Array<string>(firstCoins).fill(id));
    await Promise.all(coins.map((id) => devnetAdmin.tap(party, id, firstCoin)));
  }
  return { wallet, instruments };
}
