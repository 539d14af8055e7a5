// Mends two defects of the SQL client (postgres 3.4.9), by which what exists seems not to: an order a client
// was told of, a batch that was written, how far deposits were read. Every client is opened through here.
//
// 1. A connection that is lost behind some rows of an answer keeps their number, and the first answer after it
//    has connected again begins with as many holes. The rows themselves are whole: the holes are taken away.
// 2. A statement that a connection had when it was lost can be taken for answered when the connection greets
//    the server again: with no rows, and without the server's word that it was done. It is rejected as lost.

import type postgres from "postgres";

type Ask = (...given: unknown[]) => unknown;

/** How the client's queries settle; its types do not name it. */
interface Settled {
  resolve(rows: unknown): void;
  reject(error: Error): void;
}

/** The same client, whose answers begin with their first row, inside transactions too. */
export function withWholeAnswers<Client extends postgres.ISql>(client: Client): Client {
  return new Proxy(client, {
    apply: (target, self, given) => mended(Reflect.apply(target as unknown as Ask, self, given)),
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== "function") return found;
      const ask = found.bind(target) as Ask;
      if (name === "unsafe") return (...given: unknown[]) => mended(ask(...given));
      if (name === "begin" || name === "savepoint") {
        return (...given: unknown[]) => ask(...given.map(givenWholeAnswers));
      }
      return found;
    },
  });
}

/** What runs inside a transaction is handed a client of its own. */
function givenWholeAnswers(given: unknown): unknown {
  if (typeof given !== "function") return given;
  return (inner: postgres.TransactionSql): unknown => given(withWholeAnswers(inner));
}

/** A query whose answer is mended before anybody sees it; what is no query stays as it is. */
function mended(made: unknown): unknown {
  if (!(made instanceof Promise && "resolve" in made)) return made;
  const query = made as unknown as Settled;
  const resolve = query.resolve;
  query.resolve = (rows) => {
    if (isUnsaid(rows)) {
      const error = new Error("the connection was lost with the statement");
      query.reject(Object.assign(error, { code: "CONNECTION_CLOSED" }));
      return;
    }
    if (Array.isArray(rows)) {
      removeHoles(rows);
      // Several statements in one text have several answers.
      for (const answer of rows) if (Array.isArray(answer)) removeHoles(answer);
    }
    resolve(rows);
  };
  return made;
}

/** An answer that the server did not complete names no command. */
function isUnsaid(answer: unknown): boolean {
  return Array.isArray(answer) && "command" in answer && answer.command === null;
}

function removeHoles(rows: unknown[]): void {
  let holes = 0;
  while (holes < rows.length && !(holes in rows)) holes++;
  if (holes > 0) rows.splice(0, holes);
}
