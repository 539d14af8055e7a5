// Spinning before sleeping: worth it only where cores are to spare (SPIN_US, 0 by default), because a
// spinning thread on a full machine takes the core of the one it waits for.

/** Looks between two readings of the clock: a reading costs more than a look. */
const looksPerReading = 50;

/** Spins until `hasWork` or `spinUs` microseconds have passed; true if there is work. */
export function spinUntil(hasWork: () => boolean, spinUs: number): boolean {
  const until = performance.now() + spinUs / 1000;
  do {
    for (let look = 0; look < looksPerReading; look++) {
      if (hasWork()) return true;
    }
  } while (performance.now() < until);
  return false;
}
