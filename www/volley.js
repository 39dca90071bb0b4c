// The page around the client: lets time pass, does what the client asks for, and stores its settings. It knows nothing
// of the game. The client is in `machine.js`; docs/web.md has the table of what is called.

import { connect, connection, disconnect, watch } from "./connection.js";
import * as devices from "./devices.js";
import * as display from "./display.js";
import { decode, encode, guarded, load, machine, now, output, put } from "./machine.js";
import { keptRun, keepRun, split } from "./runs.js";
import * as sound from "./sound.js";
import { words } from "./words.js";

const SETTINGS = "volley-settings";
const HIDDEN_TURN_MS = 250;
const STATUS_MS = 5000;

const element = (id) => document.getElementById(id);

// ---------------------------------------------------------------------------------------------- the game

/** When the client was last advanced. */
let advanced = 0;

/** Lets time pass, and does what the client asks for. */
const advance = guarded(() => {
  advanced = now();
  devices.readPads();
  machine.advance(now());
  doTasks();
  sound.playPending();
});

function showNext() {
  requestAnimationFrame(showNext);
  advance();
  display.draw();
  tellState();
  tellReplaying();
}

/** Whether the player is typing, for whoever looks at the page from outside, and whether thumbs fly the ship, for the style sheet. */
const tellState = guarded(() => {
  document.documentElement.toggleAttribute("data-writing", machine.is_writing());
  document.documentElement.toggleAttribute("data-flying", machine.wants_thumbs());
});

function doTasks() {
  for (let task; (task = machine.poll(now())) >= 0; ) TASKS[task]?.(output());
}

/** By the number of the task. */
const TASKS = [
  (bytes) => connection?.datagram(bytes),
  (bytes) => connection?.stream(bytes),
  () => connection?.closeStream(),
  () => {}, // Datagrams to another port: only dialects that browsers cannot speak ask for that.
  () => connect(),
  () => disconnect(),
  (code) => share(decode(code)),
  () => display.toggleFullScreen(),
  (settings) => storeSettings(decode(settings)),
  (query) => fetchScores(decode(query)),
  (game) => fetchReplay(decode(game)),
  (key) => fetchRecording(decode(key)),
  (named) => saveReplay(named),
  (table) => loadGhost(decode(table)),
  (named) => storeGhost(named),
];

async function fetchScores(query) {
  const lines = [query];
  let isFound = false;
  try {
    const response = await fetch(`/api/scores?${query}`);
    const table = response.ok ? await response.json() : undefined;
    const plain = (value) => String(value ?? "").replace(/[\t\r\n]/g, " ");
    const names = (players) => plain(players.map(({ name }) => name).filter(Boolean).join(", "));
    const ranks = (players) => plain(players.map(({ rank }) => rank ?? "").join(""));
    const line = ({ score, players, game, replay }) => [score, names(players), ranks(players), plain(game), plain(replay)].join("\t");
    if (table) lines.push(...table.map(line));
    isFound = table !== undefined;
  } catch {
    // The client says that the table cannot be had.
  }
  guarded(() => machine.scores(now(), put(lines.join("\n")), isFound))();
}

// ---------------------------------------------------------------------------------------------- replays

/** A larger file is not looked at: no game is that long. */
const REPLAY_MAX_BYTES = 16 << 20;

/** Shows a replay of the node, and offers it as a download. */
async function fetchReplay(game) {
  const path = `/api/replays/${encodeURIComponent(game)}`;
  try {
    const response = await fetch(path);
    if (!response.ok) return showStatus(say().noReplay);
    if (openReplay(new Uint8Array(await response.arrayBuffer()))) offerDownload(path, game);
  } catch {
    showStatus(say().replayNotFetched);
  }
  return undefined;
}

/** Shows a replay. Returns whether it can be shown. */
const openReplay = guarded((bytes) => {
  if (bytes.length > REPLAY_MAX_BYTES) return showStatus(say().replayTooLarge);
  const isShown = machine.open_replay(now(), put(bytes));
  if (!isShown) showStatus(say().replayNotPlayed(decode(output())));
  return isShown;
});

/** Whether a replay is shown, for whoever looks at the page from outside. What is shown no longer is not offered either. */
const tellReplaying = guarded(() => {
  const isShown = document.documentElement.toggleAttribute("data-replaying", Boolean(machine.is_replaying()));
  if (!isShown) element("download").hidden = true;
});

function offerDownload(path, game) {
  const link = element("download");
  [link.href, link.download, link.hidden] = [path, `${game}.vreplay`, false];
}

/** Bytes behind a line of text, for the client. */
const behind = (line, bytes) => {
  const head = encode(`${line}\n`);
  const whole = new Uint8Array(head.length + bytes.length);
  whole.set(head);
  whole.set(bytes, head.length);
  return whole;
};

/** Fetches the recording of the game that the player has just played alone. If the node has none, there is none. */
async function fetchRecording(key) {
  try {
    const response = await fetch(`/api/replays/${encodeURIComponent(key)}`);
    if (!response.ok) return;
    const file = new Uint8Array(await response.arrayBuffer());
    if (file.length <= REPLAY_MAX_BYTES) guarded(() => machine.recorded(now(), put(behind(key, file))))();
  } catch {
    // Without it there is nothing to watch or to keep.
  }
}

/** Hands the player a replay as a download. */
const saveReplay = guarded((named) => {
  const [name, file] = split(named);
  const url = URL.createObjectURL(new Blob([file], { type: "application/octet-stream" }));
  const link = Object.assign(document.createElement("a"), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), STATUS_MS);
  machine.replay_saved(now(), true);
});

async function loadGhost(table) {
  const run = await keptRun(table);
  guarded(() => machine.ghost(now(), put(behind(table, run))))();
}

function storeGhost(named) {
  const [table, run] = split(named);
  keepRun(table, run);
}

/** A file that is dropped on the page is a replay. */
async function onDrop(event) {
  event.preventDefault();
  const [file] = event.dataTransfer?.files ?? [];
  if (file && file.size <= REPLAY_MAX_BYTES) openReplay(new Uint8Array(await file.arrayBuffer()));
  else if (file) showStatus(say().replayTooLarge);
}

// ---------------------------------------------------------------------------------------------- the page

let hiddenTurns;

/** A hidden page is not drawn, but its connection is kept alive. */
function onVisibility() {
  clearInterval(hiddenTurns);
  if (document.hidden) {
    devices.onBlur();
    sound.pause();
    hiddenTurns = setInterval(advance, HIDDEN_TURN_MS);
  } else {
    sound.resume();
  }
}

/** Browsers may delay the timers of a hidden page by a minute, but not what arrives. */
function onReceived() {
  if (document.hidden && now() - advanced >= HIDDEN_TURN_MS) advance();
}

function onConnectionChange(name) {
  announce(name ? say().connected(name) : say().connectionLost);
}

/** Whether the player has left the game by leaving the page. */
let hasLeft = false;

/** Closing the page leaves the game. A page that the browser may restore only loses its connection. */
const onLeave = guarded((event) => {
  if (event.persisted) return connection?.close();
  hasLeft = true;
  machine.quit(now());
  return doTasks();
});

/** If the player is still there after all, because leaving turned out to be a download, the page starts again. */
function onReturn() {
  if (hasLeft) location.reload();
}

function share(code) {
  const url = new URL("/", location.href);
  url.searchParams.set("lobby", code);
  history.replaceState(null, "", url);
  // Only pages from localhost or over HTTPS may write to the clipboard; the link is in the address bar all the same.
  const copied = navigator.clipboard?.writeText(url.href) ?? Promise.reject(new Error("no clipboard"));
  copied.then(guarded(() => onCopied(url.href)), () => announce(say().link(url.href)));
}

/** The picture says so to those who see it, and shows the link in any case. */
function onCopied(link) {
  announce(say().linkCopied(link));
  machine.lobby_shared(now(), true);
}

function storeSettings(settings) {
  display.fit();
  try {
    localStorage.setItem(SETTINGS, settings);
  } catch {
    showStatus(say().notStored);
  }
  translate();
}

function storedSettings() {
  try {
    return localStorage.getItem(SETTINGS) ?? "";
  } catch {
    return "";
  }
}

/** The page's own words. */
const say = () => words(storedSettings());

/** What the page itself is called, for those who hover over it or have it read to them. */
function translate() {
  const { language, picture, writing, fullScreen, download, fire, force } = say();
  document.documentElement.lang = language;
  element("picture").ariaLabel = picture;
  element("writing").ariaLabel = writing;
  [element("fire").textContent, element("force").textContent] = [fire, force];
  [element("full-screen").title, element("full-screen").ariaLabel] = [fullScreen, fullScreen];
  [element("download").title, element("download").ariaLabel] = [download, download];
}

/** Set while everybody is shown a status; and what is announced meanwhile. */
let hideStatus;
let announcedLast;

/** For players who use a screen reader. What everybody is shown stays for its time. */
function announce(text) {
  if (hideStatus) announcedLast = text;
  else element("status").textContent = text;
}

function showStatus(text) {
  const status = element("status");
  status.textContent = text;
  status.classList.add("new");
  clearTimeout(hideStatus);
  hideStatus = setTimeout(() => {
    status.classList.remove("new");
    if (announcedLast) status.textContent = announcedLast;
    hideStatus = announcedLast = undefined;
  }, STATUS_MS);
}

function showError(text) {
  element("trouble").textContent = text;
  element("trouble").hidden = false;
}

function onFailure(message) {
  connection?.close();
  showError(say().crashed(message));
}

function listen() {
  devices.listen({ stage: element("stage"), field: element("writing") }, doTasks);
  watch({ received: onReceived, changed: onConnectionChange });
  for (const type of ["keydown", "pointerdown", "pointerup", "touchend"]) addEventListener(type, sound.wake, { capture: true });
  // An iPhone has no full screen for pages: add the page to the home screen instead.
  element("full-screen").hidden = !document.fullscreenEnabled;
  element("full-screen").addEventListener("click", (event) => {
    event.currentTarget.blur();
    display.toggleFullScreen();
  });
  // Firefox has cut the connection by the time of `pagehide`; at `beforeunload` a goodbye still gets through.
  for (const type of ["beforeunload", "pagehide"]) addEventListener(type, onLeave);
  for (const type of ["keydown", "pointerdown"]) addEventListener(type, onReturn, { capture: true });
  document.addEventListener("visibilitychange", onVisibility);
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", onDrop);
}

/** What the client is started with, besides texts. */
const [QUICK, TOUCH, SMALL_SCREEN] = [1, 2, 4];

/** Starts the client with the lobby in the page's address, the stored settings, the browser's language and where the page is. */
const start = guarded(() => {
  const query = new URLSearchParams(location.search);
  const lobby = encode((query.get("lobby") ?? "").slice(0, 64));
  const settings = encode(storedSettings());
  const surroundings = encode(`${navigator.language ?? ""}\n${location.origin}/`);
  put(Uint8Array.of(...lobby, ...settings, ...surroundings));
  const isTouch = matchMedia("(pointer: coarse)").matches;
  const flags = (query.has("quick") ? QUICK : 0) | (isTouch ? TOUCH : 0) | (display.isSmall() ? SMALL_SCREEN : 0);
  machine.start(now(), lobby.length, settings.length, flags);
  display.fit();
});

async function main() {
  translate();
  display.prepare(element("picture"));
  try {
    await load("/volley.wasm", onFailure);
  } catch (error) {
    console.error(error);
    return showError(say().notLoaded(error.message));
  }
  start();
  listen();
  element("picture").focus();
  showNext();
  const replay = new URLSearchParams(location.search).get("replay");
  if (replay) fetchReplay(replay);
  performance.mark("volley-first-frame");
  // The picture comes first.
  setTimeout(sound.prepare);
  return undefined;
}

main();
