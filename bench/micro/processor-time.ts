// Times calls by the processor time of the process.

/** Nanoseconds of processor time one of `count` calls takes: what the neighbours take is not in it. */
export function nsEach(count: number, call: (turn: number) => void): number {
  const began = process.cpuUsage();
  for (let turn = 0; turn < count; turn++) call(turn);
  const { user, system } = process.cpuUsage(began);
  return ((user + system) * 1000) / count;
}
