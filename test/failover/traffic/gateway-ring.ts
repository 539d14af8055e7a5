// The gateways that a client may use, one after the other: it begins at its own, and goes on with the next one whenever
// it has to connect again.

import { present } from "../../../src/core/assert.ts";
import type { Endpoint } from "../../../src/tools/load/http-connection.ts";

export class GatewayRing {
  readonly #gateways: readonly Endpoint[];
  #turn: number;

  constructor(gateways: readonly Endpoint[], first: number) {
    this.#gateways = gateways;
    this.#turn = first;
  }

  next(): Endpoint {
    return present(this.#gateways[this.#turn++ % this.#gateways.length], "a gateway");
  }
}
