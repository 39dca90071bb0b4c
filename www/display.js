// Shows the client's picture on the canvas.

import { guarded, machine, now } from "./machine.js";

export const WIDTH = 480;
export const HEIGHT = 270;

let canvas;
/** The client's picture, pixel by pixel. The canvas shows it enlarged by `enlarged`, a whole number. */
const picture = new OffscreenCanvas(WIDTH, HEIGHT).getContext("2d", { alpha: false });
let enlarged = 1;

export function prepare(element) {
  canvas = element.getContext("2d", { alpha: false });
  fit();
  addEventListener("resize", fit);
  window.visualViewport?.addEventListener("resize", fit);
}

export const draw = guarded(() => {
  const at = machine.draw(now());
  const pixels = new Uint8ClampedArray(machine.memory.buffer, at, 4 * WIDTH * HEIGHT);
  const image = new ImageData(pixels, WIDTH, HEIGHT);
  if (enlarged === 1) return canvas.putImageData(image, 0, 0);
  picture.putImageData(image, 0, 0);
  return canvas.drawImage(picture.canvas, 0, 0, WIDTH * enlarged, HEIGHT * enlarged);
});

/** The pixel of the picture under a pointer. It may lie outside the picture. */
export function pixelAt(event) {
  const box = canvas.canvas.getBoundingClientRect();
  return [
    Math.floor(((event.clientX - box.left) * WIDTH) / box.width),
    Math.floor(((event.clientY - box.top) * HEIGHT) / box.height),
  ];
}

const isUpright = (width, height) => height > width && matchMedia("(pointer: coarse)").matches;

/** Whether letters have to be large to be read: on a phone that is held upright. */
export const isSmall = () => isUpright(innerWidth, innerHeight);

/**
 * Scales the picture as the player wants and centres it. On a phone that is held upright it has the full width and is
 * further up, because the thumbs are below it.
 */
export function fit() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.floor(innerWidth * ratio), Math.floor(visibleHeight() * ratio)];
  const upright = isUpright(width, height);
  machine?.small_screen(isSmall());
  const scale = upright || !machine ? Math.min(width / WIDTH, height / HEIGHT) : machine.scale(width, height);
  sharpen(scale);
  const share = upright ? 1 / 4 : 1 / 2;
  const style = canvas.canvas.style;
  const top = Math.floor((height - HEIGHT * scale) * share) / ratio;
  style.width = `${(WIDTH * scale) / ratio}px`;
  style.height = `${(HEIGHT * scale) / ratio}px`;
  style.left = `${Math.floor((width - WIDTH * scale) / 2) / ratio}px`;
  style.top = `${top}px`;
  document.documentElement.style.setProperty("--picture-end", `${top + (HEIGHT * scale) / ratio}px`);
}

/**
 * Where the scale is not a whole number, the picture is enlarged to the next one, and the browser makes that smaller: only
 * pixels on a boundary are mixed.
 */
function sharpen(scale) {
  const isWhole = Number.isInteger(scale);
  const next = isWhole || scale < 1 ? 1 : Math.ceil(scale);
  canvas.canvas.style.imageRendering = isWhole ? "pixelated" : "auto";
  if (next === enlarged) return;
  enlarged = next;
  [canvas.canvas.width, canvas.canvas.height] = [WIDTH * next, HEIGHT * next];
  canvas.imageSmoothingEnabled = false;
}

/** The height that a phone's keyboard leaves visible, at any zoom. */
function visibleHeight() {
  const visible = window.visualViewport;
  return visible ? Math.min(innerHeight, Math.round(visible.height * visible.scale)) : innerHeight;
}

export function toggleFullScreen() {
  const root = document.documentElement;
  if (document.fullscreenElement) return document.exitFullscreen().catch(() => {});
  // Where the browser does not allow it, or the phone cannot turn, the game goes on as it is.
  return root.requestFullscreen?.({ navigationUI: "hide" }).then(() => screen.orientation.lock("landscape")).catch(() => {});
}
