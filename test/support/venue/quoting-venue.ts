// A whole venue with everything that a swap needs: a development ledger, a book to quote from, and an approved, healthy
// reference provider with its own HTTP server.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDevnetWallet } from "../../../src/tools/provider/open-wallet.ts";
import { ReferenceProvider } from "../../../src/tools/provider/reference-provider.ts";
import { freePort } from "../free-port.ts";
import { quietLog } from "../quiet-log.ts";
import { LedgerVenue, until } from "./ledger-venue.ts";

/** The house's prices of CC-USDC, around which the provider quotes. */
const prices = [
  ["BUY", "0.1490"],
  ["SELL", "0.1500"],
] as const;

/** The provider's folder and its address; by default a new folder, and the address of its server. */
interface ProviderLocation {
  readonly folder?: string;
  readonly url?: string;
}

export class QuotingVenue {
  readonly venue: LedgerVenue;
  readonly #folder: string;
  readonly #open: () => Promise<ReferenceProvider>;
  #provider: ReferenceProvider;

  private constructor(
    venue: LedgerVenue,
    folder: string,
    provider: { readonly now: ReferenceProvider; readonly open: () => Promise<ReferenceProvider> },
  ) {
    this.venue = venue;
    this.#folder = folder;
    this.#provider = provider.now;
    this.#open = provider.open;
  }

  get provider(): ReferenceProvider {
    return this.#provider;
  }

  /** `index` may give the provider's folder, and the address under which the venue finds the provider. */
  static async open(
    settings: Readonly<Record<string, string>> = {},
    index: ProviderLocation = {},
  ): Promise<QuotingVenue> {
    const venue = await LedgerVenue.open({
      PROVIDER_HEALTH_MS: "50",
      // A busy machine may need longer for an answer than a trader would wait.
      SWAP_QUOTE_WINDOW_MS: "20000",
      SWAP_PREPARE_MS: "60000",
      SWAP_FUNDS_MS: "30000",
      // Until a trader must have signed after the end of the quote: a browser first shows and checks what it signs.
      SWAP_GRACE_MS: "60000",
      SWAP_POLL_MS: "20",
      ...settings,
    });
    try {
      return await QuotingVenue.#openOn(venue, index);
    } catch (fault) {
      // Its threads would keep the test's process alive.
      await venue.close();
      throw fault;
    }
  }

  static async #openOn(venue: LedgerVenue, index: ProviderLocation): Promise<QuotingVenue> {
    const { fixture } = venue;
    const maker = await fixture.trader("house");
    for (const [side, price] of prices) {
      const order = { symbol: "CC-USDC", side, type: "LIMIT", timeInForce: "GTC" };
      const placed = { ...order, quantity: "100000", price };
      assert.equal((await fixture.signed(maker, "POST", "/api/v3/order", placed)).status, 200);
    }
    const folder = index.folder ?? (await mkdtemp(join(tmpdir(), "rialto-provider-")));
    const port = await freePort();
    const options = {
      venue: fixture.address,
      ...{ folder, name: "maker", host: "127.0.0.1", port, url: index.url ?? null },
      ...{ pairs: ["CC-USDC"], spreadBps: 20, notionalMax: 10_000, validMs: 25_000 },
      log: quietLog,
    };
    const ledger = join(fixture.dataDir, "ledger");
    const openProvider = async () =>
      ReferenceProvider.open(options, await openDevnetWallet(ledger, "maker"));
    const provider = await openProvider();
    const { provider_id: id } = await provider.register();
    await fixture.operator.providers.approve(id);
    await until(async () => {
      const [row] = (await fixture.operator.providers.list()) as { health: string | null }[];
      return row?.health === "ok";
    });
    return new QuotingVenue(venue, folder, { now: provider, open: openProvider });
  }

  /** Restarts the provider on its folder and port; `between` may change them while it is stopped. */
  async restart(between: () => Promise<void> = async () => undefined): Promise<void> {
    await this.#provider.close();
    await between();
    this.#provider = await this.#open();
  }

  async close(): Promise<void> {
    await this.#provider.close();
    await this.venue.close();
    await rm(this.#folder, { recursive: true, force: true });
  }
}
