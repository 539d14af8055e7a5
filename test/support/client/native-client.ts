// A client of the native surface, for tests: a wallet key, a login over a real socket, and JSON requests with the
// session token.

import { type KeyObject, sign } from "node:crypto";
import { newEd25519Key } from "../ed25519-key.ts";
import type { Json } from "./json.ts";

export interface NativeAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  readonly json: Json;
}

const triesMax = 5;

/** A wallet: an Ed25519 key and its public half in base64. */
export interface Wallet {
  readonly key: KeyObject;
  readonly publicKey: string;
}

export function newWallet(): Wallet {
  const { privateKey: key, publicKey } = newEd25519Key();
  return { key, publicKey };
}

export function signText(wallet: Wallet, text: string): string {
  return sign(null, Buffer.from(text), wallet.key).toString("base64");
}

export class NativeClient {
  readonly #base: string;
  /** Session token, sent with each request; empty for none. */
  token = "";
  /** Client address reported to the venue; empty to report the real one. */
  address = "";
  userId = "";
  partyId = "";

  constructor(base: string) {
    this.#base = base;
  }

  /**
   * Logs in with a wallet, by default a new one; throws if the login is refused. What a busy venue did not answer in time is
   * tried again.
   */
  async login(
    wallet: Wallet = newWallet(),
    hint?: string,
    referralCode?: string,
  ): Promise<NativeAnswer> {
    const request = {
      public_key: wallet.publicKey,
      ...(hint !== undefined && { party_hint: hint }),
    };
    const code = referralCode === undefined ? {} : { referral_code: referralCode };
    const verified = await this.#proved(wallet, request, code);
    this.token = verified.json.token;
    this.userId = verified.json.user_id;
    this.partyId = verified.json.party_id;
    return verified;
  }

  async #proved(wallet: Wallet, request: object, code: object): Promise<NativeAnswer> {
    for (let tries = 1; ; tries++) {
      let answer = await this.post("/v1/wallet/challenge", request);
      if (answer.status === 200) {
        const { nonce, message } = answer.json;
        const signature = signText(wallet, message);
        const proof = { public_key: wallet.publicKey, nonce, signature, ...code };
        answer = await this.post("/v1/wallet/verify", proof);
        if (answer.status === 200) return answer;
      }
      if (tries === triesMax || ![408, 503].includes(answer.status))
        throw new Error(`the login was refused: ${answer.status} ${answer.text}`);
    }
  }

  get(path: string): Promise<NativeAnswer> {
    return this.send("GET", path);
  }

  post(path: string, body: object = {}): Promise<NativeAnswer> {
    return this.send("POST", path, JSON.stringify(body));
  }

  delete(path: string): Promise<NativeAnswer> {
    return this.send("DELETE", path);
  }

  /** Sends a request with exactly this body. */
  async send(method: string, path: string, body?: string): Promise<NativeAnswer> {
    // Open a new connection for each request, so that the kernel may choose any front.
    const headers: Record<string, string> = { connection: "close" };
    if (this.token !== "") headers["authorization"] = `Bearer ${this.token}`;
    if (this.address !== "") headers["x-forwarded-for"] = this.address;
    if (body !== undefined) headers["content-type"] = "application/json";
    const answer = await fetch(this.#base + path, {
      method,
      headers,
      ...(body !== undefined && { body }),
    });
    const text = await answer.text();
    const type = answer.headers.get("content-type") ?? "";
    const json = type.startsWith("application/json") ? JSON.parse(text) : null;
    return { status: answer.status, type, text, json };
  }
}
