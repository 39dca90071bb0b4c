// Renders every cue at the start, and songs when they are asked for, in a worker with a machine of its own.

import { output } from "./machine.js";

let instance;

onmessage = async ({ data }) => {
  instance ??= WebAssembly.instantiate(data.compiled, {});
  const { exports } = await instance;
  if (data.song !== undefined) {
    if (exports.render_song(data.song)) send(exports, `song ${data.song}`);
    return;
  }
  for (let cue = 0; exports.render_cue(cue); cue += 1) send(exports, `cue ${cue}`);
};

function send(exports, name) {
  const samples = Float32Array.from(new Int16Array(output(exports).buffer), (sample) => sample / 32768);
  postMessage({ name, samples, rate: exports.sample_rate() }, [samples.buffer]);
}
