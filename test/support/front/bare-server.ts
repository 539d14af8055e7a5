// The HTTP server alone on a free port, with low limits, a clock that the test advances, and a record of accepted and
// refused calls.

import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { ClientAddresses } from "../../../src/adapters/gateway/server/client-address.ts";
import { CrossOrigin } from "../../../src/adapters/gateway/server/cross-origin.ts";
import { contentTypes, type HttpCall } from "../../../src/adapters/gateway/server/http-call.ts";
import { loadServerLibrary } from "../../../src/adapters/gateway/server/server-library.ts";
import { type TransportFault, UwsServer } from "../../../src/adapters/gateway/server/uws-server.ts";
import { AnswerCounts } from "../../../src/wire/answer-counts.ts";

const { library } = await loadServerLibrary();

export class BareServer {
  readonly calls: HttpCall[] = [];
  readonly faults: TransportFault[] = [];
  nowMs = 1_000_000;
  port = 0;
  readonly answers = AnswerCounts.rowOf(AnswerCounts.allocate(1), 0);
  readonly server: UwsServer;

  /** `deadlineMs` passes only when the test advances `nowMs`. */
  constructor(handle: (call: HttpCall) => void, deadlineMs = 100) {
    this.server = new UwsServer({
      library,
      deadlineMs,
      bodyBytesMax: 1000,
      queryBytesMax: 50,
      ...{ addresses: new ClientAddresses([]), answers: this.answers },
      crossOrigin: new CrossOrigin([]),
      sharesAddress: false,
      isSigned: (path) => path.startsWith("/signed"),
      readsToken: () => false,
      readsDevice: () => false,
      readsWantedForm: () => false,
      isPagePath: () => false,
      nowMs: () => this.nowMs,
      handle: (call) => {
        this.calls.push(call);
        handle(call);
      },
      refuse: (call, fault) => {
        this.faults.push(fault);
        const closes = fault === "deadline" || fault === "bodyTooLarge";
        call.answer(fault === "deadline" ? 408 : 400, contentTypes.text, fault, closes);
      },
    });
  }

  async open(): Promise<this> {
    this.port = await this.server.listen("127.0.0.1", 0);
    return this;
  }

  fetch(target: string, options: RequestInit = {}): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.port}${target}`, options);
  }

  socket(): Promise<Socket> {
    return new Promise((resolve) => {
      const socket = connect(this.port, "127.0.0.1", () => resolve(socket));
    });
  }
}

/**
 * Resolves when `holds` returns true. Checks repeatedly, because data on a socket takes several turns of the event loop
 * to arrive.
 */
export async function until(holds: () => boolean, withinMs = 60_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!holds()) {
    assert.ok(performance.now() < endMs, `This condition did not become true in time: ${holds}`);
    await wait(1);
  }
}

/** Answers every call with the content of its request. */
export const echo = (call: HttpCall) =>
  call.answer(200, contentTypes.text, `${call.method} ${call.path} ${call.query} ${call.body}`);
