// Calls of a control socket: JSON over HTTP on a Unix socket. Test beds and venues speak it alike.

import { request } from "node:http";

/** What a test asked for cannot be done; the message says what to do. */
export class RialtoTestError extends Error {
  name = "RialtoTestError";
}

/** Nobody listens at the socket. */
export class NotAnswered extends RialtoTestError {
  name = "NotAnswered";
}

const goneCodes = new Set(["ENOENT", "ECONNREFUSED", "ECONNRESET", "EPIPE"]);
const waitMsMax = 600_000;

/**
 * Makes the call `name` at the socket `path` and returns its result. Throws a NotAnswered if nobody listens, and a
 * RialtoTestError if the call is refused or takes more than ten minutes.
 */
export function controlCall(path, name, parameters = {}) {
  return new Promise((resolve, reject) => {
    const options = { socketPath: path, path: `/${name}`, method: "POST", timeout: waitMsMax };
    const outgoing = request(options, (incoming) => {
      let text = "";
      incoming.setEncoding("utf8");
      incoming.on("data", (part) => {
        text += part;
      });
      incoming.on("error", (error) => reject(faultOf(error, path)));
      incoming.on("end", () => {
        try {
          const { isOk, result, error } = JSON.parse(text);
          if (isOk) resolve(result);
          else reject(new RialtoTestError(`${name}: ${error}`));
        } catch {
          reject(new RialtoTestError(`${name}: the answer is no JSON: ${text.slice(0, 200)}`));
        }
      });
    });
    outgoing.on("timeout", () => outgoing.destroy(new RialtoTestError(`${name}: no answer`)));
    outgoing.on("error", (error) => reject(faultOf(error, path)));
    outgoing.end(JSON.stringify(parameters));
  });
}

function faultOf(error, path) {
  if (!goneCodes.has(error.code)) return error;
  return new NotAnswered(`nothing answers at ${path}: the venue or test bed has ended`);
}
