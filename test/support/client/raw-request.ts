// Bytes to a port as no client would send them, and what comes back until the connection ends.

import { connect } from "node:net";

export interface RawAnswer {
  readonly text: string;
  /** Whether the other side ended the connection. */
  readonly isClosed: boolean;
}

/** Sends `bytes`; resolves when the connection ends, or when `isEnough` of what has come. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  isEnough: (text: string) => boolean = () => false,
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const done = (isClosed: boolean) => {
      socket.destroy();
      resolve({ text, isClosed });
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (isEnough(text)) done(false);
    });
    socket.on("error", () => {});
    socket.on("close", () => done(true));
    socket.write(bytes);
  });
}
