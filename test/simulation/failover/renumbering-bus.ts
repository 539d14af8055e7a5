// A deliberate fault: a gateway behind this bus sends a command again under a new number.

import { emptyOrderClaim } from "../../../src/core/generated/messages.ts";
import { type Bus, busSubjects } from "../../../src/ports/bus.ts";
import { BusMessageReader, BusMessageWriter } from "../../../src/wire/bus-message.ts";
import {
  commandBytes,
  decodeCommand,
  encodeCommand,
} from "../../../src/wire/generated/command-codec.ts";
import {
  decodeOrderClaim,
  encodeOrderClaim,
  orderClaimBytes,
} from "../../../src/wire/generated/message-codec.ts";

/** Wraps `bus`, which keeps everything but the numbers of commands. */
export function renumbering(bus: Bus, venue: string): Bus {
  const numbers = [0, 0];
  const commands = busSubjects(venue).commands(0).slice(0, -1);
  const renumbered = (message: Uint8Array): Uint8Array => {
    const [reader, writer] = [new BusMessageReader(), new BusMessageWriter()];
    const claim = emptyOrderClaim();
    reader.open(message);
    const { protocol: _protocol, count: _count, ...header } = reader.header;
    for (let at = reader.next(); at >= 0; at = reader.next()) {
      decodeOrderClaim(reader.views, at, orderClaimBytes, claim);
      const command = decodeCommand(
        reader.views,
        at + orderClaimBytes,
        reader.length - orderClaimBytes,
      );
      const { identity = null } = command;
      if (identity !== null) {
        const number = (numbers[identity.lane] ?? 0) + 1;
        numbers[identity.lane] = number;
        command.identity = { ...identity, number, confirmedUpTo: 0 };
      }
      const to = writer.claim(orderClaimBytes + commandBytes(command));
      encodeOrderClaim(writer.views, to, claim);
      encodeCommand(writer.views, to + orderClaimBytes, command);
    }
    return writer.take(header);
  };
  return new Proxy(bus, {
    get: (target, name) => {
      if (name === "publish")
        return (subject: string, bytes: Uint8Array) =>
          target.publish(subject, subject.startsWith(commands) ? renumbered(bytes) : bytes);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
