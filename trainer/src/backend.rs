//! Training backends: the hand-written CPU step, and those of burn, each behind a feature.

use crate::Error;
#[cfg(feature = "burn")]
use burn::tensor::Device;

const BURN_BACKENDS: [(&str, bool); 3] = [
    ("flex", cfg!(feature = "flex")),
    ("wgpu", cfg!(feature = "wgpu")),
    ("cuda", cfg!(feature = "cuda")),
];

pub(crate) enum Backend {
    /// Training step of [`crate::models::cpu`].
    Cpu,
    /// Training step of burn on this device, without automatic differentiation.
    #[cfg(feature = "burn")]
    Burn(Device),
}

impl Backend {
    pub(crate) fn from_name(name: &str) -> Result<Self, Error> {
        match name {
            "cpu" => Ok(Self::Cpu),
            #[cfg(feature = "flex")]
            "flex" => Ok(Self::Burn(Device::flex())),
            #[cfg(feature = "wgpu")]
            "wgpu" => Ok(Self::Burn(Device::wgpu(Default::default()))),
            #[cfg(feature = "cuda")]
            "cuda" => Ok(Self::Burn(Device::cuda(0))),
            _ => {
                let list = compiled_backends();
                let exists = BURN_BACKENDS.iter().any(|(backend, _)| *backend == name);
                Err(Error::new(if exists {
                    format!(
                        "the backend {name} is not compiled in, only {list}; build it in with: cargo build --release -p alea-cli --features {name}"
                    )
                } else {
                    format!(
                        "'{name}' is not a training backend; there are cpu, flex, wgpu and cuda, compiled in: {list}"
                    )
                }))
            }
        }
    }
}

fn compiled_backends() -> String {
    let burn = BURN_BACKENDS.iter().filter(|(_, compiled)| *compiled);
    let names = std::iter::once("cpu").chain(burn.map(|(name, _)| *name));
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_backend_exists_or_is_an_error_that_names_the_others() {
        let error = |name| {
            Backend::from_name(name)
                .err()
                .map(|error| error.to_string())
        };
        for (name, compiled) in BURN_BACKENDS {
            if !compiled {
                let error = error(name).unwrap();
                assert!(error.contains(&format!("--features {name}")), "{error}");
            }
        }
        let unknown = error("tpu").unwrap();
        assert!(
            unknown.contains("'tpu'") && unknown.contains(&compiled_backends()),
            "{unknown}"
        );
        assert_eq!(error("cpu"), None);
    }
}
