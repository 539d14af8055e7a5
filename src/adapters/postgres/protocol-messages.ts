// Encodes the messages by which the journal's session commits a batch. Unlike the client's own methods, they request no
// description of results and create no further objects, because the journal's statements return nothing of use.
//
//   'P' │ length │ statement │ text │ no parameter types
//   'B' │ length │ portal "" │ statement │ formats │ parameters │ no result formats
//   'E' │ length │ portal "" │ all rows
//   'd' │ length │ COPY data        'c' │ length        'S' │ length

const parseTag = 0x50;
const bindTag = 0x42;
const executeTag = 0x45;
const copyDataTag = 0x64;
const copyDoneTag = 0x63;
const syncTag = 0x53;
const textFormat = 0;
const binaryFormat = 1;

const executeBytes = 10;
/** Number of bytes of a message without content: tag and length. */
const emptyBytes = 5;

/** Ends an exchange: the server commits, or continues after an error, and reports that it is ready. */
export const syncMessage = Buffer.of(syncTag, 0, 0, 0, 4);

/** A parameter: text, bytes in the type's binary form, or null. */
export type Parameter = string | Buffer | null;

/** Returns the message that prepares `text` as statement `name`; both must be ASCII. */
export function parseMessage(name: string, text: string): Buffer {
  const bytes = 4 + name.length + 1 + text.length + 1 + 2;
  const message = Buffer.alloc(1 + bytes);
  message[0] = parseTag;
  let at = message.writeInt32BE(bytes, 1);
  at += message.write(name, at, "latin1") + 1;
  message.write(text, at, "latin1");
  return message;
}

/**
 * Returns the messages that execute statement `name` (ASCII) with `parameters` in order; text parameters must be ASCII.
 */
export function executeMessage(name: string, parameters: readonly Parameter[]): Buffer {
  const bindBytes = 4 + 1 + name.length + 1 + 2 + 2 + 2 + parametersBytes(parameters);
  const message = Buffer.allocUnsafe(1 + bindBytes + executeBytes);
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
  message.writeInt32BE(0, at);
  return message;
}

/** Returns the messages that execute the prepared COPY … FROM STDIN `name` with all of its data. */
export function copyMessages(name: string, data: Buffer): Buffer[] {
  const head = Buffer.allocUnsafe(emptyBytes);
  head[0] = copyDataTag;
  head.writeInt32BE(4 + data.length, 1);
  return [executeMessage(name, []), head, data, Buffer.of(copyDoneTag, 0, 0, 0, 4)];
}

/** Returns the number of bytes of all parameters with their formats and lengths. */
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
