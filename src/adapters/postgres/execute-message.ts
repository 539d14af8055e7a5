// The bytes that run a prepared statement once: bind, execute and sync in one buffer, so in one write.
// Without the description of the result that the client's own way asks for, and without the objects
// it makes for it: the journal's statement answers nothing that anybody reads.
//
//   'B' │ length │ portal "" │ statement │ formats │ parameters │ no result formats
//   'E' │ length │ portal "" │ all rows        'S' │ length

const bindTag = 0x42;
const executeTag = 0x45;
const syncTag = 0x53;
const textFormat = 0;
const binaryFormat = 1;

/** Bytes of execute and sync. */
const tailBytes = 10 + 5;

/** A parameter: text, bytes in the type's binary form, or null. */
export type Parameter = string | Buffer | null;

/** The message for statement `name` (ASCII) with `parameters` in their order; texts are ASCII. */
export function executeMessage(name: string, parameters: readonly Parameter[]): Buffer {
  const bindBytes = 4 + 1 + name.length + 1 + 2 + 2 + 2 + parametersBytes(parameters);
  const message = Buffer.allocUnsafe(1 + bindBytes + tailBytes);
  message[0] = bindTag;
  let at = message.writeInt32BE(bindBytes, 1);
  message[at++] = 0;
  at += message.write(name, at, "latin1");
  message[at++] = 0;
  at = message.writeInt16BE(parameters.length, at);
  for (const parameter of parameters) {
    at = message.writeInt16BE(typeof parameter === "string" ? textFormat : binaryFormat, at);
  }
  at = message.writeInt16BE(parameters.length, at);
  for (const parameter of parameters) at = writeParameter(message, at, parameter);
  at = message.writeInt16BE(0, at);
  message[at++] = executeTag;
  at = message.writeInt32BE(9, at);
  message[at++] = 0;
  at = message.writeInt32BE(0, at);
  message[at++] = syncTag;
  message.writeInt32BE(4, at);
  return message;
}

/** Formats, lengths and bytes. */
function parametersBytes(parameters: readonly Parameter[]): number {
  let bytes = 0;
  for (const parameter of parameters) bytes += 2 + 4 + (parameter?.length ?? 0);
  return bytes;
}

function writeParameter(message: Buffer, at: number, parameter: Parameter): number {
  if (parameter === null) return message.writeInt32BE(-1, at);
  const start = message.writeInt32BE(parameter.length, at);
  if (typeof parameter === "string") message.write(parameter, start, "latin1");
  else message.set(parameter, start);
  return start + parameter.length;
}
