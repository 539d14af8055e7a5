// The operator's API of a running venue: JSON over HTTP on a Unix socket in the data folder. Only the socket's owner
// can open it, and it cannot be reached from the network; access to the file is the authentication. If a socket file
// exists and a process answers, a venue is running. If no process answers, a killed venue left the file behind, and it
// is removed.

import { createHash } from "node:crypto";
import { chmodSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, request, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Maximum length of the socket's path; the kernel's field for it has 108 bytes. */
const pathBytesMax = 100;
/**
 * Maximum size of a request in bytes. The size of answers is not limited, because they come from the operator's own
 * venue and list its data.
 */
const requestBytesMax = 65_536;
const ownerOnly = 0o600;

/** Answers one control call; throws an OperatorRefusal if the call is refused. */
export type ControlHandler = (call: string, parameters: unknown) => Promise<unknown>;

export interface ControlAnswer {
  readonly isOk: boolean;
  readonly result: unknown;
  readonly error: string;
  /** Whether it was refused as a usage error: an error of the handler says so in its field `isUsage`. */
  readonly isUsage: boolean;
  /** Whether the venue had no room for a command of the call: an error of the handler says so in its field `isBusy`. */
  readonly isBusy: boolean;
}

/**
 * Returns the path of a data folder's socket: in the folder or, if that path is too long, in the system's temporary
 * folder.
 */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, "control.sock");
  if (Buffer.byteLength(path) <= pathBytesMax) return path;
  const digest = createHash("sha256").update(dataDir).digest("hex").slice(0, 16);
  return join(tmpdir(), `rialto-${digest}.sock`);
}

/** Listens at `path`; throws if a venue answers there already. */
export async function openControlSocket(path: string, handle: ControlHandler): Promise<Server> {
  if (await isAnswered(path)) throw new Error(`another venue already answers at ${path}`);
  rmSync(path, { force: true });
  const server = createServer((incoming, outgoing) => {
    void answer(incoming, handle).then((reply) => {
      outgoing.writeHead(reply.isOk ? 200 : 400, { "content-type": "application/json" });
      outgoing.end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Set the mask before the file is created, so that no other user can open the socket before the chmod.
    const mask = process.umask(0o177);
    server.listen(path, resolve);
    process.umask(mask);
  });
  chmodSync(path, ownerOnly);
  return server;
}

/** Calls the venue at `path`; throws with the connection error's code if no venue answers. */
export function callControl(
  path: string,
  call: string,
  parameters: unknown = {},
  signal?: AbortSignal,
): Promise<ControlAnswer> {
  return new Promise((resolve, reject) => {
    const options = {
      socketPath: path,
      path: `/${call}`,
      method: "POST",
      // A connection that rested could be one that the venue is about to close.
      agent: false,
      ...(signal && { signal }),
    };
    const outgoing = request(options, (incoming) => {
      bodyOf(incoming, Number.POSITIVE_INFINITY).then(
        (body) => resolve(JSON.parse(body) as ControlAnswer),
        reject,
      );
    });
    outgoing.on("error", reject);
    outgoing.end(JSON.stringify(parameters));
  });
}

/** True if a venue listens at `path`; false if the file is missing or stale. */
export async function isAnswered(path: string): Promise<boolean> {
  return callControl(path, "ping").then(
    () => true,
    () => false,
  );
}

async function answer(incoming: IncomingMessage, handle: ControlHandler): Promise<ControlAnswer> {
  try {
    const body = await bodyOf(incoming, requestBytesMax);
    const call = (incoming.url ?? "").slice(1);
    const result = await handle(call, body === "" ? {} : JSON.parse(body));
    return { isOk: true, result, error: "", isUsage: false, isBusy: false };
  } catch (error) {
    const message = error instanceof Error ? error.message : "failed";
    const says = (field: string) =>
      error instanceof Error && Object.entries(error).some(([name, is]) => name === field && is);
    const [isUsage, isBusy] = [says("isUsage"), says("isBusy")];
    return { isOk: false, result: null, error: message, isUsage, isBusy };
  }
}

async function bodyOf(incoming: IncomingMessage, bytesMax: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of incoming as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > bytesMax) throw new Error("the control message is too long");
    parts.push(part);
  }
  return Buffer.concat(parts).toString("utf8");
}
