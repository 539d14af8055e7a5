// Writes all files that are generated from the tables of records and of SBE templates. The Makefile runs it when the
// tables or the generator change.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { commands, events } from "../records/tables.ts";
import { spotSchema, streamSchema } from "../sbe/schemas.ts";
import { commandCodec } from "./command-codec.ts";
import { controlText } from "./control-messages.ts";
import { eventBodies } from "./event-bodies.ts";
import { eventCodec, eventLayouts } from "./event-codec.ts";
import { eventSchema, eventSchemaModule } from "./event-schema.ts";
import { messageCodec } from "./message-codec.ts";
import { commandTypes, eventTypes, messageTypes } from "./record-types.ts";
import { sbeCodec } from "./sbe-codec.ts";

const files: Readonly<Record<string, string>> = {
  "src/wire/generated/event-codec.ts": eventCodec(events),
  "src/wire/generated/event-layout.ts": eventLayouts(events),
  "src/engine/epochs/generated/event-body.ts": eventBodies(events),
  "schemas/journal/generated/event.fbs": eventSchema(events),
  "src/wire/generated/event-schema.ts": eventSchemaModule(events),
  "src/core/generated/commands.ts": commandTypes(commands),
  "src/wire/generated/command-codec.ts": commandCodec(commands),
  "src/core/generated/messages.ts": messageTypes(),
  "src/wire/generated/message-codec.ts": messageCodec(),
  "src/wire/generated/control-messages.ts": controlText(),
  "src/adapters/gateway/sbe/generated/spot-codec.ts": sbeCodec(spotSchema),
  "src/adapters/gateway/sbe/generated/stream-codec.ts": sbeCodec(streamSchema),
  // Written last: make compares only this file's timestamp with the sources.
  "src/core/generated/events.ts": eventTypes(events),
};

for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
