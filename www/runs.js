// The player's best runs, one for each table, in the browser's database. Without one, nothing is kept and nothing fails.

const DATABASE = "volley";
const STORE = "runs";
/** Tables whose run is kept; every daily game is a new one. The oldest make room. */
const RUNS_MAX = 64;
/** A longer run is not kept. */
const RUN_MAX_BYTES = 2 << 20;

/** A line of text, and the bytes behind it. */
export function split(named) {
  const end = named.indexOf(10);
  return [new TextDecoder().decode(named.subarray(0, end)), named.slice(end + 1)];
}

/** What is kept for a table: nothing, if there is nothing or it cannot be read. */
export async function keptRun(table) {
  try {
    const found = await ask("readonly", (store) => store.get(table));
    return found?.run ?? new Uint8Array();
  } catch {
    return new Uint8Array();
  }
}

/** Keeps a run for a table. */
export async function keepRun(table, run) {
  if (run.length > RUN_MAX_BYTES) return;
  try {
    await ask("readwrite", (store) => store.put({ table, run, kept: Date.now() }));
    const kept = await ask("readonly", (store) => store.getAll());
    kept.sort((one, other) => other.kept - one.kept);
    for (const old of kept.slice(RUNS_MAX)) await ask("readwrite", (store) => store.delete(old.table));
  } catch (error) {
    console.warn("The best run cannot be kept:", error);
  }
}

/** Asks the database for one thing. */
async function ask(mode, request) {
  const database = await answer(opening());
  try {
    return await answer(request(database.transaction(STORE, mode).objectStore(STORE)));
  } finally {
    database.close();
  }
}

function opening() {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "table" });
  return request;
}

function answer(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}
