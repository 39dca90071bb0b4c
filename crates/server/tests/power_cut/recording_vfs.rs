//! SQLite's own way to files, which also notes what is written, synced and deleted, in order.
//!
//! A file is opened by the system's VFS, and then four of its methods are replaced by ones that note the call and pass it
//! on. Everything else stays as it is.

#![allow(unsafe_code, reason = "SQLite's file methods are a C interface, and this is a test")]

use std::{
    collections::HashMap,
    ffi::{CStr, c_char, c_int, c_void},
    path::Path,
    ptr, slice,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

use rusqlite::ffi::{
    SQLITE_OK, sqlite3_file, sqlite3_filename, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs, sqlite3_vfs_find,
    sqlite3_vfs_register,
};

/// Something that happened, to the file of that name.
#[derive(Clone, Debug)]
pub enum Event {
    Write {
        file: String,
        offset: usize,
        bytes: Vec<u8>,
    },
    Truncate {
        file: String,
        length: usize,
    },
    Sync {
        file: String,
    },
    Delete {
        file: String,
    },
    /// How many results have been shown.
    Shown(usize),
}

#[derive(Default)]
struct Recorder {
    events: Vec<Event>,
    /// By the address of SQLite's object for it.
    open: HashMap<usize, OpenFile>,
}

/// An open file: its name, and the methods that it came with.
#[derive(Clone)]
struct OpenFile {
    name: String,
    methods: sqlite3_io_methods,
}

static RECORDER: LazyLock<Mutex<Recorder>> = LazyLock::new(Mutex::default);

/// From now on all files of this process are recorded, except those that are opened with the VFS `unix`.
pub fn install() {
    // SAFETY: the default VFS lives as long as the process, and so does our copy, which is never freed.
    unsafe {
        let system = sqlite3_vfs_find(ptr::null());
        let recording = Box::leak(Box::new(*system));
        recording.zName = c"recording".as_ptr();
        recording.pNext = ptr::null_mut();
        recording.xOpen = Some(open);
        recording.xDelete = Some(delete);
        assert_eq!(sqlite3_vfs_register(recording, 1), SQLITE_OK);
    }
}

/// Notes how many results have been shown.
pub fn note_shown(count: usize) {
    recorder().events.push(Event::Shown(count));
}

/// What has happened so far.
pub fn events() -> Vec<Event> {
    recorder().events.clone()
}

fn recorder() -> MutexGuard<'static, Recorder> {
    RECORDER.lock().unwrap_or_else(PoisonError::into_inner)
}

fn system() -> *mut sqlite3_vfs {
    // SAFETY: the name is a C string.
    unsafe { sqlite3_vfs_find(c"unix".as_ptr()) }
}

fn opened(file: *mut sqlite3_file) -> OpenFile {
    recorder().open.get(&(file as usize)).expect("it is open").clone()
}

/// SAFETY: the name is a C string, or null for a file without a name.
unsafe fn file_name(name: *const c_char) -> String {
    if name.is_null() {
        return "temporary".into();
    }
    let path = unsafe { CStr::from_ptr(name) }.to_str().expect("a path of this test");
    Path::new(path).file_name().expect("a file").to_str().expect("text").to_owned()
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    // SAFETY: SQLite's arguments go to the method that they are meant for. `file` has the size that the system's VFS asks
    // for, because ours asks for the same, and its methods may be replaced once it is open.
    unsafe {
        let result = (*system()).xOpen.expect("a method")(vfs, name, file, flags, flags_out);
        if result == SQLITE_OK && !(*file).pMethods.is_null() {
            let methods = *(*file).pMethods;
            recorder().open.insert(file as usize, OpenFile { name: file_name(name), methods });
            let recording = sqlite3_io_methods {
                xWrite: Some(write),
                xTruncate: Some(truncate),
                xSync: Some(sync),
                xClose: Some(close),
                ..methods
            };
            (*file).pMethods = Box::leak(Box::new(recording));
        }
        result
    }
}

unsafe extern "C" fn delete(vfs: *mut sqlite3_vfs, name: *const c_char, sync_directory: c_int) -> c_int {
    // SAFETY: SQLite's arguments go to the method that they are meant for.
    unsafe {
        let result = (*system()).xDelete.expect("a method")(vfs, name, sync_directory);
        recorder().events.push(Event::Delete { file: file_name(name) });
        result
    }
}

unsafe extern "C" fn write(file: *mut sqlite3_file, from: *const c_void, count: c_int, offset: sqlite3_int64) -> c_int {
    let OpenFile { name, methods } = opened(file);
    // SAFETY: SQLite's arguments go to the method that they are meant for; `from` has `count` bytes.
    unsafe {
        let bytes = slice::from_raw_parts(from.cast::<u8>(), count as usize).to_vec();
        recorder().events.push(Event::Write { file: name, offset: offset as usize, bytes });
        methods.xWrite.expect("a method")(file, from, count, offset)
    }
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, length: sqlite3_int64) -> c_int {
    let OpenFile { name, methods } = opened(file);
    recorder().events.push(Event::Truncate { file: name, length: length as usize });
    // SAFETY: SQLite's arguments go to the method that they are meant for.
    unsafe { methods.xTruncate.expect("a method")(file, length) }
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    let OpenFile { name, methods } = opened(file);
    // SAFETY: SQLite's arguments go to the method that they are meant for.
    let result = unsafe { methods.xSync.expect("a method")(file, flags) };
    recorder().events.push(Event::Sync { file: name });
    result
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let OpenFile { methods, .. } = opened(file);
    recorder().open.remove(&(file as usize));
    // SAFETY: SQLite's arguments go to the method that they are meant for.
    unsafe { methods.xClose.expect("a method")(file) }
}
