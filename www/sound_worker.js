// Makes every cue at the start, and songs piece by piece, in a worker with a machine of its own.

import { output } from "./machine.js";

let instance;
/** Which song was begun last. */
let playing;

onmessage = async ({ data }) => {
  if (data.compiled) instance = WebAssembly.instantiate(data.compiled, {});
  const { exports } = await instance;
  if (data.song !== undefined) return makePiece(exports, data);
  // One at a time: the first piece of a song may come in between.
  for (let cue = 0; exports.render_cue(cue); cue += 1) {
    const samples = floats(exports);
    postMessage({ cue, samples, rate: exports.sample_rate() }, [samples.buffer]);
    if (cue % 4 === 3) await new Promise((resume) => setTimeout(resume));
  }
  return undefined;
};

function makePiece(exports, { song, id, seconds }) {
  if (id !== playing) exports.begin_song(song);
  playing = id;
  if (!exports.make_song(Math.round(seconds * exports.sample_rate()))) return;
  const both = floats(exports);
  const side = (offset) => Float32Array.from({ length: both.length / 2 }, (_, index) => both[2 * index + offset]);
  const [left, right] = [side(0), side(1)];
  postMessage({ id, left, right, rate: exports.sample_rate() }, [left.buffer, right.buffer]);
}

function floats(exports) {
  return Float32Array.from(new Int16Array(output(exports).buffer), (sample) => sample / 32768);
}
