// Adds the calls of replayed markets to the control socket of a venue that can be rewound.

import type { ControlHandler } from "../../adapters/runtime/control-socket.ts";
import {
  closeRequest,
  crowdRequest,
  openRequest,
  playRequest,
} from "../../tools/replay/history-calls.ts";
import type { HistoryPlayer } from "./history-player.ts";

/** Returns a handler of the calls `history/…`; all others go to `calls`. Spec REW-51. */
export function withHistoryCalls(player: HistoryPlayer, calls: ControlHandler): ControlHandler {
  return async (call, parameters) => {
    if (call === "history/open") return player.open(openRequest.parse(parameters));
    if (call === "history/crowd") return player.crowd(crowdRequest.parse(parameters));
    if (call === "history/play") return player.play(playRequest.parse(parameters));
    if (call === "history/close") return player.close(closeRequest.parse(parameters));
    return calls(call, parameters);
  };
}
