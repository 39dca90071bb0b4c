// Shows the client's picture on the canvas.

import { guarded, machine, now } from "./machine.js";

export const WIDTH = 480;
export const HEIGHT = 270;

let canvas;

export function prepare(element) {
  canvas = element.getContext("2d", { alpha: false });
  fit();
  addEventListener("resize", fit);
  window.visualViewport?.addEventListener("resize", fit);
}

export const draw = guarded(() => {
  const at = machine.draw(now());
  const pixels = new Uint8ClampedArray(machine.memory.buffer, at, 4 * WIDTH * HEIGHT);
  canvas.putImageData(new ImageData(pixels, WIDTH, HEIGHT), 0, 0);
});

/** The pixel of the picture under a pointer. It may lie outside the picture. */
export function pixelAt(event) {
  const box = canvas.canvas.getBoundingClientRect();
  return [
    Math.floor(((event.clientX - box.left) * WIDTH) / box.width),
    Math.floor(((event.clientY - box.top) * HEIGHT) / box.height),
  ];
}

/**
 * Scales the picture by a whole number of the screen's pixels and centres it. On a phone that is held upright it is
 * further up, because the thumbs are below it.
 */
function fit() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.floor(innerWidth * ratio), Math.floor(visibleHeight() * ratio)];
  const exact = Math.min(width / WIDTH, height / HEIGHT);
  const scale = exact < 1 ? exact : Math.floor(exact);
  const share = height > width && matchMedia("(pointer: coarse)").matches ? 1 / 4 : 1 / 2;
  const style = canvas.canvas.style;
  style.width = `${(WIDTH * scale) / ratio}px`;
  style.height = `${(HEIGHT * scale) / ratio}px`;
  style.left = `${Math.floor((width - WIDTH * scale) / 2) / ratio}px`;
  style.top = `${Math.floor((height - HEIGHT * scale) * share) / ratio}px`;
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
