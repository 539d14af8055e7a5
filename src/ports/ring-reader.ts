// Which thread waits at the end of a ring: an operator looks there when the ring fills.

/**
 * Returns the thread that reads a ring, from the ring's name: clearing reads `front-0-orders`, front 0 reads
 * `front-0-committed`.
 */
export function readerOf(ring: string): string {
  if (ring === "journal") return "journal";
  const [, source = "", kind = ""] = /^(.*)-(orders|cancels|committed|replies)$/.exec(ring) ?? [];
  const isMatcher = source.startsWith("matcher");
  if (kind === "committed") return source;
  return kind === "replies" || !isMatcher ? "clearing" : source;
}
