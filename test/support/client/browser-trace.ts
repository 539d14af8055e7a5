// Reads what a trace of the browser says about the page's main thread.

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Processor time in microseconds, so that other load on the machine does not count. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** Categories that a trace needs for `tasksOf`. */
export const traceCategories = ["toplevel", "devtools.timeline"];

/** Returns the processor time in ms of each task of the page's main thread in a trace. */
export function tasksOf(trace: Buffer): number[] {
  const { traceEvents } = JSON.parse(trace.toString("utf8")) as { traceEvents: TraceEvent[] };
  const named = traceEvents.filter(({ args, name }) => {
    return name === "thread_name" && args.name === "CrRendererMain";
  });
  const mains = new Set(named.map(({ pid, tid }) => `${pid}/${tid}`));
  return traceEvents
    .filter(({ name, ph, pid, tid }) => {
      return /RunTask$/.test(name) && ph === "X" && mains.has(`${pid}/${tid}`);
    })
    .map(({ tdur = 0 }) => tdur / 1000);
}
