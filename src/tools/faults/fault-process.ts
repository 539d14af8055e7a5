// A process that runs a fault proxy: the command `rialto fault-proxy`, or the companion of a venue.

import { FaultProxy, type FaultProxyOptions } from "./fault-proxy.ts";

/** Opens a fault proxy that ends, with this process, by a signal, or with the process that has an IPC channel to it. */
export async function runFaultProxy(options: FaultProxyOptions): Promise<FaultProxy> {
  // The folder of a venue that has ended may be removed, and opening the proxy would make it anew.
  if (isOrphan()) process.exit();
  const proxy = await FaultProxy.open(options);
  const end = () => void proxy.close().finally(() => process.exit());
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, end);
  process.once("disconnect", end);
  if (isOrphan()) end();
  return proxy;
}

/** Whether the process with the channel has ended; false if there never was one. */
function isOrphan(): boolean {
  return process.connected === false;
}
