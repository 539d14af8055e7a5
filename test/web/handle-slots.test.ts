// Proves where handles of lines on the chart stand when their prices are near each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { handleSlots, handleWidth } from "../../web/src/views/trade/chart/handle-slots.ts";

const free = { width: 100, isHeld: false };
const room = { width: 700, legend: { width: 300, height: 20 } };

test("WEB-71 handles of near prices stand side by side, each at the height of its line", () => {
  const handles = [200, 205, 215, 300].map((height) => ({ height, ...free }));
  const { slots, crowds } = handleSlots(handles, room);
  assert.deepEqual(slots, [
    { height: 200, right: 0 },
    { height: 205, right: 104 },
    { height: 215, right: 208 },
    { height: 300, right: 0 },
  ]);
  assert.deepEqual(crowds, []);
});

test("WEB-71 handles without room are counted, and take no more than a part of the chart", () => {
  const handles = Array.from({ length: 20 }, (_, index) => ({ height: 200 + index, ...free }));
  const { slots, crowds } = handleSlots(handles, room);
  assert.equal(slots.filter((place) => place !== null).length, 4);
  const members = Array.from({ length: 16 }, (_, index) => index + 4);
  assert.deepEqual(crowds, [{ height: 204, right: 416, members }]);
  const held = handleSlots(
    handles.map((handle, index) => ({ ...handle, isHeld: index === 10 })),
    room,
  );
  assert.notEqual(held.slots[10], null);
  const small = handleSlots(handles.slice(0, 2), { ...room, width: 120 });
  assert.deepEqual(small.slots, [{ height: 200, right: 0 }, null]);
});

test("WEB-71 a handle stands under the legend only if it would lie over it", () => {
  const [wide, narrow] = [700, 350].map(
    (width) => handleSlots([{ height: 5, ...free }], { ...room, width }).slots[0],
  );
  assert.equal(wide?.height, 5);
  assert.equal(narrow?.height, 30.5);
  assert.ok(
    handleWidth("Buy 1,000.0", { isMoved: true, isEnded: false }) >
      handleWidth("Buy 1,000.0", { isMoved: false, isEnded: false }),
  );
});
