// A process that runs a fault proxy: the command `rialto fault-proxy`, or the companion of a venue.

import { FaultProxy, type FaultProxyOptions } from "./fault-proxy.ts";

/** Opens a fault proxy that ends, with this process, by a signal, or with the process that has an IPC channel to it. */
export async function runFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  const proxy = await FaultProxy.open(options);
  const end = () => void proxy.close().finally(() => process.exit());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  process.once("disconnect", end);
  // Without a parent there is no such field.
  if (process.connected === false) end();
  return proxy;
}
