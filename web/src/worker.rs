//! The board without a server: the API for a Web Worker that runs this crate as WebAssembly.
//!
//! `page/worker.js` calls these functions: [`request`] makes room for a request's text, [`respond`]
//! answers what was written there, and [`answer_start`] says where the answer is; what an analysis has
//! found before its last depth is told to `alea.tell`. Invariant: one thread calls them, one after the
//! other, so each answer belongs to the request before it.

#![allow(unsafe_code, reason = "what a worker calls has names of its own")]

use crate::answer::answer_each;
use crate::bounds::Bounds;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[link(wasm_import_module = "alea")]
unsafe extern "C" {
    /// Hears what an analysis has found so far: so many bytes of JSON.
    safe fn tell(start: *const u8, bytes: usize);
}

/// Bytes of the longest request, as over HTTP.
const LONGEST: usize = 1 << 16;

struct Exchange {
    request: Vec<u8>,
    answer: Vec<u8>,
}

static EXCHANGE: Mutex<Exchange> = Mutex::new(Exchange {
    request: Vec::new(),
    answer: Vec::new(),
});

fn exchange() -> MutexGuard<'static, Exchange> {
    EXCHANGE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Where so many bytes of a request are to be written; null if there are too many.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    if bytes > LONGEST {
        return std::ptr::null_mut();
    }
    let mut exchange = exchange();
    exchange.request.resize(bytes, 0);
    exchange.request.as_mut_ptr()
}

/// Answers the request; how many bytes the answer has.
#[unsafe(no_mangle)]
pub extern "C" fn respond() -> usize {
    let mut exchange = exchange();
    let bounds = Bounds {
        threads: 1,
        ..Bounds::default()
    };
    let request = std::mem::take(&mut exchange.request);
    answer_each(&request, &bounds, |answer, is_last| {
        exchange.answer = serde_json::to_vec(answer).unwrap_or_default();
        if !is_last {
            tell(exchange.answer.as_ptr(), exchange.answer.len());
        }
        true
    });
    exchange.answer.len()
}

/// Where the answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn answer_start() -> *const u8 {
    exchange().answer.as_ptr()
}
