// Plays cues, the hum and music, left and right. `sound_worker.js` makes the samples, so that the picture never waits. It
// needs no secure context: music comes in pieces of a second, each of which is scheduled where the one before ends.

import { compiled, machine } from "./machine.js";

/** How quickly volumes change: too fast to be noticed, slow enough not to crackle. */
const SMOOTH_S = 0.02;
/** How long a song takes to fade in and out. */
const FADE_S = 0.12;
/** How much of a song is ready ahead of what is heard: a page may be busy for that long. */
const AHEAD_S = 3;
const PIECE_S = 1;
/** The first piece is short: it is heard sooner. */
const FIRST_PIECE_S = 0.25;

/** Makes samples from the start of the page on, long before a browser allows them to be heard. */
let worker;
/** By the number of the cue. */
const cues = new Map();
/** Created at the first key or touch: until then, browsers keep pages silent. Holds the context, gains and the song. */
let sound;
/** How many songs were begun: pieces of one that was replaced may still come. */
let begun = 0;

/** Has the cues made. */
export function prepare() {
  if (!("AudioContext" in window)) return;
  worker = new Worker(new URL("./sound_worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => (data.cue === undefined ? onPiece(data) : onCue(data));
  worker.postMessage({ compiled });
}

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
  if (!worker || navigator.userActivation?.hasBeenActive === false) return undefined;
  // Pieces that are resampled one by one would not fit together: the whole is resampled instead.
  const context = new AudioContext({ latencyHint: "interactive", sampleRate: machine.sample_rate() });
  // Many cues at once are louder than a loudspeaker can be.
  const limiter = new DynamicsCompressorNode(context, { threshold: -2, knee: 2, ratio: 20, attack: 0.002, release: 0.15 });
  limiter.connect(context.destination);
  const [effects, music] = [gain(context, limiter, 1), gain(context, limiter, 1)];
  sound = { context, effects, music, hum: gain(context, effects, 0), humming: undefined, song: undefined };
  hum();
  return undefined;
}

function gain(context, to, level) {
  const node = new GainNode(context, { gain: level });
  node.connect(to);
  return node;
}

function onCue({ cue, samples, rate }) {
  const buffer = new AudioBuffer({ length: samples.length, sampleRate: rate });
  buffer.copyToChannel(samples, 0);
  cues.set(cue, buffer);
  if (cue === machine.hum_cue()) hum();
}

/** The hum sounds all the time; its gain decides whether it is heard. */
function hum() {
  const buffer = cues.get(machine.hum_cue());
  if (!sound || !buffer || sound.humming) return;
  sound.humming = new AudioBufferSourceNode(sound.context, { buffer, loop: true });
  sound.humming.connect(sound.hum);
  sound.humming.start();
}

/** Plays what the client wants heard since the last call. */
export function playPending() {
  const heard = [];
  for (let cue; (cue = machine.cue()) >= 0; ) heard.push(cue);
  if (sound?.context.state !== "running") return;
  const now = sound.context.currentTime;
  const level = machine.hum() / 255;
  sound.effects.gain.setTargetAtTime(machine.volume(0) / 100, now, SMOOTH_S);
  sound.music.gain.setTargetAtTime(machine.volume(1) / 100, now, SMOOTH_S);
  sound.hum.gain.setTargetAtTime(level, now, SMOOTH_S);
  sound.humming?.playbackRate.setTargetAtTime(1 + level, now, SMOOTH_S);
  for (const cue of heard) playCue(cue % 256, Math.floor(cue / 256) / 128 - 1);
  changeSong(machine.song());
  orderPiece();
}

function playCue(number, pan) {
  const buffer = cues.get(number);
  if (!buffer) return;
  const source = new AudioBufferSourceNode(sound.context, { buffer });
  // Between left and right with the same power everywhere.
  const panner = new StereoPannerNode(sound.context, { pan });
  source.connect(panner).connect(sound.effects);
  source.onended = () => panner.disconnect();
  source.start();
  markFirst();
}

let isMarked = false;

/** When something was first heard, for whoever measures the page: the hum is silent at first and does not count. */
function markFirst() {
  if (!isMarked) performance.mark("volley-first-sound");
  isMarked = true;
}

/** Changes to the song of that number; -1 is none. */
function changeSong(number) {
  if (number === (sound.song?.number ?? -1)) return;
  fadeOut(sound.song);
  sound.song = undefined;
  if (number < 0) return;
  const fader = gain(sound.context, sound.music, 1);
  begun += 1;
  sound.song = { number, id: begun, fader, sources: new Set(), end: 0, isOrdered: true };
  worker.postMessage({ song: number, id: begun, seconds: FIRST_PIECE_S });
}

function fadeOut(song) {
  if (!song) return;
  const { context } = sound;
  song.fader.gain.setTargetAtTime(0, context.currentTime, FADE_S / 3);
  for (const source of song.sources) source.stop(context.currentTime + FADE_S);
  setTimeout(() => song.fader.disconnect(), 2000 * FADE_S);
}

/** Asks for the next piece of the song in time. */
function orderPiece() {
  const { song, context } = sound;
  if (!song || song.isOrdered || song.end - context.currentTime > AHEAD_S) return;
  song.isOrdered = true;
  worker.postMessage({ song: song.number, id: song.id, seconds: PIECE_S });
}

/** The worker has made a piece of a song: it follows the one before. */
function onPiece({ id, left, right, rate }) {
  const song = sound?.song;
  if (song?.id !== id) return;
  const buffer = new AudioBuffer({ numberOfChannels: 2, length: left.length, sampleRate: rate });
  buffer.copyToChannel(left, 0);
  buffer.copyToChannel(right, 1);
  const source = new AudioBufferSourceNode(sound.context, { buffer });
  source.connect(song.fader);
  song.sources.add(source);
  source.onended = () => song.sources.delete(source);
  // If the page was busy for too long there is a gap; otherwise the piece begins at exactly the sample that is due.
  const due = Math.round(Math.max(song.end, sound.context.currentTime + 0.03) * rate);
  source.start(due / rate);
  markFirst();
  song.end = (due + left.length) / rate;
  song.isOrdered = false;
  orderPiece();
}
