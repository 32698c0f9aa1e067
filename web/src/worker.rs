//! The board without a server: the API for a Web Worker that runs this crate as WebAssembly.
//!
//! `page/worker.js` calls these functions: [`request`] makes room for a request's text, [`respond`]
//! answers what was written there, and [`answer_start`] says where the answer is; what an analysis has
//! found before its last depth is told to `alea.tell`. Invariant: one thread calls them, one after the
//! other, so each answer belongs to the request before it.

#![allow(unsafe_code, reason = "what a worker calls has names of its own")]

use crate::answer::answer_each;
use crate::bounds::{Bounds, MAX_REQUEST};
use engine::search::limits::Limits;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[link(wasm_import_module = "alea")]
unsafe extern "C" {
    /// Hears what an analysis has found so far: so many bytes of JSON.
    safe fn tell(start: *const u8, bytes: usize);
}

/// The text of a request, then that of its answer.
static TEXT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn text() -> MutexGuard<'static, Vec<u8>> {
    TEXT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where so many bytes of a request are to be written; null if there are too many.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    if bytes > MAX_REQUEST {
        return std::ptr::null_mut();
    }
    let mut text = text();
    text.resize(bytes, 0);
    text.as_mut_ptr()
}

/// Answers the request; how many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn respond() -> usize {
    let mut text = text();
    let bounds = Bounds {
        threads: 1,
        ..Bounds::default()
    };
    let request = std::mem::take(&mut *text);
    answer_each(&request, &bounds, &Limits::NONE, |answer, is_last| {
        *text = answer.to_string().into_bytes();
        if !is_last {
            tell(text.as_ptr(), text.len());
        }
        true
    });
    text.len()
}

/// Where the answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn answer_start() -> *const u8 {
    text().as_ptr()
}
