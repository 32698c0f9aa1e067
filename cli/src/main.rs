//! The command `alea`.

#[global_allocator]
static ALLOCATOR: cli::Allocator = cli::Allocator;

fn main() -> std::process::ExitCode {
    cli::main()
}
