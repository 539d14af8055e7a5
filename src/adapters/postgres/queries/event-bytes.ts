// Numbers as they are in the bodies of events, by which indexes over the journal find them.

/** Returns the eight bytes of an order's id: in hex, lowest byte first. */
export function idBytes(orderId: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(orderId));
  return bytes.toString("hex");
}

/** Returns the four bytes of an account's number: in hex, lowest byte first. */
export function accountBytes(account: number): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(account);
  return bytes.toString("hex");
}
