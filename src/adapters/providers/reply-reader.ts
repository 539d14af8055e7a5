// One provider's answer, taken from the connection as its bytes come, without a stream in between: a round
// of quotes waits for eight of these. Whatever happens is a reply, and the first thing that happens is it:
// an answer that is whole, a signal that says it is too late, or a connection that failed.

import type { Dispatcher } from "undici";

export type ProviderReply =
  | { readonly kind: "answer"; readonly status: number; readonly text: string }
  /** The signal came before the answer. */
  | { readonly kind: "late" }
  | { readonly kind: "fault"; readonly message: string };

export class ReplyReader implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #done: (reply: ProviderReply) => void;
  /** There from when the request is written. */
  #controller: Dispatcher.DispatchController | null = null;
  #status = 0;
  /** The pool bounds what they come to. */
  readonly #chunks: Buffer[] = [];
  readonly #giveUp = (): void => {
    this.#end({ kind: "late" });
    this.#controller?.abort(new Error("too late"));
  };

  /** Tells `done` what came of the request that it is dispatched with; what it says first counts. */
  constructor(signal: AbortSignal, done: (reply: ProviderReply) => void) {
    this.#signal = signal;
    this.#done = done;
    signal.addEventListener("abort", this.#giveUp);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    // It may have become too late while there was no connection.
    if (this.#signal.aborted) controller.abort(new Error("too late"));
    else this.#controller = controller;
  }

  /** Of several the last is the answer's: those before it are informational. */
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
