//! Which device trains: named in the configuration, available if its backend was compiled in.
//!
//! The device is always named: burn's own default depends on the features that happen to be on.

use burn::tensor::Device;

/// A device that cannot be had.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BackendError {
    /// The name is no backend's.
    #[error("'{0}' is no training backend; there are flex, wgpu and cuda, of which {list} compiled in", list = compiled_list())]
    Unknown(String),
    /// The backend exists but is not part of this program.
    #[error("the backend {0} is not compiled in, only {list}; build it in with: cargo build --release -p alea --features {0}", list = compiled_list())]
    NotCompiled(&'static str),
}

/// The backends there are, and whether each is compiled in.
const BACKENDS: [(&str, bool); 3] = [
    ("flex", cfg!(feature = "flex")),
    ("wgpu", cfg!(feature = "wgpu")),
    ("cuda", cfg!(feature = "cuda")),
];

/// Names of the backends that are compiled in: `flex` is the CPU, `wgpu` and `cuda` are GPUs.
#[must_use]
pub fn compiled() -> Vec<&'static str> {
    BACKENDS
        .iter()
        .filter(|(_, compiled)| *compiled)
        .map(|(name, _)| *name)
        .collect()
}

fn compiled_list() -> String {
    match compiled().as_slice() {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

/// The device of a backend, without gradients.
///
/// # Errors
/// If there is no such backend or it is not compiled in; the error lists those that are.
pub fn device(name: &str) -> Result<Device, BackendError> {
    match name {
        #[cfg(feature = "flex")]
        "flex" => Ok(Device::flex()),
        #[cfg(feature = "wgpu")]
        "wgpu" => Ok(Device::wgpu(Default::default())),
        #[cfg(feature = "cuda")]
        "cuda" => Ok(Device::cuda(0)),
        _ => match BACKENDS.iter().find(|(known, _)| *known == name) {
            Some((known, _)) => Err(BackendError::NotCompiled(known)),
            None => Err(BackendError::Unknown(name.to_owned())),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_is_a_device_or_an_error_that_names_the_others() {
        for (name, compiled) in BACKENDS {
            // A GPU backend may be compiled in on a machine without a GPU: only ask for what must
            // be there.
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
            error.contains("'tpu'") && error.contains(&compiled_list()),
            "{error}"
        );
        assert_eq!(compiled().contains(&"flex"), device("flex").is_ok());
    }
}
