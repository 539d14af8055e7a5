// The fault proxy: a second address of a venue, at which faults happen on purpose. It passes HTTP and WebSocket traffic to
// the venue and changes it as the applied profiles say; the venue itself is untouched. It is told its profiles by calls on
// a socket in its folder. Specification: docs/spec/rewind.md, REW-30 to REW-46.

import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import * as z from "zod";
import {
  type FaultApplication,
  type FaultTarget,
  faultApplication,
  faultTarget,
} from "../../../schemas/fault-profile.ts";
import { controlSocketPath, openControlSocket } from "../../adapters/runtime/control-socket.ts";
import type { Log } from "../../ports/log.ts";
import { AppliedFaults } from "./applied-faults.ts";
import { FaultLog } from "./fault-log.ts";
import { HttpProxy } from "./http-proxy.ts";
import { ListenKeys, type ProxyContext } from "./proxy-context.ts";
import { SocketProxy } from "./socket-proxy.ts";

/** Connections that may be open; the venue has the same bound per address. */
const connectionsMax = 20_000;
/** A query of 8 KiB, which the venue takes, and headers. */
const headBytesMax = 32_768;
const headTimeoutMs = 15_000;
/** Longest time in which a request may arrive; the venue itself gives it 30 s. */
const requestMsMax = 45_000;
/** The venue promises 7 s and keeps an idle connection for 8 s at least. */
const idleMs = 8_500;

export interface FaultProxyOptions {
  /** The venue's origin, such as `http://127.0.0.1:8080`. */
  readonly venue: string;
  readonly host: string;
  /** 0 picks a free port. */
  readonly port: number;
  /** The venue's data folder, which has faults.jsonl and, below `faults`, the socket. */
  readonly dataDir: string;
  readonly log: Log;
}

const clearing = z.object({ target: faultTarget.nullable() });

export class FaultProxy {
  readonly #context: ProxyContext;
  readonly #http: HttpProxy;
  readonly #sockets: SocketProxy;
  readonly #server: Server;
  #control: Server | null = null;

  /** Opens the proxy; rejects if its port is taken. */
  static async open(options: FaultProxyOptions): Promise<FaultProxy> {
    const proxy = new FaultProxy(options);
    await proxy.#listen(options);
    return proxy;
  }

  private constructor({ venue, dataDir, log }: FaultProxyOptions) {
    const warn = (err: Error) => log.warn({ err }, "the log of faults cannot be written");
    this.#context = {
      faults: new AppliedFaults(),
      log: new FaultLog(join(dataDir, "faults.jsonl"), warn),
      listenKeys: new ListenKeys(),
      nowMs: () => Date.now(),
    };
    this.#http = new HttpProxy(this.#context, venue);
    this.#sockets = new SocketProxy(this.#context, venue, () => this.#http.takeNumber());
    this.#server = createServer({
      ...{ maxHeaderSize: headBytesMax, keepAliveTimeout: idleMs, noDelay: true },
      ...{ headersTimeout: headTimeoutMs, requestTimeout: requestMsMax },
    });
    this.#server.maxConnections = connectionsMax;
    this.#server.on("request", (request, response) => this.#http.handle(request, response));
    this.#server.on("upgrade", (request, socket, head) =>
      this.#sockets.handle(request, socket, head),
    );
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    this.#control?.close();
    this.#control?.closeAllConnections();
    this.#sockets.close();
    this.#server.close();
    this.#server.closeAllConnections();
    await this.#http.close();
    await this.#context.log.close();
  }

  async #listen({ host, port, dataDir }: FaultProxyOptions): Promise<void> {
    this.#server.listen(port, host);
    await once(this.#server, "listening");
    const folder = join(dataDir, "faults");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const path = controlSocketPath(folder);
    this.#control = await openControlSocket(path, (call, given) => this.#call(call, given));
  }

  async #call(call: string, given: unknown): Promise<unknown> {
    const { faults, log, nowMs } = this.#context;
    if (call === "ping") return {};
    if (call === "apply") return this.#apply(faultApplication.parse(given));
    if (call === "clear") return this.#clear(clearing.parse(given).target);
    if (call === "show")
      return {
        port: this.port,
        pid: process.pid,
        lines_left_out: log.leftOut,
        applied: faults.shown(nowMs()),
      };
    throw new Error(`the fault proxy does not support the call ${call}`);
  }

  #apply(application: FaultApplication): object {
    const { faults, log, nowMs } = this.#context;
    const applied = faults.apply(application, nowMs());
    const { profile, target, seed, forMs: for_ms } = application;
    log.write({ at_ms: nowMs(), method: "APPLY", target, profile, seed, for_ms });
    return applied.shown();
  }

  #clear(target: FaultTarget | null): object {
    const { faults, log, nowMs } = this.#context;
    log.write({ at_ms: nowMs(), method: "CLEAR", target });
    return { cleared: faults.clear(target, nowMs()) };
  }
}
