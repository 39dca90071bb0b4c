// The connection to the node: WebTransport where it works, otherwise a WebSocket.

import { guarded, hasFailed, machine, now, put } from "./machine.js";

const CHANNEL = { datagram: 0, stream: 1 };
/** How long WebTransport may take to connect before a WebSocket is used instead. */
const QUIC_PATIENCE_MS = 1500;

/** The current connection: `datagram`, `stream`, `closeStream`, `close`, `name`. */
export let connection;

/** Counts attempts to connect, so that one that succeeds too late is told from the newest. */
let attempts = 0;
/** Whether QUIC may get through to the node. */
let tryQuic = true;
let [onReceived, onChange] = [() => {}, () => {}];

/** `received` is called after each message; `changed` with the name of a new connection, or undefined if it was lost. */
export function watch({ received, changed }) {
  [onReceived, onChange] = [received, changed];
}

export async function connect() {
  const attempt = ++attempts;
  const isNewest = () => attempt === attempts && !hasFailed;
  let opened;
  const receive = guarded((channel, bytes) => {
    if (connection !== opened || !isNewest()) return;
    machine.receive(now(), channel, put(bytes));
    onReceived();
  });
  const end = guarded(() => {
    if (!isNewest()) return;
    attempts += 1;
    if (connection) onChange(undefined);
    setConnection(undefined);
    machine.disconnected(now());
  });
  try {
    opened = await open({ receive, end });
  } catch {
    // The client shows that the node cannot be reached, and asks again.
    return end();
  }
  if (!isNewest()) return opened.close();
  setConnection(opened);
  onChange(opened.name);
  guarded(() => machine.connected(now()))();
}

export function disconnect() {
  attempts += 1;
  connection?.close();
  setConnection(undefined);
}

function setConnection(newest) {
  connection = newest;
  document.documentElement.dataset.link = connection?.name ?? "";
}

/** WebTransport if the browser, the node and the network allow it; otherwise a WebSocket. */
async function open(handlers) {
  const offer = await (await fetch("/api/transport", { cache: "no-store" })).json();
  if (tryQuic && offer.webtransport && "WebTransport" in window) {
    try {
      return await openQuic(offer.webtransport, handlers);
    } catch {
      tryQuic = false;
    }
  }
  return openSocket(offer.websocket, handlers);
}

async function openQuic({ port, sha256 }, handlers) {
  const pinned = sha256 ? { serverCertificateHashes: [{ algorithm: "sha-256", value: fromHex(sha256) }] } : {};
  const url = `https://${location.hostname}:${port}/volley`;
  const transport = new WebTransport(url, { requireUnreliable: true, congestionControl: "low-latency", ...pinned });
  const closed = transport.closed.catch(() => {});
  const late = new Promise((_, reject) => setTimeout(reject, QUIC_PATIENCE_MS, new Error("QUIC does not get through")));
  try {
    const stream = await Promise.race([transport.ready.then(() => transport.createBidirectionalStream()), late]);
    closed.then(handlers.end);
    return carryQuic(transport, stream, handlers);
  } catch (error) {
    transport.close();
    throw error;
  }
}

function carryQuic(transport, stream, { receive }) {
  const { datagrams } = transport;
  // Inputs are repeated in later datagrams: one that had to wait longer is worthless.
  datagrams.outgoingMaxAge = 200;
  const sender = (datagrams.writable ?? datagrams.createWritable()).getWriter();
  const writer = stream.writable.getWriter();
  readAll(datagrams.readable, (bytes) => receive(CHANNEL.datagram, bytes)).catch(() => {});
  readAll(stream.readable, (bytes) => receive(CHANNEL.stream, bytes)).catch(() => {});
  // What cannot be sent is lost with the connection; `closed` reports its end.
  return {
    name: "WebTransport",
    datagram: (bytes) => sender.write(bytes).catch(() => {}),
    stream: (bytes) => writer.write(bytes).catch(() => {}),
    closeStream: () => writer.close().catch(() => {}),
    close: () => writer.close().catch(() => {}).then(() => transport.close()).catch(() => {}),
  };
}

async function readAll(readable, take) {
  const reader = readable.getReader();
  for (let part; !(part = await reader.read()).done; ) take(part.value);
}

/** Each message begins with a byte for its channel: a datagram, or bytes of the stream. */
function openSocket(path, { receive, end }) {
  const protocol = location.protocol === "https:" ? "wss:" : "ws:";
  const socket = new WebSocket(Object.assign(new URL(path, location.href), { protocol }));
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
      receive(message[0], message.subarray(1));
    };
    socket.onclose = () => {
      reject(new Error("no connection"));
      end();
    };
  });
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => parseInt(pair, 16));
}
