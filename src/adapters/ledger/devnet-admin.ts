// The admin door of a development ledger: wallets it keeps, and coins from its faucet.

import type { LedgerAddress } from "../../ports/ledger-place.ts";

const timeoutMs = 30_000;

export class DevnetAdmin {
  readonly #address: LedgerAddress;
  readonly #token: string;

  constructor(address: LedgerAddress, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** Has the ledger keep a wallet for `party`, which preapproves payments and accepts proposals. */
  async host(party: string): Promise<void> {
    await this.#post("/devnet/v1/wallets", { party });
  }

  /** The same for a party that signs for itself with the key (base64) that its name is of. */
  async hostSigner(party: string, publicKey: string): Promise<void> {
    await this.#post("/devnet/v1/wallets", { party, public_key: publicKey });
  }

  /** Gives `party` new coins; `amount` is a decimal. */
  async tap(party: string, instrument: string, amount: string): Promise<void> {
    await this.#post("/devnet/v1/tap", { party, instrument, amount });
  }

  async #post(path: string, body: object): Promise<void> {
    const response = await fetch(this.#address.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}` },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`the ledger refused: ${response.status} ${text.slice(0, 500)}`);
  }
}
