// One of several processes of a test, a venue or a gateway, which can be ended and started again at the same address.

import { setTimeout as sleep } from "node:timers/promises";
import { callControl, controlSocketPath } from "../../../src/adapters/runtime/control-socket.ts";
import type { Endpoint } from "../../../src/tools/load/http-connection.ts";
import { CliProcess } from "../venue/cli-process.ts";

const startMsMax = 120_000;

export class VenueNode {
  readonly dataDir: string;
  readonly endpoint: Endpoint;
  readonly #settings: Readonly<Record<string, string>>;
  readonly #command: "start" | "gateway";
  process: CliProcess | null = null;
  /** The path of the program; undefined for the one that is tested. */
  program: string | undefined;

  constructor(
    dataDir: string,
    port: number,
    settings: Readonly<Record<string, string>>,
    command: "start" | "gateway" = "start",
  ) {
    this.dataDir = dataDir;
    this.#command = command;
    this.endpoint = { host: "127.0.0.1", port };
    this.#settings = { ...settings, DATA_DIR: dataDir, PORT: String(port) };
  }

  start(): void {
    this.process = new CliProcess([this.#command], this.#settings, undefined, this.program);
  }

  /** Status on the control socket; null if nothing answers. */
  async status(): Promise<Record<string, unknown> | null> {
    const answer = await this.call("status").catch(() => null);
    return answer === null || !answer.isOk ? null : (answer.result as Record<string, unknown>);
  }

  /** Waits until the public API answers. */
  async untilOpen(): Promise<void> {
    const url = `http://${this.endpoint.host}:${this.endpoint.port}/api/v3/ping`;
    for (const endMs = performance.now() + startMsMax; ; await sleep(20)) {
      const answer = await fetch(url).catch(() => null);
      if (answer?.status === 200) return;
      if (performance.now() > endMs) throw new Error(`not open: ${this.process?.complained}`);
    }
  }

  call(name: string, parameters: object = {}) {
    return callControl(controlSocketPath(this.dataDir), name, parameters);
  }

  async untilRole(role: "leader" | "follower"): Promise<void> {
    for (const endMs = performance.now() + startMsMax; ; await sleep(20)) {
      const status = await this.status();
      if (status?.["role"] === role) return;
      if (performance.now() > endMs)
        throw new Error(`no ${role}: ${JSON.stringify(status)} ${this.process?.complained}`);
    }
  }
}
