// Client of the development ledger's faucet, for a thread that starts before the ledger's address is known.

import type { LedgerEndpoint } from "../../ports/ledger/ledger-endpoint.ts";
import type { FaucetPayment, LedgerFaucet } from "../../ports/ledger/ledger-faucet.ts";
import { DevnetAdmin } from "./devnet-admin.ts";

/** The party that pays from the faucet. */
const payer = `faucet::1220${"0".repeat(64)}`;

export class DevnetFaucet implements LedgerFaucet {
  #endpoint: LedgerEndpoint | null = null;

  /** Sets the ledger's address. */
  reach(endpoint: LedgerEndpoint): void {
    this.#endpoint = endpoint;
  }

  async host(party: string, publicKey: string): Promise<boolean> {
    const admin = this.#endpoint?.admin ?? null;
    if (admin === null) return false;
    return reached(new DevnetAdmin(admin, admin.token).hostSigner(party, publicKey));
  }

  async tap(party: string, asset: string, amount: string): Promise<boolean> {
    const source = this.#sourceOf(asset);
    if (source === null) return false;
    return reached(source.admin.tap(party, source.instrument, amount));
  }

  async pay({ to, asset, amount, reference }: FaucetPayment): Promise<boolean> {
    const source = this.#sourceOf(asset);
    if (source === null) return false;
    const { admin, instrument } = source;
    const steps = async () => {
      await admin.host(payer);
      await admin.tap(payer, instrument, amount);
      await admin.spend(payer, { to, instrument, amount, reference });
    };
    return reached(steps());
  }

  #sourceOf(asset: string): { readonly admin: DevnetAdmin; readonly instrument: string } | null {
    const admin = this.#endpoint?.admin ?? null;
    const [, instrument] = this.#endpoint?.instruments.find(([code]) => code === asset) ?? [];
    if (admin === null || instrument === undefined) return null;
    return { admin: new DevnetAdmin(admin, admin.token), instrument: instrument.id };
  }
}

/** Whether the request was answered: false if the ledger could not be connected to or did not answer in time. */
async function reached(request: Promise<void>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    // What `fetch` throws for a connection that fails or breaks off, and for its signal.
    const isTimeout = error instanceof DOMException && error.name === "TimeoutError";
    if (error instanceof TypeError || isTimeout) return false;
    throw error;
  }
}
