// Texts at the axes of the chart.

import { TickMarkType, type Time } from "lightweight-charts";
import { dayOfYear, minuteOfDay, monthOfYear } from "../../../moment.ts";

/** The library's time in milliseconds. */
export function msOf(time: Time): number {
  return Number(time) * 1000;
}

/** Prices at the scale, with the separators of the rest of the page. */
export function priceText(places: number): (price: number) => string {
  const digits = { minimumFractionDigits: places, maximumFractionDigits: places };
  const format = new Intl.NumberFormat("en-US", digits);
  return (price) => format.format(price);
}

/** Text at the time axis. The library's days begin at midnight UTC, and those of the reader perhaps not. */
export function tickText(time: Time, type: TickMarkType): string {
  const ms = msOf(time);
  if (type === TickMarkType.Year || type === TickMarkType.Month) return monthOfYear(ms);
  const minute = minuteOfDay(ms);
  const isDay = minute === "00:00" || (type === TickMarkType.DayOfMonth && ms % 86_400_000 !== 0);
  return isDay ? dayOfYear(ms) : minute;
}
