// The faucet of the development ledger, for a thread that is told later where the ledger is.

import type { LedgerFaucet } from "../../ports/ledger/ledger-faucet.ts";
import type { LedgerPlace } from "../../ports/ledger/ledger-place.ts";
import { DevnetAdmin } from "./devnet-admin.ts";

export class DevnetFaucet implements LedgerFaucet {
  #place: LedgerPlace | null = null;

  /** The ledger is there. */
  reach(place: LedgerPlace): void {
    this.#place = place;
  }

  async host(party: string, publicKey: string): Promise<boolean> {
    const admin = this.#place?.admin ?? null;
    if (admin === null) return false;
    await new DevnetAdmin(admin, admin.token).hostSigner(party, publicKey);
    return true;
  }

  async tap(party: string, asset: string, amount: string): Promise<boolean> {
    const admin = this.#place?.admin ?? null;
    const [, instrument] = this.#place?.instruments.find(([code]) => code === asset) ?? [];
    if (admin === null || instrument === undefined) return false;
    await new DevnetAdmin(admin, admin.token).tap(party, instrument.id, amount);
    return true;
  }
}
