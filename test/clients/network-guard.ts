// Restricts the importing process to loopback: every connection or name lookup to another host fails and is recorded
// (CNF-19). Start client processes with `--import` of this file, so that the guard is active before any other module
// loads.

import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const outside: string[] = [];

/** Returns every host other than this machine that the process tried to reach, in order. */
export function hostsOutside(): readonly string[] {
  return outside;
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || host === "[::1]" || /^127\.[\d.]+$/.test(host);
}

function refusal(host: string): Error {
  outside.push(host);
  return Object.assign(new Error(`the network guard refuses ${host}`), { code: "ENOTFOUND" });
}

/** Returns the host argument of `socket.connect(…)` in any of its forms, or null for a path in the file system. */
function hostOf(args: readonly unknown[]): string | null {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === "object" && first !== null) {
    if ("path" in first && typeof first.path === "string") return null;
    return "host" in first && typeof first.host === "string" ? first.host : "localhost";
  }
  if (typeof first === "string" && !/^\d+$/.test(first)) return null;
  return typeof args[1] === "string" ? args[1] : "localhost";
}

const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function guarded(this: net.Socket, ...args: unknown[]) {
  const host = hostOf(args);
  if (host !== null && !isLoopback(host)) {
    const error = refusal(host);
    // Destroy the socket on the next tick, when its owner has attached listeners, as a failed lookup would.
    process.nextTick(() => this.destroy(error));
    return this;
  }
  return Reflect.apply(connect, this, args);
};

const send = dgram.Socket.prototype.send;
dgram.Socket.prototype.send = function guarded(this: dgram.Socket, ...args: unknown[]) {
  const host = args.find((one) => typeof one === "string" && /[.:]/.test(one));
  if (typeof host === "string" && !isLoopback(host)) throw refusal(host);
  return Reflect.apply(send, this, args);
};

const lookups = ["lookup", "resolve", "resolve4", "resolve6", "resolveAny", "resolveSrv"] as const;
for (const name of lookups) guardLookup(name);
syncBuiltinESMExports();

function guardLookup(name: (typeof lookups)[number]): void {
  const withCallback = dns[name];
  const guarded = (...args: unknown[]) => {
    const host = String(args[0]);
    if (isLoopback(host)) return Reflect.apply(withCallback, dns, args);
    const error = refusal(host);
    const callback = args.at(-1);
    if (typeof callback === "function") process.nextTick(() => callback(error));
  };
  const withPromise: unknown = dns.promises[name];
  const guardedPromise = async (...args: unknown[]) => {
    if (!isLoopback(String(args[0]))) throw refusal(String(args[0]));
    return Reflect.apply(withPromise as typeof Function.prototype, dns.promises, args);
  };
  Object.assign(dns, { [name]: guarded });
  Object.assign(dns.promises, { [name]: guardedPromise });
}
