//! The model file of an integer network.
//!
//! Invariant: scales are those of the build, which the file names; weights that could overflow a
//! sum are refused.

use crate::games::einstein::Standard;
use crate::games::einstein::learned::MODEL_GAME;
use crate::games::einstein::learned::integer_network::inputs::{SideGroups, layout};
use crate::games::einstein::learned::integer_network::{
    FULL, HIDDEN_SCALE, IntegerError, IntegerNetwork, IntegerWeights, LOGIT_SCALE, OUTPUT_SCALE,
    ROW_SCALE,
};
use crate::learned::container::{Container, Tensor};
use crate::learned::files::{ModelProblem, check_features, check_scales, metadata};
use crate::learned::inputs::IntegerModel;

/// The kind in the metadata.
const KIND: &str = "integer_network";

impl From<IntegerError> for ModelProblem {
    fn from(error: IntegerError) -> Self {
        Self::Integer(error.to_string())
    }
}

impl IntegerModel<Standard> for IntegerNetwork {
    fn layout(&self) -> String {
        Self::layout(self)
    }

    fn parameters(&self) -> usize {
        self.weights().parameters()
    }

    fn summary(&self) -> String {
        format!(
            "layers {:?} in integers, inputs squares,{}",
            self.shape(),
            self.weights().groups.names()
        )
    }

    fn game(&self) -> String {
        MODEL_GAME.to_owned()
    }

    fn container(&self) -> Container {
        container(self)
    }

    fn read(container: Container) -> Result<Self, ModelProblem> {
        read(container)
    }
}

fn scales() -> String {
    format!(
        "{{\"rows\":{ROW_SCALE},\"hidden1.bias\":{ROW_SCALE},\"hidden2.weight\":{HIDDEN_SCALE},\"hidden2.bias\":{FULL},\
         \"output.weight\":{OUTPUT_SCALE},\"output.bias\":{LOGIT_SCALE}}}"
    )
}

/// The parts of a file. Wide numbers come first, so that each tensor begins at a multiple of its
/// numbers' size.
fn container(model: &IntegerNetwork) -> Container {
    let weights = model.weights();
    let [first, second] = model.shape();
    Container {
        metadata: metadata([
            ("kind", KIND.to_owned()),
            ("features", model.layout()),
            ("inputs", weights.groups.names()),
            ("shape", format!("{first},{second}")),
            ("scales", scales()),
        ]),
        tensors: vec![
            Tensor::integers("hidden2.bias", vec![second], &weights.hidden_bias),
            Tensor::integers("output.bias", vec![1], &[weights.output_bias]),
            Tensor::shorts(
                "rows",
                vec![2 * weights.groups.rows(), first],
                &weights.rows,
            ),
            Tensor::shorts("hidden1.bias", vec![first], &weights.bias),
            Tensor::shorts("output.weight", vec![second], &weights.output),
            Tensor::bytes("hidden2.weight", vec![first, second], &weights.hidden),
        ],
    }
}

/// The network in a file.
fn read(mut container: Container) -> Result<IntegerNetwork, ModelProblem> {
    let groups = SideGroups::from_names(container.value("inputs")?)?;
    check_features(&container, &layout(groups))?;
    check_scales(&container, &scales())?;
    let shape = container.value("shape")?;
    let widths: Option<Vec<usize>> = shape
        .split(',')
        .map(|width| width.parse::<u16>().ok().map(usize::from))
        .collect();
    let Some([first, second]) = widths
        .as_deref()
        .and_then(|widths| <[usize; 2]>::try_from(widths).ok())
    else {
        let expected = "the neurons of two hidden layers, for example 64,32";
        return Err(ModelProblem::Value {
            key: "shape",
            value: shape.to_owned(),
            expected,
        });
    };
    container.check_checksums()?;
    let weights = IntegerWeights {
        groups,
        rows: container.take_shorts("rows", &[2 * groups.rows(), first])?,
        bias: container.take_shorts("hidden1.bias", &[first])?,
        hidden: container.take_bytes("hidden2.weight", &[first, second])?,
        hidden_bias: container.take_integers("hidden2.bias", &[second])?,
        output: container.take_shorts("output.weight", &[second])?,
        output_bias: container.take_integers("output.bias", &[1])?[0],
    };
    container.finish()?;
    Ok(IntegerNetwork::new(weights)?)
}
