// The client: a machine in WebAssembly. docs/web.md has the table of its exports.

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();

/** The exports of the module. */
export let machine;
/** The compiled module, for the worker that renders sounds. */
export let compiled;
/** Whether the machine has failed. It is left alone from then on. */
export let hasFailed = false;

let reportFailure = () => {};

/** Loads the module. `onFailure` is called once, with a message, if a call into it ever fails. */
export async function load(url, onFailure) {
  const { module, instance } = await WebAssembly.instantiateStreaming(fetch(url), {});
  [compiled, machine, reportFailure] = [module, instance.exports, onFailure];
}

export const now = () => performance.timeOrigin + performance.now();

export const encode = (text) => utf8.encode(text);
export const decode = (bytes) => fromUtf8.decode(bytes);

/** Writes text or bytes where the next call expects them, and returns their length. */
export function put(content) {
  const bytes = typeof content === "string" ? encode(content) : content;
  const at = machine.buffer(bytes.length);
  if (at === 0) throw new Error(`${bytes.length} bytes are too many for the client`);
  new Uint8Array(machine.memory.buffer, at, bytes.length).set(bytes);
  return bytes.length;
}

/** A copy of the last call's output. */
export function output(exports = machine) {
  return new Uint8Array(exports.memory.buffer, exports.output(), exports.output_length()).slice();
}

/** Wraps a function that calls the machine: it does nothing before the start and after a failure. */
export function guarded(work) {
  return (...values) => {
    if (hasFailed || !machine) return undefined;
    try {
      return work(...values);
    } catch (error) {
      hasFailed = true;
      console.error(error);
      reportFailure(panicMessage() || error.message);
      return undefined;
    }
  };
}

function panicMessage() {
  const { memory, panic_message, panic_message_length } = machine;
  return decode(new Uint8Array(memory.buffer, panic_message(), panic_message_length()));
}
