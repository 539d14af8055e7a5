// The calls that a service makes to its ports, one by one. The schedule decides in which order they are executed and
// answered. If the caller dies in between, it gets no answer, but executed calls keep their effect.

import type { SeededRandom } from "../../../src/tools/load/seeded-random.ts";

/** Whether a failing call fails before or after its effect. */
export type BrokenCall = "before" | "after";

interface Call {
  readonly perform: () => unknown;
  readonly broken: BrokenCall | null;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Returns a function that decides whether a call fails: while `isIll` returns true, one call in a hundred does. */
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

  /** Wraps `whole` so that every method is a scheduled call; `breaks` decides whether a call fails. */
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

  /** Executes or answers one pending call; returns false if none is pending. */
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
    // Mark a rejection as handled now: the caller gets it only with the answer.
    if (result instanceof Promise) result.catch(() => undefined);
    this.#answers.push(() => {
      if (broken === null) resolve(result);
      else reject(new Error(`the connection broke off ${broken} the call took effect`));
    });
  }

  /** Drops pending calls and answers, because the caller is dead. */
  die(): void {
    this.#isDead = true;
    this.#asked = [];
    this.#answers = [];
  }
}

/** Waits until all consequences of the last answer have happened. */
export function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
