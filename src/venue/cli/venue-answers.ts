// What a venue answers to a GET, asked by Node's plain HTTP client: `fetch` is another one, which takes a process as long to
// load as all of a small program.

import { text } from "node:stream/consumers";

/** Returns the body of an answer with status 200; null for any other answer, or none. */
export async function getBody(url: string): Promise<string | null> {
  const { get } = await (url.startsWith("https:") ? import("node:https") : import("node:http"));
  return new Promise((resolve) => {
    const request = get(url, (answer) => {
      const body = text(answer).catch(() => null);
      resolve(body.then((whole) => (answer.statusCode === 200 ? whole : null)));
    });
    request.on("error", () => resolve(null));
  });
}

/** Whether a venue that was started with --rewind answers at the address. */
export async function canBeRewound(address: string): Promise<boolean> {
  const body = await getBody(`${address}/v1/version`);
  try {
    const version = JSON.parse(body ?? "null") as { readonly rewind?: boolean } | null;
    return version?.rewind === true;
  } catch {
    return false;
  }
}
