// The shell around the client, which is a machine in WebAssembly: it carries keys, fingers, bytes and time in; the
// picture, sounds and wishes out. It knows nothing of the game. docs/web.md has the table of what is called here.
//
// The same file is the worker that renders sounds, so that the picture never waits for them.

const WIDTH = 480;
const HEIGHT = 270;

const CHANNEL = { datagram: 0, stream: 1 };
const PHASE = { pointerdown: 0, pointermove: 1, pointerup: 2, pointercancel: 2 };

/** A pixel that is far from everything. */
const NOWHERE = -9999;

const SETTINGS = "volley-settings";
const QUIC_PATIENCE_MS = 1500;
const HIDDEN_TURN_MS = 250;
const STATUS_MS = 5000;
/** How quickly loudness changes: too short to be noticed, too long to crackle. */
const SMOOTH_S = 0.02;
/** The cue that is heard for as long as the beam charges. */
const HUM = "cue 2";

const utf8 = new TextEncoder();
const fromUtf8 = new TextDecoder();
const element = (id) => document.getElementById(id);

// ---------------------------------------------------------------------------------------------- the machine

/** The exports of the module. */
let machine;
/** Whether it has failed, after which it is left alone. */
let broken = false;

const now = () => performance.timeOrigin + performance.now();

/** Writes text or bytes where the next call looks for them, and returns how many they are. */
function put(what) {
  const bytes = typeof what === "string" ? utf8.encode(what) : what;
  const at = machine.buffer(bytes.length);
  if (at === 0) throw new Error(`${bytes.length} bytes are more than the client takes`);
  new Uint8Array(machine.memory.buffer, at, bytes.length).set(bytes);
  return bytes.length;
}

/** A copy of what the last call gave out. */
function taken(exports = machine) {
  return new Uint8Array(exports.memory.buffer, exports.output(), exports.output_length()).slice();
}

/** Calls the machine, unless it has failed; if it fails now, says so once. */
function guarded(work) {
  return (...values) => {
    if (broken || !machine) return undefined;
    try {
      return work(...values);
    } catch (error) {
      broken = true;
      console.error(error);
      link?.close();
      trouble(`The game has stopped because of a fault of ours: ${lastWords() || error.message}\nReload the page to play on.`);
      return undefined;
    }
  };
}

/** What the machine said when it failed. */
function lastWords() {
  const { memory, last_words, last_words_length } = machine;
  return fromUtf8.decode(new Uint8Array(memory.buffer, last_words(), last_words_length()));
}

/** When time was last let pass. */
let turned = 0;

/** Lets time pass, and does what the client wants. */
const turn = guarded(() => {
  turned = now();
  readPads();
  machine.advance(now());
  obey();
  hear();
});

function obey() {
  for (let wish; (wish = machine.poll(now())) >= 0; ) WISHES[wish]?.(taken());
}

const WISHES = [
  (bytes) => link?.datagram(bytes),
  (bytes) => link?.stream(bytes),
  () => link?.closeStream(),
  () => {}, // Datagrams to another port: only dialects want that which browsers cannot speak.
  () => connect(),
  () => disconnect(),
  (code) => share(fromUtf8.decode(code)),
  () => toggleFullScreen(),
  (settings) => keep(fromUtf8.decode(settings)),
  () => fetchScores(),
];

// ---------------------------------------------------------------------------------------------- the picture

let canvas;

function show() {
  requestAnimationFrame(show);
  turn();
  paint();
}

const paint = guarded(() => {
  const at = machine.draw(now());
  const pixels = new Uint8ClampedArray(machine.memory.buffer, at, 4 * WIDTH * HEIGHT);
  canvas.putImageData(new ImageData(pixels, WIDTH, HEIGHT), 0, 0);
});

/**
 * Each pixel of the picture becomes a whole number of the screen's, in the middle of the page. On a phone that is held
 * upright it is further up, because the thumbs are below it.
 */
function fit() {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.floor(innerWidth * ratio), Math.floor(seenHeight() * ratio)];
  const exact = Math.min(width / WIDTH, height / HEIGHT);
  const scale = exact < 1 ? exact : Math.floor(exact);
  const share = height > width && matchMedia("(pointer: coarse)").matches ? 1 / 4 : 1 / 2;
  const style = canvas.canvas.style;
  style.width = `${(WIDTH * scale) / ratio}px`;
  style.height = `${(HEIGHT * scale) / ratio}px`;
  style.left = `${Math.floor((width - WIDTH * scale) / 2) / ratio}px`;
  style.top = `${Math.floor((height - HEIGHT * scale) * share) / ratio}px`;
}

/** How much of the page a phone's keyboard leaves to be seen, however far the page is zoomed into. */
function seenHeight() {
  const seen = window.visualViewport;
  return seen ? Math.min(innerHeight, Math.round(seen.height * seen.scale)) : innerHeight;
}

function toggleFullScreen() {
  const root = document.documentElement;
  if (document.fullscreenElement) return document.exitFullscreen().catch(() => {});
  // A browser that does not allow it, or a phone that cannot turn, is played on as it is.
  return root.requestFullscreen?.({ navigationUI: "hide" }).then(() => screen.orientation.lock("landscape")).catch(() => {});
}

// ---------------------------------------------------------------------------------------------- the player

/** What the browser does with these keys is worth more than what the game could. */
const BROWSERS_OWN = /^(F5|F11|F12|Tab)$/;

const onKey = guarded((event) => {
  if (event.ctrlKey || event.metaKey || (event.altKey && !event.code.startsWith("Alt"))) return;
  if (event.target instanceof HTMLButtonElement || BROWSERS_OWN.test(event.code)) return;
  // What is written with a phone's keyboard is told by `onWriting`; it knows no codes.
  if (event.target === element("writing") && event.key !== "Enter" && event.key !== "Escape") return;
  const down = event.type === "keydown";
  const known = machine.key(now(), put(event.code || event.key), down);
  if (down && [...event.key].length === 1) machine.text(now(), event.key.codePointAt(0));
  if (known) event.preventDefault();
  obey();
});

const onPointer = guarded((event) => {
  const box = canvas.canvas.getBoundingClientRect();
  let x = Math.floor(((event.clientX - box.left) * WIDTH) / box.width);
  let y = Math.floor(((event.clientY - box.top) * HEIGHT) / box.height);
  event.preventDefault();
  // A finger that the system takes away, for a gesture of its own, chooses nothing.
  if (event.type === "pointercancel") [x, y] = [NOWHERE, NOWHERE];
  if (event.pointerType !== "mouse") machine.touch(now(), event.pointerId, PHASE[event.type], x, y);
  else if (event.type === "pointerdown" && event.button === 0) machine.click(now(), x, y);
  obey();
  if (event.type === "pointerup") offerKeyboard();
});

/** What was in the field before: enough that there is always something to delete. */
const FILLING = ".".repeat(64);
let written = FILLING;

/** A phone shows its keyboard for as long as something is written. It may only come up in answer to a touch. */
function offerKeyboard() {
  const field = element("writing");
  if (!machine.is_writing()) return field.blur();
  field.value = written = FILLING;
  return field.focus();
}

/** Tells what has changed: a phone may replace whole words. */
const onWriting = guarded((event) => {
  const { value } = event.target;
  let same = 0;
  while (same < value.length && value[same] === written[same]) same += 1;
  for (let left = written.length - same; left > 0; left -= 1) {
    for (const down of [true, false]) machine.key(now(), put("Backspace"), down);
  }
  for (const character of value.slice(same)) machine.text(now(), character.codePointAt(0));
  written = value;
  obey();
});

let hasPads = false;

/** All gamepads are one: whoever holds which plays. */
function readPads() {
  const pads = navigator.getGamepads?.().filter((pad) => pad?.connected) ?? [];
  if (pads.length === 0 && !hasPads) return;
  hasPads = pads.length > 0;
  let [x, y, buttons] = [0, 0, 0];
  for (const pad of pads) {
    if (Math.abs(pad.axes[0]) > Math.abs(x)) x = pad.axes[0];
    if (Math.abs(pad.axes[1]) > Math.abs(y)) y = pad.axes[1];
    pad.buttons.slice(0, 32).forEach((button, number) => { if (button.pressed) buttons |= 1 << number; });
  }
  machine.pad(now(), x, y, buttons >>> 0);
}

const onBlur = guarded(() => machine.blur(now()));

let hiddenTurns;

/** A hidden page is not drawn, but its connection has to be kept. */
function onVisibility() {
  clearInterval(hiddenTurns);
  if (document.hidden) {
    onBlur();
    sound?.context.suspend();
    hiddenTurns = setInterval(turn, HIDDEN_TURN_MS);
  } else {
    sound?.context.resume();
  }
}

/** Whether the player has left the game by leaving the page. */
let left = false;

/** Closing the page leaves the game. A page that the browser may bring back only loses its connection. */
const onLeave = guarded((event) => {
  if (event.persisted) return link?.close();
  left = true;
  machine.quit(now());
  return obey();
});

/** A page that was to be left and is used again after all, because what came was a download, begins anew. */
function onReturn() {
  if (left) location.reload();
}

// ---------------------------------------------------------------------------------------------- the node

/** The connection that there is: `datagram`, `stream`, `closeStream`, `close`, `name`. */
let link;
/** Counts connections that were asked for, so that one that comes too late is told from the newest. */
let attempts = 0;
/** Whether QUIC may get through to the node. */
let tryQuic = true;

async function connect() {
  const attempt = ++attempts;
  const isNewest = () => attempt === attempts && !broken;
  let opened;
  const heard = guarded((channel, bytes) => {
    if (link !== opened || !isNewest()) return;
    machine.receive(now(), channel, put(bytes));
    // Browsers let a timer of a page that was hidden for long wait for a minute; what arrives does not have to wait.
    if (document.hidden && now() - turned >= HIDDEN_TURN_MS) turn();
  });
  const ended = guarded(() => {
    if (!isNewest()) return;
    attempts += 1;
    setLink(undefined);
    machine.disconnected(now());
  });
  try {
    opened = await open(heard, ended);
  } catch {
    // The client shows that there is no node, and asks again.
    return ended();
  }
  if (!isNewest()) return opened.close();
  setLink(opened);
  guarded(() => machine.connected(now()))();
}

function disconnect() {
  attempts += 1;
  link?.close();
  setLink(undefined);
}

function setLink(newest) {
  if (link && !newest) announce("The connection is lost. Trying again.");
  if (newest) announce(`Connected over ${newest.name}.`);
  link = newest;
  document.documentElement.dataset.link = link?.name ?? "";
}

/** WebTransport if the browser, the node and the way between them allow it; otherwise a WebSocket. */
async function open(heard, ended) {
  const offer = await (await fetch("/api/transport", { cache: "no-store" })).json();
  if (tryQuic && offer.webtransport && "WebTransport" in window) {
    try {
      return await openQuic(offer.webtransport, heard, ended);
    } catch {
      tryQuic = false;
    }
  }
  return openSocket(offer.websocket, heard, ended);
}

async function openQuic({ port, sha256 }, heard, ended) {
  const pinned = sha256 ? { serverCertificateHashes: [{ algorithm: "sha-256", value: fromHex(sha256) }] } : {};
  const url = `https://${location.hostname}:${port}/volley`;
  const transport = new WebTransport(url, { requireUnreliable: true, congestionControl: "low-latency", ...pinned });
  const over = transport.closed.catch(() => {});
  const late = new Promise((_, reject) => setTimeout(reject, QUIC_PATIENCE_MS, new Error("QUIC does not get through")));
  try {
    const stream = await Promise.race([transport.ready.then(() => transport.createBidirectionalStream()), late]);
    return carryQuic(transport, stream, over, heard, ended);
  } catch (error) {
    transport.close();
    throw error;
  }
}

function carryQuic(transport, stream, over, heard, ended) {
  const { datagrams } = transport;
  // Inputs are repeated in what follows: one that had to wait so long is worth nothing.
  datagrams.outgoingMaxAge = 200;
  const sender = (datagrams.writable ?? datagrams.createWritable()).getWriter();
  const writer = stream.writable.getWriter();
  drain(datagrams.readable, (bytes) => heard(CHANNEL.datagram, bytes)).catch(() => {});
  drain(stream.readable, (bytes) => heard(CHANNEL.stream, bytes)).catch(() => {});
  over.then(ended);
  // What cannot be sent is lost with the connection, whose end is told by `closed`.
  return {
    name: "WebTransport",
    datagram: (bytes) => sender.write(bytes).catch(() => {}),
    stream: (bytes) => writer.write(bytes).catch(() => {}),
    closeStream: () => writer.close().catch(() => {}),
    close: () => writer.close().catch(() => {}).then(() => transport.close()).catch(() => {}),
  };
}

async function drain(readable, take) {
  const reader = readable.getReader();
  for (let part; !(part = await reader.read()).done; ) take(part.value);
}

/** Each message begins with a byte that says what follows: a datagram or bytes of the stream. */
function openSocket(path, heard, ended) {
  const socket = new WebSocket(Object.assign(new URL(path, location.href), { protocol: location.protocol === "https:" ? "wss:" : "ws:" }));
  socket.binaryType = "arraybuffer";
  const send = (channel, bytes) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const message = new Uint8Array(1 + bytes.length);
    message[0] = channel;
    message.set(bytes, 1);
    socket.send(message);
  };
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve({
      name: "WebSocket",
      datagram: (bytes) => send(CHANNEL.datagram, bytes),
      stream: (bytes) => send(CHANNEL.stream, bytes),
      closeStream: () => {},
      close: () => socket.close(),
    });
    socket.onmessage = ({ data }) => {
      const message = new Uint8Array(data);
      heard(message[0], message.subarray(1));
    };
    socket.onclose = () => {
      reject(new Error("no connection"));
      ended();
    };
  });
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}

async function fetchScores() {
  let lines = "";
  try {
    const table = await (await fetch("/api/scores")).json();
    const plain = (value) => String(value ?? "").replace(/[\t\r\n]/g, " ");
    const names = (players) => plain(players.map(({ name }) => name).filter(Boolean).join(", "));
    lines = table.map(({ score, players, stage }) => [score, names(players), plain(stage)].join("\t")).join("\n");
  } catch {
    // A node without a table is a node whose table is empty.
  }
  guarded(() => machine.scores(now(), put(lines)))();
}

// ---------------------------------------------------------------------------------------------- sounds

/** Made at the first key or touch: before that, browsers keep pages silent. Holds the context, gains and buffers. */
let sound;
/** The compiled module, for the worker. */
let compiled;

function wake() {
  if (sound) return sound.context.state === "suspended" && !document.hidden ? void sound.context.resume() : undefined;
  // A finger that comes down may still scroll: only when it is lifted does the browser take it for a wish.
  if (!("AudioContext" in window) || navigator.userActivation?.hasBeenActive === false) return undefined;
  const context = new AudioContext({ latencyHint: "interactive" });
  const gain = (to, level) => {
    const node = new GainNode(context, { gain: level });
    node.connect(to);
    return node;
  };
  const [effects, music] = [gain(context.destination, 1), gain(context.destination, 1)];
  sound = { context, effects, music, hum: gain(effects, 0), buffers: new Map(), asked: new Set(), song: "", playing: undefined };
  sound.worker = new Worker(import.meta.url, { type: "module" });
  sound.worker.onmessage = ({ data }) => rendered(data);
  sound.worker.postMessage({ compiled });
  return undefined;
}

/** The worker is done with a cue or a song: `cue 3`, `song 0`. */
function rendered({ name, samples, rate }) {
  const buffer = new AudioBuffer({ length: samples.length, sampleRate: rate });
  buffer.copyToChannel(samples, 0);
  sound.buffers.set(name, buffer);
  if (name !== HUM) return;
  const source = new AudioBufferSourceNode(sound.context, { buffer, loop: true });
  source.connect(sound.hum);
  source.start();
}

/** Plays what is to be heard since the last turn. */
function hear() {
  const heard = [];
  for (let cue; (cue = machine.cue()) >= 0; ) heard.push(cue);
  if (sound?.context.state !== "running") return;
  const { context } = sound;
  sound.effects.gain.setTargetAtTime(machine.volume(0) / 100, context.currentTime, SMOOTH_S);
  sound.music.gain.setTargetAtTime(machine.volume(1) / 100, context.currentTime, SMOOTH_S);
  sound.hum.gain.setTargetAtTime(machine.hum() / 255, context.currentTime, SMOOTH_S);
  for (const cue of heard) play(`cue ${cue}`, sound.effects, false);
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

/** Lets the song be the one that the client wants, as soon as it is rendered; -1: none. */
function changeSong(number) {
  const name = number < 0 ? "" : `song ${number}`;
  if (name === sound.song) return;
  if (name && !sound.asked.has(name)) {
    sound.asked.add(name);
    sound.worker.postMessage({ song: number });
  }
  if (name && !sound.buffers.has(name)) return;
  sound.playing?.stop();
  sound.playing = name ? play(name, sound.music, true) : undefined;
  sound.song = name;
}

/** In the worker: renders every cue, and songs as they are asked for. */
function renderSounds() {
  let started;
  const send = (exports, name) => {
    const samples = Float32Array.from(new Int16Array(taken(exports).buffer), (sample) => sample / 32768);
    postMessage({ name, samples, rate: exports.sample_rate() }, [samples.buffer]);
  };
  onmessage = async ({ data }) => {
    started ??= WebAssembly.instantiate(data.compiled, {});
    const { exports } = await started;
    if (data.song === undefined) for (let cue = 0; exports.render_cue(cue); cue += 1) send(exports, `cue ${cue}`);
    else if (exports.render_song(data.song)) send(exports, `song ${data.song}`);
  };
}

// ---------------------------------------------------------------------------------------------- the page

function share(code) {
  const url = new URL("/", location.href);
  url.searchParams.set("lobby", code);
  history.replaceState(null, "", url);
  // Only pages from localhost or over HTTPS may write to the clipboard; the link is in the address bar all the same.
  const copied = navigator.clipboard?.writeText(url.href) ?? Promise.reject(new Error("no clipboard"));
  copied.then(() => say(`Copied: ${url.href}`), () => say(`The link to this lobby: ${url.href}`));
}

function keep(settings) {
  try {
    localStorage.setItem(SETTINGS, settings);
  } catch {
    say("Your browser keeps no settings for this page: they last until you close it.");
  }
}

function kept() {
  try {
    return localStorage.getItem(SETTINGS) ?? "";
  } catch {
    return "";
  }
}

let unsay;

/** For whoever does not see the picture. */
function announce(text) {
  element("status").textContent = text;
}

function say(text) {
  const status = element("status");
  announce(text);
  status.classList.add("new");
  clearTimeout(unsay);
  unsay = setTimeout(() => status.classList.remove("new"), STATUS_MS);
}

function trouble(text) {
  element("trouble").textContent = text;
  element("trouble").hidden = false;
}

function listen() {
  for (const type of ["keydown", "keyup"]) addEventListener(type, onKey);
  for (const type of Object.keys(PHASE)) element("stage").addEventListener(type, onPointer);
  for (const type of ["keydown", "pointerdown", "pointerup", "touchend"]) addEventListener(type, wake, { capture: true });
  for (const type of ["contextmenu", "touchstart", "gesturestart", "dblclick"]) {
    element("stage").addEventListener(type, (event) => event.preventDefault(), { passive: false });
  }
  element("writing").addEventListener("input", onWriting);
  // An iPhone has no full screen for pages: its owner adds the page to the home screen.
  element("full-screen").hidden = !document.fullscreenEnabled;
  element("full-screen").addEventListener("click", (event) => {
    event.currentTarget.blur();
    toggleFullScreen();
  });
  addEventListener("blur", onBlur);
  addEventListener("resize", fit);
  window.visualViewport?.addEventListener("resize", fit);
  // Firefox has cut the connection when it tells that a page is hidden; before that, a goodbye still gets through.
  for (const type of ["beforeunload", "pagehide"]) addEventListener(type, onLeave);
  for (const type of ["keydown", "pointerdown"]) addEventListener(type, onReturn, { capture: true });
  document.addEventListener("visibilitychange", onVisibility);
}

/** Starts the client with the lobby of the page's address and the settings of last time. */
function start() {
  const asked = new URLSearchParams(location.search);
  const lobby = utf8.encode((asked.get("lobby") ?? "").slice(0, 64));
  const settings = utf8.encode(kept());
  put(Uint8Array.of(...lobby, ...settings));
  machine.start(now(), lobby.length, settings.length, asked.has("quick"));
}

async function main() {
  canvas = element("picture").getContext("2d", { alpha: false });
  fit();
  try {
    const { module, instance } = await WebAssembly.instantiateStreaming(fetch("/volley.wasm"), {});
    [compiled, machine] = [module, instance.exports];
  } catch (error) {
    console.error(error);
    return trouble(`The game could not be loaded: ${error.message}\nIt needs a browser with WebAssembly; reload the page to try again.`);
  }
  guarded(start)();
  listen();
  element("picture").focus();
  show();
  performance.mark("volley-first-frame");
  return undefined;
}

if ("document" in globalThis) main();
else renderSounds();
