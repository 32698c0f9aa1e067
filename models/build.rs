//! Compresses the model files of `lib.rs`, which makes the command a tenth smaller.

use miniz_oxide::deflate::compress_to_vec_zlib;
use std::{env, error::Error, fs, path::Path};

const LEVEL: u8 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    let source = fs::read_to_string("lib.rs")?;
    for name in source
        .split('"')
        .filter(|text| text.ends_with(".safetensors"))
    {
        println!("cargo:rerun-if-changed={name}");
        let content = fs::read(name).map_err(|error| format!("{name}: {error}"))?;
        fs::write(
            Path::new(&out).join(name),
            compress_to_vec_zlib(&content, LEVEL),
        )?;
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=lib.rs");
    Ok(())
}
