// The row of controls above the chart: interval, studies with their lengths, drawing tools and full screen.

import { useSignal } from "@preact/signals";
import type { VNode } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { periods } from "../../../markets/candle.ts";
import { drawingKinds } from "../../../markets/drawings.ts";
import {
  isLength,
  lengthMax,
  type StudyId,
  studyIds,
  studyKinds,
} from "../../../markets/studies.ts";
import { moveFocus } from "../../form/arrow-keys.ts";
import { usePassedFocus } from "../../form/focus.ts";
import { Popover } from "../../form/popover.tsx";
import {
  areFillsMarked,
  clearDrawings,
  deleteSelected,
  drawings,
  isFull,
  isRestorable,
  lengthsOfStudy,
  period,
  restoreDrawings,
  selected,
  setLength,
  studies,
  takeTool,
  tool,
  turnStudy,
} from "./chart-settings.ts";

const iconPaths = {
  trend:
    "M2 14 14 3M2 14l0 0M1 14a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0M12.4 2.6a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0",
  horizontal: "M1 8h14M6.6 8a1.4 1.4 0 1 0 2.8 0 1.4 1.4 0 1 0-2.8 0",
  undo: "M5.5 2.5 2.5 5.5l3 3M2.5 5.5h7a4 4 0 0 1 0 8H5",
  remove: "M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.7 9h6.6l.7-9M6.7 7v4M9.3 7v4",
  full: "M2 6V2h4M10 2h4v4M14 10v4h-4M6 14H2v-4",
  small: "M6 2v4H2M14 6h-4V2M10 14v-4h4M2 10h4v4",
} as const;

function Icon({ name }: { name: keyof typeof iconPaths }): VNode {
  return (
    <svg class="icon" viewBox="0 0 16 16" aria-hidden="true">
      <path d={iconPaths[name]} />
    </svg>
  );
}

function PeriodChoice(): VNode {
  return (
    <fieldset class="periods" aria-label="Candle interval" onKeyDown={moveFocus}>
      {periods.map((name) => (
        <button
          key={name}
          type="button"
          tabIndex={period.value === name ? 0 : -1}
          aria-pressed={period.value === name}
          onClick={() => {
            period.value = name;
          }}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

function LengthField({ id, index }: { id: StudyId; index: number }): VNode {
  const [label = ""] = studyKinds[id].lengths[index] ?? [];
  const known = lengthsOfStudy(id)[index];
  return (
    <input
      type="number"
      min={2}
      max={lengthMax}
      aria-label={`${label} of ${studyKinds[id].name}`}
      value={known}
      onChange={({ currentTarget }) => {
        const length = Number(currentTarget.value);
        if (isLength(length)) setLength(id, index, length);
        else currentTarget.value = String(known);
      }}
    />
  );
}

function StudyMenu(): VNode {
  const isOpen = useSignal(false);
  const count = Object.keys(studies.value).length;
  return (
    <Popover isOpen={isOpen} label="Indicators" text={count === 0 ? "" : String(count)}>
      <ul class="studies">
        {studyIds.map((id) => (
          <li key={id}>
            <label class="check">
              <input
                type="checkbox"
                checked={studies.value[id] !== undefined}
                onChange={() => turnStudy(id)}
              />
              {studyKinds[id].name}
            </label>
            {studyKinds[id].lengths.map(([name], index) => (
              <LengthField key={name} id={id} index={index} />
            ))}
          </li>
        ))}
        <li>
          <label class="check">
            <input
              type="checkbox"
              checked={areFillsMarked.value}
              onChange={({ currentTarget }) => {
                areFillsMarked.value = currentTarget.checked;
              }}
            />
            Own trades
          </label>
        </li>
      </ul>
    </Popover>
  );
}

const toolNames = { trend: "Draw a trend line", horizontal: "Draw a horizontal line" } as const;

/** Brings deleted lines back. It gets the focus of the bin, which the end of the last line disables. */
function UndoButton({ symbol, isAll }: { symbol: string; isAll: boolean }): VNode {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const own = button.current;
    if (own?.parentElement?.querySelector(":focus:disabled")) own.focus();
  }, [isAll]);
  usePassedFocus(button, ({ parentElement: tools }) => tools?.querySelector("button") ?? null);
  const name = "Undo: bring the deleted lines back";
  return (
    <button
      type="button"
      ref={button}
      aria-label={name}
      title={`${name} (Ctrl+Z)`}
      onClick={() => restoreDrawings(symbol)}
    >
      <Icon name="undo" />
    </button>
  );
}

function DrawingTools({ symbol }: { symbol: string }): VNode {
  const hasLines = (drawings.value[symbol] ?? []).length > 0;
  const remove = selected.value === null ? clearDrawings : deleteSelected;
  const removeName = selected.value === null ? "Delete all lines" : "Delete the selected line";
  return (
    <fieldset class="tools" aria-label="Drawing">
      {drawingKinds.map((kind) => (
        <button
          key={kind}
          type="button"
          aria-label={toolNames[kind]}
          title={toolNames[kind]}
          aria-pressed={tool.value === kind}
          onClick={() => takeTool(kind)}
        >
          <Icon name={kind} />
        </button>
      ))}
      {isRestorable(symbol) && <UndoButton symbol={symbol} isAll={!hasLines} />}
      <button
        type="button"
        aria-label={removeName}
        title={removeName}
        disabled={!hasLines}
        onClick={() => remove(symbol)}
      >
        <Icon name="remove" />
      </button>
    </fieldset>
  );
}

function FullScreenButton(): VNode {
  const name = isFull.value ? "Leave full screen" : "Full screen";
  return (
    <button
      type="button"
      aria-label={name}
      title={name}
      onClick={() => {
        isFull.value = !isFull.value;
      }}
    >
      <Icon name={isFull.value ? "small" : "full"} />
    </button>
  );
}

export function ChartToolbar({ symbol }: { symbol: string }): VNode {
  return (
    <div class="chart-toolbar">
      <PeriodChoice />
      <StudyMenu />
      <DrawingTools symbol={symbol} />
      <FullScreenButton />
    </div>
  );
}
