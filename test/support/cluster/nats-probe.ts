// A NATS client of a few lines, to ask a server what a role may do. It speaks the text protocol over TLS and signs the
// server's nonce with the role's NKey; it is no client for anything else.

import { sign } from "node:crypto";
import { readFile } from "node:fs/promises";
import { connect as connectPlain, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Host } from "./host.ts";
import { type Nkey, privateKeyOf } from "./nkeys.ts";

/** The machine may be busy. */
const answerMsMax = 60_000;

/** Signs in at `server` as `role` and sends `lines`; returns what the server says until it answers a final ping. */
export async function probeNats(
  server: { readonly address: string; readonly port: number },
  { certificate }: Host,
  role: Nkey | null,
  lines: readonly string[],
): Promise<string> {
  const plain = connectPlain(server.port, server.address);
  const greeting = await read(plain, (text) => text.includes("\r\n"));
  const { nonce } = JSON.parse(greeting.slice("INFO ".length)) as { nonce: string };
  const ca = await readFile(certificate.caFile);
  const socket = connectTls({ socket: plain, ca, host: server.address });
  const signedIn = role === null ? {} : { nkey: role.publicKey, sig: signatureOf(role, nonce) };
  const hello = { verbose: false, pedantic: false, protocol: 1, lang: "probe", ...signedIn };
  socket.write(
    `CONNECT ${JSON.stringify(hello)}\r\n${lines.map((line) => `${line}\r\n`).join("")}PING\r\n`,
  );
  const said = await read(socket, (text) => text.includes("PONG\r\n"));
  socket.destroy();
  return said;
}

function signatureOf(role: Nkey, nonce: string): string {
  return sign(null, Buffer.from(nonce), privateKeyOf(role)).toString("base64url");
}

/** Reads until `isEnough` or the end of the connection. */
function read(socket: Socket, isEnough: (text: string) => boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    const timer = setTimeout(() => reject(new Error(`no answer in time: ${text}`)), answerMsMax);
    const end = () => {
      clearTimeout(timer);
      socket.off("data", take);
      resolve(text);
    };
    const take = (bytes: Buffer) => {
      text += bytes.toString("latin1");
      if (isEnough(text)) end();
    };
    socket.on("data", take);
    socket.on("error", end);
    socket.on("close", end);
  });
}
