// Sends raw bytes that no regular client would send, and collects the answer until the connection ends.

import { connect } from "node:net";

export interface RawAnswer {
  readonly text: string;
  /** Whether the server ended the connection. */
  readonly isClosed: boolean;
}

/** Whether the text is a whole answer of HTTP with a body of a given length. */
export function isWholeAnswer(text: string): boolean {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  if (length === undefined || rest.length === 0) return false;
  return rest.join("\r\n\r\n").length >= Number(length);
}

/** Longest time in ms until the answer is complete: longer than the server's deadline for a body. */
const waitMsMax = 120_000;

/** Sends `bytes`; resolves when the connection ends or `isEnough` accepts the received data. Fails after two minutes. */
export function sendRaw(
  port: number,
  bytes: string | Buffer,
  isEnough: (text: string) => boolean = () => false,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const timer = setTimeout(() => {
      reject(new Error(`no whole answer in time, but "${text.slice(0, 500)}"`));
      socket.destroy();
    }, waitMsMax);
    const done = (isClosed: boolean) => {
      clearTimeout(timer);
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
