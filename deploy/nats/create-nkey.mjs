// Makes an NKey, by which NATS knows a role: prints the public key, which nats.conf gets, and the seed, which is the
// secret of the role's clients, each behind a label.
//
//   public key   'U' ‖ 32 bytes ‖ CRC-16, in base32: U…
//   seed         'S' and 'U' in two bytes ‖ 32 bytes ‖ CRC-16, in base32: SU…

import { generateKeyPairSync } from "node:crypto";

const seedPrefix = 18 << 3;
const userPrefix = 20 << 3;
const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

const { x, d } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" });
// The seed's prefix takes five bits; the user's prefix follows in the next eight.
const prefixes = [seedPrefix | (userPrefix >> 5), (userPrefix & 31) << 3];
process.stdout.write(`public key: ${checked([userPrefix], x)}\nseed: ${checked(prefixes, d)}\n`);

function checked(prefix, key) {
  const raw = Buffer.concat([Buffer.from(prefix), Buffer.from(key, "base64url")]);
  const checksum = Buffer.alloc(2);
  checksum.writeUInt16LE(crc16(raw));
  return base32(Buffer.concat([raw, checksum]));
}

/** CRC-16 of XMODEM: polynomial 0x1021, initial value 0. */
function crc16(bytes) {
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

function base32(bytes) {
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
