// The fault proxy of a venue that can be rewound, as the venue sees it: a companion that is started again when it dies, on
// the port that it had, and calls on its socket. If it dies, its profiles end, and the venue goes on. Spec REW-30.

import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import * as z from "zod";
import type { FaultApplication, FaultTarget } from "../../../schemas/fault-profile.ts";
import { callControl, controlSocketPath } from "../../adapters/runtime/control-socket.ts";
import type { Log } from "../../ports/log.ts";
import { faultProxyEntry } from "../entry-points.ts";
import { OperatorRefusal } from "../operator/operator-commands.ts";
import { type Companion, DevProcess } from "./dev-process.ts";

/** A proxy that takes longer than this to start is looked at later, by `status`. */
const startMsMax = 10_000;
const lookMs = 20;
const patienceMs = 2_000;

const shown = z.looseObject({ port: z.number() });

/** What the verbs `faults …` call. */
export interface FaultControl {
  show(): Promise<unknown>;
  apply(application: FaultApplication): Promise<unknown>;
  clear(target: FaultTarget | null): Promise<unknown>;
}

export interface FaultProxyParts {
  readonly dataDir: string;
  /** The host on which the venue and the proxy listen. */
  readonly host: string;
  /** 0 picks a free port, at the first start only. */
  readonly port: number;
  /** The venue's own address. */
  readonly venue: string;
  readonly log: Log;
  /** The address of a listening host and port. */
  addressOf(host: string, port: number): string;
}

export class FaultProxyCompanion implements FaultControl {
  readonly #parts: FaultProxyParts;
  readonly #process: DevProcess;
  #port: number;

  constructor(parts: FaultProxyParts) {
    const { dataDir, log, port } = parts;
    this.#parts = parts;
    this.#port = port;
    this.#process = new DevProcess({
      ...{ runs: this.#companion(), program: fileURLToPath(faultProxyEntry), dataDir, log },
      isReady: () => true,
    });
  }

  /** The address at which faults happen; null if the proxy does not answer now. */
  async address(): Promise<string | null> {
    const told = await this.#call("show").catch(() => null);
    if (told === null) return null;
    this.#port = shown.parse(told).port;
    return this.#parts.addressOf(this.#parts.host, this.#port);
  }

  /** Waits until the proxy answers; returns null if it does not in time. */
  async whenOpen(): Promise<string | null> {
    const untilMs = performance.now() + startMsMax;
    while (performance.now() < untilMs) {
      const address = await this.address();
      if (address !== null) return address;
      await sleep(lookMs);
    }
    return null;
  }

  async show(): Promise<object> {
    const { port, ...rest } = shown.parse(await this.#call("show"));
    return { address: this.#parts.addressOf(this.#parts.host, port), ...rest };
  }

  apply(application: FaultApplication): Promise<unknown> {
    return this.#call("apply", application);
  }

  clear(target: FaultTarget | null): Promise<unknown> {
    return this.#call("clear", { target });
  }

  stop(): Promise<void> {
    return this.#process.stop();
  }

  #companion(): Companion {
    const { host, venue } = this.#parts;
    return {
      exited: "the fault proxy exited and is being restarted; its profiles have ended",
      notStarted: "the fault proxy could not be started; retrying",
      folder: "faults",
      args: (_, dataDir) => [venue, host, `${this.#port}`, dataDir],
    };
  }

  async #call(call: string, request: object = {}): Promise<unknown> {
    const path = controlSocketPath(resolve(this.#parts.dataDir, "faults"));
    const signal = AbortSignal.timeout(patienceMs);
    const answer = await callControl(path, call, request, signal).catch(() => {
      throw new OperatorRefusal("the fault proxy does not answer: see faults/faults.log");
    });
    if (!answer.isOk) throw new OperatorRefusal(answer.error);
    return answer.result;
  }
}
