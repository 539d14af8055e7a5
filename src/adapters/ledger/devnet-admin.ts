// The admin door of a development ledger: wallets it keeps, and coins from its faucet.

const timeoutMs = 30_000;

export class DevnetAdmin {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Has the ledger keep a wallet for `party`, which preapproves payments and accepts proposals. */
  async host(party: string): Promise<void> {
    await this.#post("/devnet/v1/wallets", { party });
  }

  /** Gives `party` new coins; `amount` is a decimal. */
  async tap(party: string, instrument: string, amount: string): Promise<void> {
    await this.#post("/devnet/v1/tap", { party, instrument, amount });
  }

  async #post(path: string, body: object): Promise<void> {
    const response = await fetch(this.#url + path, {
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
