// A NATS server for tests: Debian's program on a free port of this machine. Tests can end it and start it again on the
// same port.

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../free-port.ts";

/** Longest start on a busy machine, and longest wait for the greeting of one connection. */
const upMsMax = 60_000;
const greetMsMax = 5_000;

/** Why NATS cannot be tested here; false if it can. Debian installs the program where only root's path leads. */
export function lacksNats(): string | false {
  const { error } = spawnSync(program(), ["--version"]);
  return error === undefined ? false : "nats-server is not installed (apt-get install nats-server)";
}

function program(): string {
  const found = spawnSync("nats-server", ["--version"]).error === undefined;
  return found ? "nats-server" : "/usr/sbin/nats-server";
}

export class NatsServer {
  readonly port: number;
  readonly #options: readonly string[];
  #process: ChildProcess | null = null;

  private constructor(port: number, options: readonly string[]) {
    this.port = port;
    this.#options = options;
  }

  /** Starts a server; `options` are further arguments of the program. */
  static async open(options: readonly string[] = []): Promise<NatsServer> {
    const server = new NatsServer(await freePort(), options);
    await server.start();
    return server;
  }

  get url(): string {
    return `nats://127.0.0.1:${this.port}`;
  }

  /** Starts the server. While it was down, another process may have taken its port for a moment: then it tries again. */
  async start(): Promise<void> {
    const name = `test-${process.pid}-${this.port}`;
    const address = ["--addr", "127.0.0.1", "--port", String(this.port), "--name", name];
    const untilMs = performance.now() + upMsMax;
    while (performance.now() < untilMs) {
      const child = spawn(program(), [...address, ...this.#options], { stdio: "ignore" });
      this.#process = child;
      while (child.exitCode === null && performance.now() < untilMs) {
        if (await greets(this.port, name)) return;
        await sleep(20);
      }
    }
    throw new Error("the NATS server does not answer");
  }

  /** Ends the server as a crash would. */
  async kill(): Promise<void> {
    const child = this.#process;
    this.#process = null;
    if (child === null) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await ended;
  }

  /** Stops and continues the process: connections stay open, and nothing arrives. */
  pause(): void {
    this.#process?.kill("SIGSTOP");
  }

  resume(): void {
    this.#process?.kill("SIGCONT");
  }
}

/**
 * Whether the NATS server of this name answers at the port. It begins each connection with its INFO, also if TLS
 * follows.
 */
function greets(port: number, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isUp: boolean) => {
      socket.destroy();
      resolve(isUp);
    };
    socket.setTimeout(greetMsMax, () => end(false));
    socket.once("data", (bytes) => end(bytes.toString("latin1").includes(`"${name}"`)));
    socket.once("error", () => end(false));
    socket.once("close", () => end(false));
  });
}
