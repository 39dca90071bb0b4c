// Plays cues, the hum and music. `sound_worker.js` renders them, so that the picture never waits.

import { compiled, machine } from "./machine.js";

/** How quickly volumes change: too fast to be noticed, slow enough not to crackle. */
const SMOOTH_S = 0.02;
/** The cue that is repeated while the beam charges. */
const HUM = "cue 2";

/** Created at the first key or touch: until then, browsers keep pages silent. Holds the context, gains and buffers. */
let sound;

export function pause() {
  sound?.context.suspend();
}

export function resume() {
  sound?.context.resume();
}

/** Starts the sound if the browser allows it by now. */
export function wake() {
  if (sound) return sound.context.state === "suspended" && !document.hidden ? void sound.context.resume() : undefined;
  // A finger that comes down may still scroll: only when it is lifted does the browser count it as an interaction.
  if (!("AudioContext" in window) || navigator.userActivation?.hasBeenActive === false) return undefined;
  const context = new AudioContext({ latencyHint: "interactive" });
  const gain = (to, level) => {
    const node = new GainNode(context, { gain: level });
    node.connect(to);
    return node;
  };
  const [effects, music] = [gain(context.destination, 1), gain(context.destination, 1)];
  sound = { context, effects, music, hum: gain(effects, 0), buffers: new Map(), requested: new Set(), song: "", playing: undefined };
  sound.worker = new Worker(new URL("./sound_worker.js", import.meta.url), { type: "module" });
  sound.worker.onmessage = ({ data }) => onRendered(data);
  sound.worker.postMessage({ compiled });
  return undefined;
}

/** The worker has rendered a cue or a song: `cue 3`, `song 0`. */
function onRendered({ name, samples, rate }) {
  const buffer = new AudioBuffer({ length: samples.length, sampleRate: rate });
  buffer.copyToChannel(samples, 0);
  sound.buffers.set(name, buffer);
  if (name === HUM) play(name, sound.hum, true);
}

/** Plays what the client wants heard since the last call. */
export function playPending() {
  const cues = [];
  for (let cue; (cue = machine.cue()) >= 0; ) cues.push(cue);
  if (sound?.context.state !== "running") return;
  const { context } = sound;
  sound.effects.gain.setTargetAtTime(machine.volume(0) / 100, context.currentTime, SMOOTH_S);
  sound.music.gain.setTargetAtTime(machine.volume(1) / 100, context.currentTime, SMOOTH_S);
  sound.hum.gain.setTargetAtTime(machine.hum() / 255, context.currentTime, SMOOTH_S);
  for (const cue of cues) play(`cue ${cue}`, sound.effects, false);
  changeSong(machine.song());
}

function play(name, to, loop) {
  const buffer = sound.buffers.get(name);
  if (!buffer) return undefined;
  const source = new AudioBufferSourceNode(sound.context, { buffer, loop });
  source.connect(to);
  source.start();
  return source;
}

/** Changes to the song of that number as soon as it is rendered; -1 is none. */
function changeSong(number) {
  const name = number < 0 ? "" : `song ${number}`;
  if (name === sound.song) return;
  if (name && !sound.requested.has(name)) {
    sound.requested.add(name);
    sound.worker.postMessage({ song: number });
  }
  if (name && !sound.buffers.has(name)) return;
  sound.playing?.stop();
  sound.playing = name ? play(name, sound.music, true) : undefined;
  sound.song = name;
}
