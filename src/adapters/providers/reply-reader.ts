// Collects one provider's answer directly from the connection's chunks. It uses no stream, which would cost more for
// each of the eight answers that a quote round waits for. The first event decides the reply: a complete answer, a
// timeout signal or a failed connection.

import type { Dispatcher } from "undici";

export type ProviderReply =
  | { readonly kind: "answer"; readonly status: number; readonly text: string }
  /** The timeout signal fired before the answer was complete. */
  | { readonly kind: "late" }
  | { readonly kind: "fault"; readonly message: string };

export class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #done: (reply: ProviderReply) => void;
  /** Controller of the request; null until the request is written. */
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  /** Chunks received so far. The connection pool limits their total size. */
  readonly #chunks: Buffer[] = [];
  readonly #giveUp = (): void => {
    this.#end({ kind: "late" });
    this.#controller?.abort(new Error("too late"));
  };

  /** Calls `done` once with the reply of the dispatched request. */
  constructor(signal: AbortSignal, done: (reply: ProviderReply) => void) {
    this.#signal = signal;
    this.#done = done;
    signal.addEventListener("abort", this.#giveUp);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // Abort now if the signal already fired while the request waited for a connection.
    if (this.#signal.aborted) controller.abort(new Error("too late"));
    else this.#controller = controller;
  }

  /** Records the status. Informational responses come first; the last status is that of the answer. */
  onResponseStart(_: Dispatcher.DispatchController, status: number): void {
    this.#status = status;
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    const text = Buffer.concat(this.#chunks).toString("utf8");
    this.#end({ kind: "answer", status: this.#status, text });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#end({ kind: "fault", message: messageOf(error) });
  }

  #end(reply: ProviderReply): void {
    this.#signal.removeEventListener("abort", this.#giveUp);
    this.#done(reply);
  }
}

function messageOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return code === undefined ? error.message : `failed with ${code}`;
}
