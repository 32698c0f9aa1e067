//! Compresses the model files, which make a tenth of the command smaller.

use miniz_oxide::deflate::compress_to_vec_zlib;
use std::{env, error::Error, fs, path::Path};

const LEVEL: u8 = 9;

fn main() -> Result<(), Box<dyn Error>> {
    let out = env::var_os("OUT_DIR").ok_or("no OUT_DIR")?;
    for entry in fs::read_dir(".")? {
        let path = entry?.path();
        let (Some(name), Some("safetensors")) = (
            path.file_name(),
            path.extension().and_then(|ending| ending.to_str()),
        ) else {
            continue;
        };
        println!("cargo:rerun-if-changed={}", path.display());
        fs::write(
            Path::new(&out).join(name),
            compress_to_vec_zlib(&fs::read(&path)?, LEVEL),
        )?;
    }
    println!("cargo:rerun-if-changed=build.rs");
    Ok(())
}
