// Clients of streams that come and go while something else is measured: each from an address of its own,
// with a few streams, for some seconds. A venue that runs for months meets millions of them.

import { WebSocket } from "ws";
import type { Endpoint } from "../../src/tools/load/http-connection.ts";
import { virtualAddress } from "../../src/tools/load/signed-requests.ts";

const everyMs = 100;
const openMax = 50;
const streams = "cc-usdc@depth/cc-usdc@trade/cbtc-usdc@ticker/ceth-usdc@depth10/btcusdt@markPrice";
/** Behind the addresses of the load's own keys. */
const addressesFrom = 1 << 16;

export class StreamChurn {
  readonly #url: string;
  readonly #open: WebSocket[] = [];
  readonly #timer: NodeJS.Timeout;
  #frames = 0;
  #come = 0;

  /** Begins at once. */
  constructor({ host, port }: Endpoint) {
    this.#url = `ws://${host}:${port}/compat/stream?streams=${streams}`;
    this.#timer = setInterval(() => this.#turn(), everyMs);
  }

  /** Clients that came so far, and the frames they were sent. */
  get counts(): { readonly clients: number; readonly frames: number } {
    return { clients: this.#come, frames: this.#frames };
  }

  stop(): void {
    clearInterval(this.#timer);
    for (const client of this.#open.splice(0)) client.terminate();
  }

  #turn(): void {
    const address = virtualAddress(addressesFrom + this.#come++);
    const headers = { "X-Forwarded-For": address };
    const client = new WebSocket(this.#url, { headers, perMessageDeflate: false });
    client.on("message", () => {
      this.#frames++;
    });
    // One that was refused or cut off is gone: the venue's figures tell how often.
    client.on("error", () => undefined);
    this.#open.push(client);
    // Every other one leaves without a word, as clients do that lose their network.
    const oldest = this.#open.length > openMax ? this.#open.shift() : undefined;
    if (this.#come % 2 === 0) oldest?.terminate();
    else oldest?.close();
  }
}
