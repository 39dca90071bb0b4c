// Keyboard, mouse, fingers and gamepads: passes on what the player does.

import { pixelAt } from "./display.js";
import { guarded, machine, now, put } from "./machine.js";

const PHASE = { pointerdown: 0, pointermove: 1, pointerup: 2, pointercancel: 2 };
/** A pixel that is far from everything. */
const FAR_AWAY = -9999;
/** Keys that the browser needs more than the game does. */
const BROWSER_KEYS = /^(F5|F11|F12)$/;

/** Does what the client asks for in answer to an event. */
let respond = () => {};
/** The canvas's surroundings, and the field that has the focus while a phone's keyboard is shown. */
let [stage, field] = [];

export function listen(elements, onEvent) {
  [stage, field, respond] = [elements.stage, elements.field, onEvent];
  for (const type of ["keydown", "keyup"]) addEventListener(type, onKey);
  for (const type of Object.keys(PHASE)) stage.addEventListener(type, onPointer);
  for (const type of ["contextmenu", "touchstart", "gesturestart", "dblclick"]) {
    stage.addEventListener(type, (event) => event.preventDefault(), { passive: false });
  }
  field.addEventListener("input", onText);
  addEventListener("blur", onBlur);
  labelKeys();
}

/** Tells the client what is printed on the keys, where a browser knows it: the key left of X is not a Z on every keyboard. */
async function labelKeys() {
  try {
    const layout = await navigator.keyboard.getLayoutMap();
    const lines = [...layout].map(([code, typed]) => `${code}\t${typed}`);
    guarded(() => machine.key_labels(put(lines.join("\n"))))();
  } catch {
    // Then keys are called by their codes.
  }
}

const onKey = guarded((event) => {
  if (event.ctrlKey || event.metaKey || (event.altKey && !event.code.startsWith("Alt"))) return;
  if (event.target instanceof HTMLButtonElement || BROWSER_KEYS.test(event.code)) return;
  // A phone's keyboard sends no codes: `onText` handles it.
  if (event.target === field && event.key !== "Enter" && event.key !== "Escape") return;
  const down = event.type === "keydown";
  const taken = machine.key(now(), put(event.code || event.key), down);
  if (down && [...event.key].length === 1) machine.text(now(), event.key.codePointAt(0));
  if (taken) event.preventDefault();
  respond();
});

const onPointer = guarded((event) => {
  let [x, y] = pixelAt(event);
  event.preventDefault();
  // A finger that the system takes away, for a gesture of its own, chooses nothing.
  if (event.type === "pointercancel") [x, y] = [FAR_AWAY, FAR_AWAY];
  if (event.pointerType !== "mouse") machine.touch(now(), event.pointerId, PHASE[event.type], x, y);
  else if (event.type === "pointerdown" && event.button === 0) machine.click(now(), x, y);
  respond();
  if (event.type === "pointerup") offerKeyboard();
});

/** The field is never empty, so that there is always something to delete. */
const FILLING = ".".repeat(64);
let textBefore = FILLING;

/** Shows a phone's keyboard while the player types. Browsers allow that only in answer to a touch. */
function offerKeyboard() {
  if (!machine.is_writing()) return field.blur();
  field.value = textBefore = FILLING;
  return field.focus();
}

/** Passes on what has changed in the field: a phone may replace whole words. */
const onText = guarded((event) => {
  const { value } = event.target;
  let same = 0;
  while (same < value.length && value[same] === textBefore[same]) same += 1;
  for (let left = textBefore.length - same; left > 0; left -= 1) {
    for (const down of [true, false]) machine.key(now(), put("Backspace"), down);
  }
  for (const character of value.slice(same)) machine.text(now(), character.codePointAt(0));
  textBefore = value;
  respond();
});

let hadPads = false;

/** Merges all gamepads into one. */
export function readPads() {
  const pads = navigator.getGamepads?.().filter((pad) => pad?.connected) ?? [];
  if (pads.length === 0 && !hadPads) return;
  hadPads = pads.length > 0;
  let [x, y, buttons] = [0, 0, 0];
  for (const pad of pads) {
    if (Math.abs(pad.axes[0]) > Math.abs(x)) x = pad.axes[0];
    if (Math.abs(pad.axes[1]) > Math.abs(y)) y = pad.axes[1];
    pad.buttons.slice(0, 32).forEach((button, number) => { if (button.pressed) buttons |= 1 << number; });
  }
  machine.pad(now(), x, y, buttons >>> 0);
}

export const onBlur = guarded(() => machine.blur(now()));
