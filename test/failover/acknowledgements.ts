// What gateways have logged about the answers that they passed on: the leader's writer epoch, the seq that the answer
// depends on, and the time. All processes of the test have one clock, so the times of two gateways can be compared.

interface Acknowledgement {
  readonly gateway: string;
  readonly time: number;
  readonly epoch: number;
  readonly seq: number;
  /** True if the command was sent more than once, so that the answer may be one of an earlier leader. */
  readonly isResent: boolean;
}

/** Returns everything that one gateway has logged. */
type ReadLog = () => Promise<string> | string;

export class Acknowledgements {
  readonly #logs: (readonly [name: string, read: ReadLog])[] = [];

  /** From now on this log counts too. */
  follow(name: string, read: ReadLog): void {
    this.#logs.push([name, read]);
  }

  async #read(): Promise<Acknowledgement[]> {
    const all: Acknowledgement[] = [];
    for (const [gateway, read] of this.#logs) {
      for (const line of (await read()).split("\n")) {
        if (!line.endsWith('"msg":"answered"}')) continue;
        const { time, epoch, seq, isResent } = JSON.parse(line) as Omit<Acknowledgement, "gateway">;
        all.push({ gateway, time, epoch, seq, isResent });
      }
    }
    return all.sort((one, other) => one.time - other.time);
  }

  /**
   * Returns one line for each answer that is out of order: of an epoch whose successor has answered before, or of a
   * new epoch with a seq that an earlier one had. `lastSeq` is the end of the journal.
   */
  async check(
    lastSeq: number,
  ): Promise<{ readonly faults: string[]; readonly answers: number; readonly epochs: number }> {
    const answers = await this.#read();
    const faults: string[] = [];
    const seqOf = new Map<number, number>();
    let epoch = 0;
    /** The highest seq that epochs before this one have answered with. */
    let earlierSeq = 0;
    for (const one of answers) {
      if (one.epoch < epoch) faults.push(`after epoch ${epoch}: ${JSON.stringify(one)}`);
      if (one.epoch > epoch) {
        earlierSeq = Math.max(earlierSeq, seqOf.get(epoch) ?? 0);
        epoch = one.epoch;
      }
      if (one.seq > lastSeq) faults.push(`not in the journal: ${JSON.stringify(one)}`);
      // A refusal depends on nothing.
      if (one.seq > 0 && !one.isResent && one.seq < earlierSeq)
        faults.push(`an earlier epoch answered with ${earlierSeq}: ${JSON.stringify(one)}`);
      seqOf.set(one.epoch, Math.max(seqOf.get(one.epoch) ?? 0, one.seq));
    }
    return { faults, answers: answers.length, epochs: seqOf.size };
  }
}
