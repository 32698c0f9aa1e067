//! The network: rows that are on → one to three layers of clipped relu → the logit of a win, and
//! what its heads say.
//!
//! `x₁ = clip(b₁ + Σ_k sparse[row_k])`, `xₖ = clip(bₖ + Wₖ xₖ₋₁)`, `logit = b + w · x`, where x is the
//! last layer and clip is to `[0, 1]`. Heads are linear in x, too. Weights and activations are rounded
//! as in the engine's whole numbers ([`engine::learned::network`]). What comes after the first layer
//! there is once for each bucket, of which a sample has one.

use super::{
    bag, cross_entropy,
    fused::{
        Shape,
        grid::{HALVES, HALVES_BETWEEN, STEP},
        matrix::transposed,
    },
    heads::{Losses, Outputs, outcome_mask, plies_loss, roll_loss},
    parameter,
    tensors::numbers,
    uniform, values,
};
use crate::Error;
use crate::batch::HeadTargets;
use burn::{
    module::{Module, Param},
    tensor::{Device, Int, Tensor},
};
use engine::core::random::RandomStream;
use engine::learned::network::{
    FULL, HIDDEN_SCALE, Head, HeadWeights, Layer, OUTPUT_SCALE, ROW_SCALE, TrainedWeights,
};

/// The trainable network; matrices are `[inputs, outputs]`, after the first layer those of all
/// buckets one below the other. What a network does not have is not in its record either.
#[derive(Module, Debug)]
pub(crate) struct NetworkModel {
    sparse: Param<Tensor<2>>,
    first_bias: Param<Tensor<1>>,
    second: Option<Param<Tensor<2>>>,
    second_bias: Option<Param<Tensor<1>>>,
    third: Option<Param<Tensor<2>>>,
    third_bias: Option<Param<Tensor<1>>>,
    output: Param<Tensor<2>>,
    /// Transposed, `[outcomes, inputs]`: a sample learns the row of one outcome of chance.
    rolls: Option<Param<Tensor<2>>>,
    moves_to_go: Option<Param<Tensor<2>>>,
    output_bias: Param<Tensor<1>>,
    rolls_bias: Option<Param<Tensor<1>>>,
    moves_to_go_bias: Option<Param<Tensor<1>>>,
    buckets: usize,
}

/// What a network says of a batch.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    /// Logits of a win, `[batch, 1]`.
    pub(crate) logits: Tensor<2>,
    /// Logits of a win after each outcome of chance, `[batch, outcomes]`, if there is such a head.
    pub(crate) rolls: Option<Tensor<2>>,
    /// Plies to the end over 16, `[batch, 1]`, if there is such a head.
    pub(crate) plies: Option<Tensor<2>>,
}

impl Said {
    /// The loss of a batch whose gradient is wanted, where `weights` are what the losses of rolls and
    /// of plies count; and the sums of the losses.
    pub(crate) fn losses(
        self,
        targets: [Tensor<2>; 2],
        heads: &HeadTargets,
        weights: [f32; 2],
        device: &Device,
    ) -> Result<(Tensor<1>, Losses), Error> {
        let number = |loss: &Tensor<1>| Ok::<_, Error>(f64::from(numbers(loss.clone())?[0]));
        let samples = targets[0].dims()[0] as f64;
        let mut loss = cross_entropy(self.logits, targets);
        let mut losses = Losses::from(number(&loss)? * samples);
        let outcomes = heads.outcomes.iter().filter(|outcome| **outcome > 0);
        let lengths = heads.plies.iter().filter(|plies| **plies >= 0.0);
        for (head, samples_known, weight, place) in [
            (
                self.rolls.map(|said| roll_loss(said, heads, device)),
                outcomes.count(),
                weights[0],
                &mut losses.rolls,
            ),
            (
                self.plies.map(|said| plies_loss(said, heads, device)),
                lengths.count(),
                weights[1],
                &mut losses.moves_to_go,
            ),
        ] {
            if let Some(head) = head {
                (place.sum, place.samples) = (number(&head)?, samples_known as u64);
                loss = loss + head * (f64::from(weight) / samples);
            }
        }
        Ok((loss, losses))
    }

    /// The numbers; of rolls those of the outcomes that came.
    pub(crate) fn outputs(self, heads: &HeadTargets, device: &Device) -> Result<Outputs, Error> {
        let came = self.rolls.map(|rolls| {
            let mask = outcome_mask(heads, rolls.dims()[1], device);
            (rolls * mask).sum_dim(1)
        });
        Ok(Outputs {
            logits: numbers(self.logits)?,
            rolls: numbers_of(came)?,
            plies: numbers_of(self.plies)?,
        })
    }
}

/// The numbers of a head; none of one that is not there.
pub(crate) fn numbers_of(said: Option<Tensor<2>>) -> Result<Vec<f32>, Error> {
    said.map_or(Ok(Vec::new()), numbers)
}

impl NetworkModel {
    /// A network of this shape; uniform weights within one over the root of a layer's active
    /// inputs, and biases of 0 at the output and the heads. Heads are drawn last: all else is as
    /// without them.
    pub(crate) fn new(shape: Shape, random: &mut RandomStream, device: &Device) -> Self {
        let next = |inputs: Option<usize>| {
            inputs.map_or(0.0, |inputs| {
                uniform(random, 1.0 / (inputs as f64).sqrt())()
            })
        };
        Self::filled(shape, next, device)
    }

    /// A network of the numbers that [`Self::parameters`] gives.
    pub(crate) fn from_parameters(shape: Shape, parameters: &[f32], device: &Device) -> Self {
        assert_eq!(
            parameters.len(),
            shape.parameters(),
            "one number for each weight"
        );
        // Each tensor takes what it needs from the front.
        let mut numbers = parameters.iter().copied();
        Self::filled(shape, |_| numbers.next().unwrap_or_default(), device)
    }

    /// A network of the numbers of `next`, tensor by tensor in the order of the fields; it is told
    /// the active inputs of the weight's layer, and none for the biases of output and heads.
    fn filled(shape: Shape, mut next: impl FnMut(Option<usize>) -> f32, device: &Device) -> Self {
        let (inputs, hidden, buckets) = (shape.sparse(), shape.hidden(), shape.buckets());
        let (active, outcomes) = (Some(inputs.active), inputs.outcomes);
        let (first, last) = (hidden[0], hidden[hidden.len() - 1]);
        let sparse = parameter(1, [inputs.rows, first], || next(active), device);
        let first_bias = parameter(3, [first], || next(active), device);
        let mut layer = |number: usize, id: u64| {
            let outputs = *hidden.get(number)?;
            let inputs = hidden[number - 1];
            let shape = [buckets * inputs, outputs];
            let weights = parameter(id, shape, || next(Some(inputs)), device);
            let bias = [buckets * outputs];
            Some((
                weights,
                parameter(id + 1, bias, || next(Some(inputs)), device),
            ))
        };
        // Numbers of parameters are part of records: the third layer came last.
        let (second, second_bias) = layer(1, 4).unzip();
        let (third, third_bias) = layer(2, 8).unzip();
        let output = parameter(6, [buckets * last, 1], || next(Some(last)), device);
        let (has_rolls, has_moves) = (
            shape.heads().contains(Head::Rolls),
            shape.heads().contains(Head::MovesToGo),
        );
        let all = [buckets * outcomes, last];
        let rolls = has_rolls.then(|| parameter(10, all, || next(Some(last)), device));
        let all = [buckets * last, 1];
        let moves_to_go = has_moves.then(|| parameter(11, all, || next(Some(last)), device));
        let output_bias = parameter(7, [buckets], || next(None), device);
        let rolls_bias =
            has_rolls.then(|| parameter(12, [buckets * outcomes], || next(None), device));
        let moves_to_go_bias = has_moves.then(|| parameter(13, [buckets], || next(None), device));
        Self {
            sparse,
            first_bias,
            second,
            second_bias,
            third,
            third_bias,
            output,
            rolls,
            moves_to_go,
            output_bias,
            rolls_bias,
            moves_to_go_bias,
            buckets,
        }
    }

    /// Weights and biases of the hidden layers after the first.
    fn further(&self) -> impl Iterator<Item = Linear<'_>> {
        let layers = [
            linear(&self.second, &self.second_bias),
            linear(&self.third, &self.third_bias),
        ];
        layers.into_iter().flatten()
    }

    /// Something of each tensor, in the order of the fields.
    fn each<T>(
        &self,
        matrix: impl Fn(&Param<Tensor<2>>) -> T,
        bias: impl Fn(&Param<Tensor<1>>) -> T,
    ) -> Vec<T> {
        let mut all = vec![matrix(&self.sparse)];
        all.push(bias(&self.first_bias));
        for (weights, its_bias) in self.further() {
            all.extend([matrix(weights), bias(its_bias)]);
        }
        all.push(matrix(&self.output));
        all.extend(
            [&self.rolls, &self.moves_to_go]
                .into_iter()
                .flatten()
                .map(matrix),
        );
        all.push(bias(&self.output_bias));
        let biases = [&self.rolls_bias, &self.moves_to_go_bias];
        all.extend(biases.into_iter().flatten().map(bias));
        all
    }

    /// All weights, tensor by tensor in the order of the fields.
    pub(crate) fn parameters(&self) -> Vec<f32> {
        self.each(values, values).concat()
    }

    /// The gradients of all weights, in the order of [`Self::parameters`].
    #[cfg(test)]
    #[cfg(feature = "flex")]
    pub(super) fn gradients(&self, gradients: &burn::tensor::Gradients) -> Vec<f32> {
        fn of<const D: usize>(
            parameter: &Param<Tensor<D>>,
            gradients: &burn::tensor::Gradients,
        ) -> Vec<f32> {
            let gradient = parameter.val().grad(gradients);
            gradient.map_or(Vec::new(), |gradient| {
                gradient.into_data().iter::<f32>().collect()
            })
        }
        self.each(|matrix| of(matrix, gradients), |bias| of(bias, gradients))
            .concat()
    }

    /// What it says of rows `[batch, active]`, of samples with a 1 in the column of their bucket
    /// `[batch, buckets]`; none if there is one.
    pub(crate) fn say(&self, rows: Tensor<2, Int>, buckets: Option<Tensor<2>>) -> Said {
        let first = self.first_layer(rows);
        let Some(buckets) = buckets else {
            return self.said_by(0, first);
        };
        let [samples, count] = buckets.dims();
        let mask = |said: Tensor<2>, bucket: usize| {
            said * buckets.clone().slice([0..samples, bucket..bucket + 1])
        };
        let masked = |bucket: usize| {
            let said = self.said_by(bucket, first.clone());
            Said {
                logits: mask(said.logits, bucket),
                rolls: said.rolls.map(|rolls| mask(rolls, bucket)),
                plies: said.plies.map(|plies| mask(plies, bucket)),
            }
        };
        let both = |one: Option<Tensor<2>>, other: Option<Tensor<2>>| {
            one.zip(other).map(|(one, other)| one + other)
        };
        (1..count).map(masked).fold(masked(0), |sum, said| Said {
            logits: sum.logits + said.logits,
            rolls: both(sum.rolls, said.rolls),
            plies: both(sum.plies, said.plies),
        })
    }

    /// What a bucket says, from the first layer.
    fn said_by(&self, bucket: usize, first: Tensor<2>) -> Said {
        let last = self.last_layer(bucket, first);
        let part = |tensor: &Param<Tensor<2>>| self.part(tensor.val(), bucket);
        let head = |weights: Tensor<2>, bias: &Param<Tensor<1>>| {
            last.clone().matmul(weights) + self.part(bias.val(), bucket).unsqueeze()
        };
        Said {
            rolls: linear(&self.rolls, &self.rolls_bias)
                .map(|(rolls, bias)| head(part(rolls).transpose(), bias)),
            plies: linear(&self.moves_to_go, &self.moves_to_go_bias)
                .map(|(moves, bias)| head(part(moves), bias)),
            logits: head(nearest(part(&self.output), OUTPUT_SCALE), &self.output_bias),
        }
    }

    /// What of a tensor is a bucket's.
    fn part<const D: usize>(&self, tensor: Tensor<D>, bucket: usize) -> Tensor<D> {
        let length = tensor.dims()[0] / self.buckets;
        tensor.narrow(0, bucket * length, length)
    }

    fn first_layer(&self, rows: Tensor<2, Int>) -> Tensor<2> {
        let bias = units(self.first_bias.val(), ROW_SCALE) + HALVES;
        let sums = bag(units(self.sparse.val(), ROW_SCALE), rows) + bias.unsqueeze();
        in_steps(sums / STEP)
    }

    /// The last hidden layer of a bucket.
    fn last_layer(&self, bucket: usize, first: Tensor<2>) -> Tensor<2> {
        let (mut layer, layers) = (first, self.further().count());
        for ((weights, bias), number) in self.further().zip(1..) {
            let weights = nearest(self.part(weights.val(), bucket), HIDDEN_SCALE);
            let bias = nearest(self.part(bias.val(), bucket), FULL);
            let sums = layer.matmul(weights) + bias.unsqueeze();
            let (full, half) = (FULL as f32, 0.5 / FULL as f32);
            layer = match number == layers {
                true => passing(
                    sums.clone().clamp(half, 1.0 - half),
                    (sums * full).round().clamp(0.0, full) / full,
                ),
                false => in_steps(sums * 127.0 + HALVES_BETWEEN),
            };
        }
        layer
    }

    /// The weights as the engine takes them.
    pub(crate) fn weights(&self) -> TrainedWeights {
        TrainedWeights {
            rows: values(&self.sparse),
            bias: values(&self.first_bias),
            hidden: self.further().map(layer).collect(),
            output: values(&self.output),
            output_bias: values(&self.output_bias),
            heads: HeadWeights {
                rolls: linear(&self.rolls, &self.rolls_bias).map(|rolls| {
                    let Layer { weights, bias } = layer(rolls);
                    let inputs = weights.len() / bias.len();
                    let buckets = weights.chunks_exact(weights.len() / self.buckets);
                    let weights = buckets
                        .flat_map(|bucket| transposed(bucket, inputs))
                        .collect();
                    Layer { weights, bias }
                }),
                moves_to_go: linear(&self.moves_to_go, &self.moves_to_go_bias).map(layer),
            },
        }
    }
}

/// Weights and biases.
type Linear<'a> = (&'a Param<Tensor<2>>, &'a Param<Tensor<1>>);

/// Both or nothing.
fn linear<'a>(
    weights: &'a Option<Param<Tensor<2>>>,
    bias: &'a Option<Param<Tensor<1>>>,
) -> Option<Linear<'a>> {
    weights.as_ref().zip(bias.as_ref())
}

fn layer((weights, bias): Linear<'_>) -> Layer {
    Layer {
        weights: values(weights),
        bias: values(bias),
    }
}

/// Activations in steps of 1 / 127, rounded down.
fn in_steps(steps: Tensor<2>) -> Tensor<2> {
    let steps = steps.clamp(0.0, 127.0);
    passing(steps.clone(), steps.floor()) / 127.0
}

/// Numbers with the gradient of others.
fn passing<const D: usize>(others: Tensor<D>, numbers: Tensor<D>) -> Tensor<D> {
    others.clone() + (numbers - others).detach()
}

/// The nearest whole numbers of units of 1 / `scale`.
fn units<const D: usize>(weights: Tensor<D>, scale: i32) -> Tensor<D> {
    let scaled = weights * scale as f32;
    passing(scaled.clone(), scaled.round())
}

/// The nearest multiples of 1 / `scale`.
fn nearest<const D: usize>(weights: Tensor<D>, scale: i32) -> Tensor<D> {
    units(weights, scale) / scale as f32
}

#[cfg(test)]
#[cfg(feature = "flex")]
mod tests {
    use super::*;
    use crate::models::fused::Sparse;
    use engine::learned::network::Heads;

    const ACTIVE: usize = 12;
    const SPARSE_ROWS: usize = 26 * ACTIVE;
    const SPARSE: Sparse = Sparse {
        rows: SPARSE_ROWS,
        active: ACTIVE,
        outcomes: 6,
    };

    #[test]
    fn a_network_is_its_parameters() {
        for hidden in [&[16][..], &[16, 32], &[16, 32, 48]] {
            for (buckets, heads) in [
                (1, Heads::NONE),
                (3, Heads::NONE),
                (2, Heads::ALL),
                (1, Heads::NONE.with(Head::MovesToGo)),
            ] {
                let shape = Shape::new(SPARSE, hidden)
                    .with_heads(heads)
                    .with_buckets(buckets);
                let model = NetworkModel::new(shape, &mut RandomStream::new(5), &Device::flex());
                assert_eq!(model.parameters().len(), shape.parameters());
                let again =
                    NetworkModel::from_parameters(shape, &model.parameters(), &Device::flex());
                assert_eq!(again.weights(), model.weights());
                assert_eq!(
                    again.into_record().into_bytes().unwrap().to_vec(),
                    model.into_record().into_bytes().unwrap().to_vec()
                );
            }
        }
    }

    #[test]
    fn heads_change_nothing_else_and_the_seed_decides_the_weights() {
        let plain = Shape::new(SPARSE, &[16, 32]);
        let weights = |shape, seed| {
            NetworkModel::new(shape, &mut RandomStream::new(seed), &Device::flex()).weights()
        };
        let with_heads = TrainedWeights {
            heads: HeadWeights::default(),
            ..weights(plain.with_heads(Heads::ALL), 5)
        };
        assert_eq!(with_heads, weights(plain, 5));
        assert_ne!(weights(plain, 1).rows, weights(plain, 2).rows);
    }
}
