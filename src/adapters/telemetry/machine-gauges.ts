// What the venue takes of its machine, and what the machine has left: memory, processors, and the disk of the data
// folder. A full disk stops the journal, so it is shown before that.

import { statfs } from "node:fs/promises";
import { availableParallelism, freemem, loadavg, totalmem } from "node:os";
import { Gauge, type Registry } from "prom-client";

export function addMachineGauges(registry: Registry, dataDir: string): void {
  const disk = (of: "blocks" | "bavail") => async () => {
    const found = await statfs(dataDir).catch(() => null);
    return found === null ? null : found[of] * found.bsize;
  };
  const gauges: [name: string, help: string, read: () => number | Promise<number | null>][] = [
    ["process_memory_bytes", "Resident memory of the process", () => process.memoryUsage.rss()],
    [
      "process_start_time_seconds",
      "Unix time at which the process started; counters start from 0 with it",
      () => Math.round(performance.timeOrigin) / 1000,
    ],
    ["machine_processors", "Processors that the process may use", () => availableParallelism()],
    ["machine_load", "Load of the machine over the last minute", () => loadavg()[0] ?? 0],
    ["machine_memory_bytes", "Memory of the machine", () => totalmem()],
    ["machine_memory_free_bytes", "Unused memory of the machine", () => freemem()],
    ["disk_bytes", "Size of the disk with the data folder", disk("blocks")],
    ["disk_free_bytes", "Space left to the venue on the disk with the data folder", disk("bavail")],
  ];
  for (const [name, help, read] of gauges) {
    new Gauge({
      name: `rialto_${name}`,
      help,
      registers: [registry],
      async collect() {
        const value = await read();
        if (value === null) this.reset();
        else this.set(value);
      },
    });
  }
}
