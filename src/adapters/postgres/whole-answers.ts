// Mends a defect of the SQL client (postgres 3.4.9): a connection that is lost behind some rows of an
// answer keeps their number, and the first answer after it has connected again begins with as many
// holes. `const [row] = …` then reads nothing where there is a row, so that what exists seems not to:
// an order a client was told of, a batch that was written. The rows themselves are whole, so the
// holes are taken away. Every client is opened through here.

import type postgres from "postgres";

type Ask = (...given: unknown[]) => unknown;

/** How the client's queries settle; its types do not name it. */
interface Settled {
  resolve(rows: unknown): void;
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
    if (Array.isArray(rows)) {
      removeHoles(rows);
      // Several statements in one text have several answers.
      for (const answer of rows) if (Array.isArray(answer)) removeHoles(answer);
    }
    resolve(rows);
  };
  return made;
}

function removeHoles(rows: unknown[]): void {
  let holes = 0;
  while (holes < rows.length && !(holes in rows)) holes++;
  if (holes > 0) rows.splice(0, holes);
}
