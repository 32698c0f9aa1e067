//! Ends the program with one line on standard error and exit code 1 when memory or threads run out
//! or a mapped file is truncated.
//!
//! Invariant: the code that prints the line neither allocates nor blocks.

#![allow(
    unsafe_code,
    reason = "an allocator and a handler of signals cannot be written without"
)]

use engine::core::fallible_allocation::allocation_may_fail;
#[cfg(feature = "mimalloc")]
use mimalloc::MiMalloc as Inner;
#[cfg(not(feature = "mimalloc"))]
use std::alloc::System as Inner;
use std::{
    alloc::{GlobalAlloc, Layout},
    fmt::{self, Arguments, Write as _},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
};

/// Global allocator that ends the program with one line when memory runs out, unless the calling
/// thread handles failures. The feature `mimalloc` makes one-ply self-play 3 % faster.
pub struct Allocator;

// SAFETY: passes every call to the inner allocator with the same arguments.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the inner allocator's.
        check_allocation(unsafe { Inner.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's contract is the inner allocator's.
        check_allocation(unsafe { Inner.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller's contract is the inner allocator's, which allocated `memory`.
        check_allocation(unsafe { Inner.realloc(memory, layout, size) }, size)
    }

    #[inline]
    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: the caller's contract is the inner allocator's, which allocated `memory`.
        unsafe { Inner.dealloc(memory, layout) }
    }
}

#[inline]
fn check_allocation(memory: *mut u8, bytes: usize) -> *mut u8 {
    if memory.is_null() && !allocation_may_fail() {
        exit_with_line(format_args!("out of memory: {bytes} bytes were needed"));
    }
    memory
}

struct Line {
    bytes: [u8; MAX_LINE],
    length: usize,
}

/// Maximal length of the line in bytes: enough for the longest path on Linux and a message.
const MAX_LINE: usize = 8192;

impl fmt::Write for Line {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = self.bytes.len() - 1 - self.length;
        let text = &text[..text.floor_char_boundary(room)];
        self.bytes[self.length..][..text.len()].copy_from_slice(text.as_bytes());
        self.length += text.len();
        Ok(())
    }
}

/// Ends the program; if several threads do, only the first one prints.
#[cold]
#[inline(never)]
pub(crate) fn exit_with_line(why: Arguments<'_>) -> ! {
    static IS_ENDING: AtomicBool = AtomicBool::new(false);
    while IS_ENDING.swap(true, Relaxed) {
        std::thread::yield_now();
    }
    let mut line = Line {
        bytes: [0; MAX_LINE],
        length: 0,
    };
    let _ = write!(line, "alea: {why}");
    let text = &mut line.bytes[..=line.length];
    text.iter_mut()
        .filter(|byte| **byte < b' ')
        .for_each(|byte| *byte = b' ');
    text[line.length] = b'\n';
    system::end(text)
}

#[cfg(unix)]
mod system {
    use std::io;

    pub(super) fn end(line: &[u8]) -> ! {
        let _ = rustix::io::write(io::stderr(), line);
        signal_hook::low_level::exit(1)
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn end(line: &[u8]) -> ! {
        let _ = std::io::Write::write_all(&mut std::io::stderr(), line);
        std::process::exit(1)
    }
}

static IS_SERVER: AtomicBool = AtomicBool::new(false);

/// Makes a failure to start a thread, from now on, end only the request and not the program.
pub(crate) fn mark_as_server() {
    IS_SERVER.store(true, Relaxed);
}

#[cfg(unix)]
pub(crate) fn install_hooks() -> std::io::Result<()> {
    use rustix::io::Errno;
    use signal_hook::consts::SIGBUS;
    use signal_hook_registry::register_sigaction;
    let texts = |error: Errno| {
        let number = error.raw_os_error();
        [format!("code: {number},"), format!("(os error {number})")]
    };
    let texts = [Errno::AGAIN, Errno::NOMEM].map(texts).concat();
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let message = panic.payload_as_str().unwrap_or_default();
        let is_refused = ["thread", "spawn"]
            .iter()
            .any(|word| message.contains(word))
            && texts.iter().any(|text| message.contains(text));
        if is_refused && !IS_SERVER.load(Relaxed) {
            exit_with_line(format_args!("out of memory or threads: {message}"));
        }
        default_hook(panic);
    }));
    // SAFETY: the handler neither allocates nor blocks, and SIGBUS carries an address. The standard
    // library's handler is removed, because it would run first and end the program if a second
    // thread fails at the same time; it is for guard pages only, which raise another signal on
    // Linux.
    let registered = unsafe {
        libc::signal(SIGBUS, libc::SIG_DFL);
        register_sigaction(SIGBUS, |signal| {
            if let Some(file) = engine::core::mapped_file::mapped_file_at(signal.si_addr().addr()) {
                exit_with_line(format_args!(
                    "{file}: a part that was there is gone or cannot be read; it was changed while it was in use, or its disk fails"
                ));
            }
            let _ = signal_hook::low_level::emulate_default_handler(SIGBUS);
        })
    };
    registered.map(drop)
}
