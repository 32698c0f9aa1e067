//! The API as WebAssembly in a Web Worker. `page/worker.js` writes a request to the buffer returned
//! by [`request`], calls [`respond`], and reads the answer at [`answer_start`].
//!
//! Invariant: these functions are called one at a time.

#![allow(unsafe_code, reason = "exported names and an imported function")]

use crate::answer::answer_each;
use crate::limits::{MAX_REQUEST, RequestLimits};
use engine::search::limits::Limits;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[link(wasm_import_module = "alea")]
unsafe extern "C" {
    /// Passes `bytes` bytes of JSON to the page: values after a search depth of a streamed
    /// analysis.
    safe fn tell(start: *const u8, bytes: usize);
}

static BUFFER: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lock_buffer() -> MutexGuard<'static, Vec<u8>> {
    BUFFER.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Buffer for a request of `bytes` bytes; null if that is above the maximum length.
#[unsafe(no_mangle)]
pub extern "C" fn request(bytes: usize) -> *mut u8 {
    if bytes > MAX_REQUEST {
        return std::ptr::null_mut();
    }
    let mut text = lock_buffer();
    text.resize(bytes, 0);
    text.as_mut_ptr()
}

/// Answers the request in the buffer; returns the answer's length in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn respond() -> usize {
    let mut text = lock_buffer();
    let limits = RequestLimits {
        threads: 1,
        ..RequestLimits::default()
    };
    let request = std::mem::take(&mut *text);
    answer_each(&request, &limits, &Limits::NONE, |answer, is_last| {
        *text = answer.to_string().into_bytes();
        if !is_last {
            tell(text.as_ptr(), text.len());
        }
        true
    });
    text.len()
}

/// Address of the answer in the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn answer_start() -> *const u8 {
    lock_buffer().as_ptr()
}
