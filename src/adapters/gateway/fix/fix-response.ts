// The answer of a call that came as a FIX message: status and body, which the connection turns into messages.

import type { CallResponse } from "../server/http-call.ts";

/** Passes the answer of a call on. */
export class FixResponse implements CallResponse {
  readonly #take: (status: number, body: string) => void;
  #status = 200;

  constructor(take: (status: number, body: string) => void) {
    this.#take = take;
  }

  cork(write: () => void): void {
    write();
  }

  writeStatus(line: string): void {
    this.#status = Number.parseInt(line, 10);
  }

  writeHeader(): void {}

  end(body: string): void {
    this.#take(this.#status, body);
  }

  endWithoutBody(): void {
    this.end("{}");
  }
}
