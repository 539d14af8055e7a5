// Mends a second defect of the SQL client (postgres 3.4.9): when the connection of a transaction is lost it
// still sends `rollback` there, or the next statement. What was to be written then is thrown where
// nobody can catch it, which ends the process, or stays behind and keeps the connection from coming back.
//
// So nothing more is said on a connection that is known to be lost: the transaction's own steps wait
// for ever, and the loss itself ends the transaction for whoever asked for it.

import type postgres from "postgres";

type Ask = (...given: unknown[]) => unknown;

/** Whether the transaction has ended for whoever began it. */
interface Fate {
  isOver: boolean;
}

/** The same client, whose transactions are silent once their connection is lost. */
export function withLostTransactions(client: postgres.Sql): postgres.Sql {
  return new Proxy(client, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (name !== "begin" || typeof found !== "function") return found;
      return (...given: unknown[]) => {
        const fate: Fate = { isOver: false };
        const made = (found as Ask).apply(target, withSilence(given, fate)) as Promise<unknown>;
        made.catch(() => {
          fate.isOver = true;
        });
        return made;
      };
    },
  });
}

/** What runs inside the transaction: each function among `given` never goes on behind a loss. */
function withSilence(given: readonly unknown[], fate: Fate): unknown[] {
  return given.map((work) => {
    if (typeof work !== "function") return work;
    return async (inner: postgres.TransactionSql): Promise<unknown> => {
      try {
        const made: unknown = work(silent(inner, fate));
        return await (Array.isArray(made) ? Promise.all(made) : made);
      } catch (error) {
        if (fate.isOver || isLoss(error)) return forEver();
        throw error;
      }
    };
  });
}

/** The transaction's client: asks nothing once the transaction is over. */
function silent(inner: postgres.TransactionSql, fate: Fate): postgres.TransactionSql {
  const asking =
    (ask: Ask): Ask =>
    (...given) =>
      fate.isOver ? forEver() : ask(...given);
  return new Proxy(inner, {
    apply: (target, self, given) =>
      asking((...words) => Reflect.apply(target as unknown as Ask, self, words))(...given),
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== "function") return found;
      const ask = found.bind(target) as Ask;
      if (name === "unsafe") return asking(ask);
      if (name !== "savepoint") return found;
      return asking((...given) => ask(...withSilence(given, fate)));
    },
  });
}

interface Loss {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly cause?: unknown;
}

/** Whether an error means that the connection is or will be closed; the client says so itself behind it. */
function isLoss(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  const { code, severity, cause } = error as Loss;
  if (severity === "FATAL" || severity === "PANIC") return true;
  if (code === "CONNECTION_CLOSED" || (typeof code === "string" && /^E[A-Z]{4,}$/.test(code))) {
    return true;
  }
  // Whoever asked may have put it into words of their own.
  return isLoss(cause);
}

function forEver(): Promise<never> {
  return new Promise(() => undefined);
}
