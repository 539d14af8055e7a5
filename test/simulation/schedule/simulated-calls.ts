// The calls of a service to what it needs, one by one: each is carried out when the schedule says so, and
// answered when it says so, in whatever order. Who dies in between has done what was carried out and never
// hears of it.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";

/** A call that breaks off, before or after it did what it was for. */
export type BrokenCall = "before" | "after";

interface Call {
  readonly perform: () => unknown;
  readonly broken: BrokenCall | null;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One in a hundred calls of a run breaks off, while something goes wrong in it. */
export function breaksOff(random: SeededRandom, isIll: () => boolean): () => BrokenCall | null {
  return () => {
    if (!isIll() || random.below(100) > 0) return null;
    return random.below(2) === 0 ? "before" : "after";
  };
}

const never = new Promise<never>(() => undefined);

export class SimulatedCalls {
  #asked: Call[] = [];
  #answers: (() => void)[] = [];
  #isDead = false;

  /** `whole` with every method a call of its own; `breaks` says of each whether it breaks off. */
  through<T extends object>(whole: T, breaks: () => BrokenCall | null = () => null): T {
    return new Proxy(whole, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== "function") return method;
        return (...given: readonly unknown[]) => {
          if (this.#isDead) return never;
          return new Promise((resolve, reject) => {
            const perform = (): unknown => Reflect.apply(method, target, given);
            this.#asked.push({ perform, broken: breaks(), resolve, reject });
          });
        };
      },
    });
  }

  /** One call is carried out or answered; false where there is none. */
  step(random: SeededRandom): boolean {
    const waiting = this.#asked.length + this.#answers.length;
    if (waiting === 0) return false;
    const choice = random.below(waiting);
    const [answer] = choice < this.#answers.length ? this.#answers.splice(choice, 1) : [];
    if (answer !== undefined) answer();
    else this.#perform(choice - this.#answers.length);
    return true;
  }

  #perform(index: number): void {
    const [call] = this.#asked.splice(index, 1);
    if (call === undefined) return;
    const { perform, broken, resolve, reject } = call;
    const result = broken === "before" ? null : perform();
    // What is refused is refused when it is answered, and until then nobody's to handle.
    if (result instanceof Promise) result.catch(() => undefined);
    this.#answers.push(() => {
      if (broken === null) resolve(result);
      else reject(new Error(`the connection broke off, ${broken} it was done`));
    });
  }

  /** Who asked is dead: no call is carried out any more, and none comes back. */
  die(): void {
    this.#isDead = true;
    this.#asked = [];
    this.#answers = [];
  }
}

/** Everything that follows from what was just answered has happened. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
