// Reads the frame of COPY … (format binary): a header before the first row, then rows, then an end marker.
//
//   header: 11 bytes signature │ int32 flags │ int32 extension length
//   row:    int16 number of fields │ each field: int32 length, its bytes
//   end:    int16 −1

const headerBytes = 19;
const endBytes = 2;
const firstOfSignature = 0x50;

/** Returns the offset of the row in a message of COPY data; −1 for the end marker. */
export function rowStart(message: Buffer): number {
  const start = message.length >= headerBytes && message[0] === firstOfSignature ? headerBytes : 0;
  return message.length - start > endBytes ? start : -1;
}

/**
 * Returns the bytes of the first field of the row in a message; null for the end marker. The bytes share the message's
 * memory.
 */
export function firstField(message: Buffer): Buffer | null {
  const start = rowStart(message);
  if (start < 0) return null;
  const length = message.readInt32BE(start + 2);
  return message.subarray(start + 6, start + 6 + length);
}
