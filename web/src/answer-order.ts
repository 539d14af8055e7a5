// Which answers to reads of the same list count. Reads overlap if the venue or the network is slow, and their answers may
// come in another order: the older one must not replace the newer.

export class AnswerOrder {
  #asked = 0;
  #taken = 0;

  /** Begins a read; returns its number. */
  begin(): number {
    this.#asked += 1;
    return this.#asked;
  }

  /** Whether the answer of a read counts: not if a read that was begun later has been answered. */
  takes(read: number): boolean {
    if (read < this.#taken) return false;
    this.#taken = read;
    return true;
  }
}
