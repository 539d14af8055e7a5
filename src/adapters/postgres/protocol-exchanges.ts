// What the database client calls while messages of protocol-messages.ts are under way. They reject with the client's
// errors as they are; the session makes faults of them.

import type pg from "pg";

/** Receives the client's callbacks during an exchange. The client defines the `handle…` names. */
export class Exchange implements pg.Submittable {
  readonly #message: Buffer;
  readonly #resolve: () => void;
  readonly #reject: (fault: unknown) => void;

  constructor(message: Buffer, resolve: () => void, reject: (fault: unknown) => void) {
    this.#message = message;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(connection: pg.Connection): void {
    connection.stream.write(this.#message);
  }

  handleDataRow(): void {
    // Nothing to do: no results are requested.
  }

  handleCommandComplete(): void {
    // Nothing to do: the commit counts only when the server reports ready.
  }

  handleCopyInResponse(): void {
    // Nothing to do: the rows are sent already. If a message before them failed, the server skips them.
  }

  handleReadyForQuery(): void {
    this.#resolve();
  }

  /** The server reports ready after an error too; by then the promise is already rejected. */
  handleError(error: unknown): void {
    this.#reject(error);
  }
}

/** Receives the answer to a statement with one value, which an earlier write has sent. */
export class SentQuery implements pg.Submittable {
  readonly #resolve: (value: string) => void;
  readonly #reject: (fault: unknown) => void;
  #value = "";

  constructor(resolve: (value: string) => void, reject: (fault: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  submit(): void {
    // Nothing to do: it is sent.
  }

  handleDataRow({ fields }: { readonly fields: readonly string[] }): void {
    this.#value = fields[0] ?? "";
  }

  handleCommandComplete(): void {
    // Nothing to do: the answer is complete when the server reports ready.
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#value);
  }

  handleError(error: unknown): void {
    this.#reject(error);
  }
}
