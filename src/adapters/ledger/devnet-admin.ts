// Client of a development ledger's admin API: hosted wallets, faucet and traffic.

import type { LedgerAddress } from "../../ports/ledger/ledger-endpoint.ts";
import type { MeasuredTraffic } from "../../ports/ledger/traffic.ts";

const timeoutMs = 30_000;

interface CountedTraffic {
  readonly baseRemaining: number;
  readonly baseUpdatedMs: number;
  readonly extraPurchased: number;
  readonly extraConsumed: number;
}

export class DevnetAdmin {
  readonly #address: LedgerAddress;
  readonly #token: string;

  constructor(address: LedgerAddress, token: string) {
    this.#address = address;
    this.#token = token;
  }

  /** Makes the ledger host a wallet for `party`, which preapproves payments and accepts proposals. */
  async host(party: string): Promise<void> {
    await this.#post("/devnet/v1/wallets", { party });
  }

  /**
   * Like `host`, for a party that signs its transactions itself. `publicKey` is base64; its fingerprint is part of the
   * party's id.
   */
  async hostSigner(party: string, publicKey: string): Promise<void> {
    await this.#post("/devnet/v1/wallets", { party, public_key: publicKey });
  }

  /** Gives `party` new coins from the faucet; `amount` is a decimal. */
  async tap(party: string, instrument: string, amount: string): Promise<void> {
    await this.#post("/devnet/v1/tap", { party, instrument, amount });
  }

  /** Lets a hosted wallet pay another party; `amount` is a decimal. */
  async spend(
    from: string,
    payment: {
      readonly to: string;
      readonly instrument: string;
      readonly amount: string;
      readonly reference: string;
    },
  ): Promise<void> {
    await this.#post(`/devnet/v1/wallets/${encodeURIComponent(from)}/spend`, payment);
  }

  /** Returns the participant's remaining traffic. */
  async traffic(): Promise<MeasuredTraffic> {
    const counted = JSON.parse(await this.#request("GET", "/devnet/v1/traffic")) as CountedTraffic;
    const { baseRemaining: remaining, baseUpdatedMs: atMs } = counted;
    const { extraPurchased, extraConsumed } = counted;
    return { base: { remaining, atMs }, extraPurchased, extraConsumed };
  }

  async #post(path: string, body: object): Promise<void> {
    await this.#request("POST", path, body);
  }

  async #request(method: string, path: string, body?: object): Promise<string> {
    const response = await fetch(this.#address.url + path, {
      method,
      headers: { authorization: `Bearer ${this.#token}` },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await response.text();
    if (!response.ok)
      throw new Error(`the ledger refused the request: ${response.status} ${text.slice(0, 500)}`);
    return text;
  }
}
