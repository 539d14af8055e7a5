// A complete liquidity provider, as a starting point for a real one. It quotes around the venue's order book with a
// spread, never more than it holds, and commits to its quotes. Everything that must survive a restart is stored in one
// folder.

import { randomBytes } from "node:crypto";
import type { Server } from "node:http";
import { systemEntropy } from "../../adapters/runtime/system-entropy.ts";
import type { Log } from "../../ports/log.ts";
import { signMessage } from "../../services/access/message-signature.ts";
import { PublicAuthority } from "../../services/access/public-authority.ts";
import type { OpenWallet } from "./open-wallet.ts";
import {
  identityIn,
  keepPort,
  type ProviderIdentity,
  portIn,
  TradeLog,
  takeFolder,
} from "./provider-home.ts";
import { ProviderServer } from "./provider-server.ts";
import { QuoteService } from "./quote-service.ts";
import { TradeService } from "./trade-service.ts";
import { VenueWatch } from "./venue-watch.ts";

export interface ReferenceProviderOptions {
  /** URL of the venue. */
  readonly venue: string;
  readonly folder: string;
  readonly name: string;
  readonly host: string;
  /** Port to listen on; 0 for the previous port of the folder, or a free one. */
  readonly port: number;
  /** URL by which the venue reaches the provider; null to use host and port. */
  readonly url: string | null;
  readonly pairs: readonly string[];
  readonly spreadBps: number;
  readonly notionalMax: number;
  readonly validMs: number;
  readonly log: Log;
}

/** Response of the venue to the registration. */
export interface Registration {
  readonly provider_id: string;
  readonly status: string;
}

/** Maximum age in ms of the free balance that a quote uses. */
const coinsMs = 500;

export class ReferenceProvider {
  readonly #options: ReferenceProviderOptions;
  readonly #identity: ProviderIdentity;
  readonly #opened: OpenWallet;
  readonly #server: ProviderServer;
  /** Lock of the folder, held while the provider runs. */
  readonly #lock: Server;
  readonly url: string;

  private constructor(parts: {
    readonly options: ReferenceProviderOptions;
    readonly identity: ProviderIdentity;
    readonly opened: OpenWallet;
    readonly server: ProviderServer;
    readonly lock: Server;
    readonly url: string;
  }) {
    this.#options = parts.options;
    this.#identity = parts.identity;
    this.#opened = parts.opened;
    this.#server = parts.server;
    this.#lock = parts.lock;
    this.url = parts.url;
  }

  /** Opens the folder and starts listening; throws if another provider uses the folder. */
  static async open(
    options: ReferenceProviderOptions,
    opened: OpenWallet,
  ): Promise<ReferenceProvider> {
    const lock = await takeFolder(options.folder);
    try {
      return await ReferenceProvider.#openLocked(options, opened, lock);
    } catch (error) {
      lock.close();
      throw error;
    }
  }

  static async #openLocked(
    options: ReferenceProviderOptions,
    opened: OpenWallet,
    lock: Server,
  ): Promise<ReferenceProvider> {
    const { folder, venue, pairs, notionalMax, log, host } = options;
    const identity = await identityIn(folder, systemEntropy);
    const trades = await TradeLog.open(folder);
    const watch = new VenueWatch(venue);
    await watch.open();
    const quotes = new QuoteService({ ...options, watch, free: freeCoins(opened, trades) });
    const { wallet, instruments } = opened;
    const server = new ProviderServer({
      ...{ party: wallet.party, pairs, notionalMax, quotes, log },
      authority: new PublicAuthority(options.url),
      trades: new TradeService({ wallet, quotes, log: trades, instruments, logger: log }),
      venueKey: (keyId) => watch.key(keyId),
    });
    const port = await server.listen(host, options.port || ((await portIn(folder)) ?? 0));
    await keepPort(folder, port);
    const url = options.url ?? `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
    return new ReferenceProvider({ options, identity, opened, server, lock, url });
  }

  get party(): string {
    return this.#opened.wallet.party;
  }

  /** Registers the provider with the venue. Idempotent. */
  async register(): Promise<Registration> {
    const { venue, name, pairs } = this.#options;
    const { keyId, key, publicKey } = this.#identity;
    const path = "/v1/lp/register";
    const body = JSON.stringify({
      ...{ name, url: this.url, party_id: this.party, public_key: publicKey, pairs },
    });
    const signed = signMessage(
      { method: "POST", authority: new URL(venue).host, path, body },
      { keyId, key, idempotencyKey: "register", nonce: randomBytes(16), nowMs: Date.now() },
    );
    const headers = { ...signed, "content-type": "application/json" };
    const response = await fetch(venue + path, { method: "POST", headers, body });
    const answer = (await response.json()) as Registration & { readonly error?: string };
    if (!response.ok) throw new Error(`the venue refused the registration: ${answer.error}`);
    return answer;
  }

  async close(): Promise<void> {
    await this.#server.close();
    await new Promise((resolve) => this.#lock.close(resolve));
  }
}

/** Returns a function that reads the free balance of an asset from the ledger; the result is cached briefly. */
function freeCoins({ wallet, instruments }: OpenWallet, trades: TradeLog) {
  let read: { readonly atMs: number; readonly coins: ReturnType<typeof wallet.freeCoins> } | null =
    null;
  return async (code: string): Promise<bigint> => {
    if (read === null || Date.now() - read.atMs > coinsMs)
      read = { atMs: Date.now(), coins: wallet.freeCoins(Date.now()) };
    const coins = await read.coins.catch((error: unknown) => {
      read = null;
      throw error;
    });
    const { leased } = trades;
    const own = instruments.get(code);
    return coins
      .filter(({ instrument, contractId }) => {
        const isOwn = instrument.id === own?.id && instrument.admin === own.admin;
        return isOwn && !leased.has(contractId);
      })
      .reduce((sum, { amount }) => sum + amount, 0n);
  };
}
