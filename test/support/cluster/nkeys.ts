// NKeys, by which NATS knows its users: an Ed25519 key pair written in base32 with a type byte and a checksum. Nothing
// in Debian makes them, so this file does.
//
//   public key   'U' ‖ 32 bytes ‖ CRC-16, in base32: U…
//   seed         'S' and 'U' in two bytes ‖ 32 bytes ‖ CRC-16, in base32: SU…

import { generateKeyPairSync, type KeyObject } from "node:crypto";

export interface Nkey {
  readonly publicKey: string;
  /** The secret, as a client's seed file contains it. */
  readonly seed: string;
  readonly privateKey: KeyObject;
}

const seedPrefix = 18 << 3;
const userPrefix = 20 << 3;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** Makes the key pair of a new user. */
export function createUserNkey(): Nkey {
  const { privateKey } = generateKeyPairSync("ed25519");
  const { x, d } = privateKey.export({ format: "jwk" });
  const bytes = (text: string | undefined) => Buffer.from(text ?? "", "base64url");
  // The seed's prefix takes five bits; the user's prefix follows in the next eight.
  const prefixes = Buffer.from([seedPrefix | (userPrefix >> 5), (userPrefix & 31) << 3]);
  return {
    publicKey: checked(Buffer.concat([Buffer.from([userPrefix]), bytes(x)])),
    privateKey,
    seed: checked(Buffer.concat([prefixes, bytes(d)])),
  };
}

function checked(raw: Buffer): string {
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(raw));
  return base32(Buffer.concat([raw, checksum]));
}

/** CRC-16 of XMODEM: polynomial 0x1021, initial value 0. */
function crc16(bytes: Buffer): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) {
      crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
      crc &= 0xffff;
    }
  }
  return crc;
}

function base32(bytes: Buffer): string {
  let text = "";
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(value >> bits) & 31];
    }
    value &= (1 << bits) - 1;
  }
  return bits === 0 ? text : text + alphabet[(value << (5 - bits)) & 31];
}
