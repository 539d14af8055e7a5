// Time as it comes in from outside. Threads that face the world hold a clock; the machines below
// get the time inside commands. Types only.

/** The system's idea of now; it may step, so nothing measures a duration across a wait with it. */
export interface Clock {
  /** Microseconds since 1970-01-01 UTC, an integer. */
  nowUs(): number;
}
