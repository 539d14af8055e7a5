// An account of a test's venue, with a key for the program under test.

import { createHmac } from "node:crypto";
import { differencesOf } from "./beliefs.js";
import { RialtoTestError } from "./control-call.js";

export class Account {
  #venue;

  constructor(venue, number, { api_key: key, secret }) {
    this.#venue = venue;
    this.number = number;
    this.key = key;
    this.secret = secret;
  }

  /** Makes a signed request as the account; returns the answer, or throws a RialtoTestError with status and code. */
  async request(method, path, parameters = {}, { address = this.#venue.address } = {}) {
    const query = new URLSearchParams({ ...parameters, timestamp: String(Date.now()) });
    query.append("signature", createHmac("sha256", this.secret).update(`${query}`).digest("hex"));
    const headers = { "X-MBX-APIKEY": this.key };
    const answer = await fetch(`${address}${path}?${query}`, { method, headers });
    const text = await answer.text();
    if (!answer.ok) throw new RialtoTestError(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text);
  }

  truth() {
    return this.#venue.truth(this.number);
  }

  async believe(belief) {
    return differencesOf(belief, await this.truth());
  }
}
