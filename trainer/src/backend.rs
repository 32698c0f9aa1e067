//! Devices on which burn trains, always named, as burn's default depends on enabled features.

use crate::Error;
use burn::tensor::Device;

/// Name of each backend, and whether it is compiled in.
const BACKENDS: [(&str, bool); 3] = [
    ("flex", cfg!(feature = "flex")),
    ("wgpu", cfg!(feature = "wgpu")),
    ("cuda", cfg!(feature = "cuda")),
];

fn compiled_backends() -> String {
    let compiled = BACKENDS.iter().filter(|(_, compiled)| *compiled);
    match compiled.map(|(name, _)| *name).collect::<Vec<_>>()[..] {
        [] => "none".to_owned(),
        ref names => names.join(", "),
    }
}

/// The backend's device, without automatic differentiation.
pub(crate) fn device(name: &str) -> Result<Device, Error> {
    match name {
        #[cfg(feature = "flex")]
        "flex" => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(Default::default())),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        _ => {
            let list = compiled_backends();
            let exists = BACKENDS.iter().any(|(backend, _)| *backend == name);
            Err(Error::new(if exists {
                format!(
                    "the backend {name} is not compiled in, only {list}; build it in with: cargo build --release -p alea --features {name}"
                )
            } else {
                format!(
                    "'{name}' is not a training backend; there are flex, wgpu and cuda, compiled in: {list}"
                )
            }))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_is_a_device_or_an_error_that_names_the_others() {
        for (name, compiled) in BACKENDS {
            if !compiled {
                assert!(
                    device(name)
                        .unwrap_err()
                        .to_string()
                        .contains(&format!("--features {name}"))
                );
            }
        }
        let error = device("tpu").unwrap_err().to_string();
        assert!(
            error.contains("'tpu'") && error.contains(&compiled_backends()),
            "{error}"
        );
        assert_eq!(compiled_backends().contains("flex"), device("flex").is_ok());
    }
}
