//! Loads an epoch's samples and prepares batches ahead of training. Parts (one per shard) are read
//! in random order; in the shuffle buffer, each new sample displaces a random one into a batch.

use crate::Error;
use crate::dataset::Samples;
use crate::sample::{Sample, SampleStore};
use alea_core::random::{RandomStream, SeedSpace, derive_seed};
use alea_play::playable::Playable;
use rayon::ThreadPool;
use std::sync::mpsc::{SyncSender, sync_channel};

const QUEUE_LENGTH: usize = 2;

const ORDER_STREAM: u64 = 1;
const SYMMETRY_STREAM: u64 = 2;

/// Settings that determine the order and symmetries of an epoch's training samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shuffle {
    /// Seed of the training.
    pub seed: u64,
    /// Number of the epoch, from 1.
    pub epoch: usize,
    /// Capacity of the shuffle buffer, in samples.
    pub buffer: usize,
    /// Whether each position is transformed by a random symmetry of the board.
    pub symmetries: bool,
}

/// Source of batches for one pass over training or validation samples.
#[derive(Clone, Copy, Debug)]
pub struct DataLoader<'a, G: Playable> {
    samples: &'a Samples<G>,
    shuffle: Option<Shuffle>,
    batch: usize,
    from: usize,
    slice: [usize; 2],
    pool: Option<&'a ThreadPool>,
}

struct Disconnected;

impl<'a, G: Playable> DataLoader<'a, G> {
    /// Loads training samples in batches of `batch`, without the first `from` batches.
    #[must_use]
    pub fn training(samples: &'a Samples<G>, batch: usize, shuffle: Shuffle, from: usize) -> Self {
        Self {
            shuffle: Some(shuffle),
            from,
            ..Self::validation(samples, batch)
        }
    }

    /// Restricts the pass to the shuffled parts of index k, k + n, k + 2n, … for `slice` = `[k,
    /// n]`.
    #[must_use]
    pub fn with_slice(self, slice: [usize; 2], pool: &'a ThreadPool) -> Self {
        Self {
            slice,
            pool: Some(pool),
            ..self
        }
    }

    /// Loads all validation samples in order, in batches of `batch`.
    #[must_use]
    pub fn validation(samples: &'a Samples<G>, batch: usize) -> Self {
        Self {
            samples,
            shuffle: None,
            batch,
            from: 0,
            slice: [0, 1],
            pool: None,
        }
    }

    /// Number of batches in a complete pass; counts skipped batches and ignores the slice.
    #[must_use]
    pub fn num_batches(&self) -> usize {
        let samples = if self.shuffle.is_some() {
            self.samples.num_training()
        } else {
            self.samples.validation().len()
        };
        samples.div_ceil(self.batch)
    }

    /// Prepares batches on other threads; passes each with its index to `learn`, until that fails.
    pub fn for_each_batch<B: Send>(
        &self,
        prepare: impl Fn(&[Sample<G::Position>]) -> B + Sync,
        mut learn: impl FnMut(usize, B) -> Result<(), Error>,
    ) -> Result<(), Error> {
        std::thread::scope(|scope| {
            let (unprepared_queue, unprepared) = sync_channel::<Vec<Sample<_>>>(QUEUE_LENGTH);
            let (prepared, ready) = sync_channel(QUEUE_LENGTH);
            // An error of `learn` drops the receivers, which ends both threads.
            let reader = scope.spawn(move || self.send_batches(&unprepared_queue));
            let prepare = &prepare;
            scope.spawn(move || {
                unprepared
                    .into_iter()
                    .try_for_each(|samples| prepared.send(prepare(&samples)))
            });
            for (number, batch) in (self.from..).zip(ready) {
                learn(number, batch)?;
            }
            match reader.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            }
        })
    }

    fn send_batches(
        &self,
        unprepared_queue: &SyncSender<Vec<Sample<G::Position>>>,
    ) -> Result<(), Error> {
        let Some(shuffle) = self.shuffle else {
            let _ = self
                .samples
                .validation()
                .chunks(self.batch)
                .try_for_each(|samples| unprepared_queue.send(samples.to_vec()));
            return Ok(());
        };
        let mut batches = BatchCollector {
            loader: self,
            number: 0,
            samples: Vec::new(),
            shuffle,
            unprepared_queue,
        };
        let mut random = RandomStream::new(derive_seed(
            shuffle.seed,
            SeedSpace::Training,
            &[ORDER_STREAM, shuffle.epoch as u64],
        ));
        let mut parts: Vec<usize> = (0..self.samples.num_parts()).collect();
        random.shuffle(&mut parts);
        let [slice, slices] = self.slice;
        let parts: Vec<usize> = parts.into_iter().skip(slice).step_by(slices).collect();
        if shuffle.buffer >= self.samples.num_training()
            && let Some(store) = self.samples.store()
        {
            let own = parts.iter().flat_map(|&part| self.samples.part_range(part));
            let mut indices: Vec<u32> = own.map(|index| index as u32).collect();
            while !indices.is_empty() {
                let index = indices.swap_remove(random.below(indices.len()));
                if batches.push(store.get(index as usize)).is_err() {
                    return Ok(());
                }
            }
            let _ = batches.send();
            return Ok(());
        }
        let threads =
            (self.pool).map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads);
        let mut buffer = SampleStore::new(
            shuffle.buffer.min(self.samples.num_training()) + 1,
            self.samples.has_weights(),
        );
        for parts in parts.chunks(threads) {
            let read = || {
                alea_parallel::try_map(parts.len(), |index| self.samples.read_part(parts[index]))
            };
            let read: Result<Vec<Vec<_>>, Error> = match self.pool {
                Some(pool) => pool.install(read),
                None => read(),
            };
            for sample in read?.into_iter().flatten() {
                if buffer.len() < shuffle.buffer {
                    buffer.push(sample);
                } else {
                    let index = random.below(buffer.len());
                    buffer.push(sample);
                    if batches.push(buffer.swap_remove(index)).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        while buffer.len() > 0 {
            let index = random.below(buffer.len());
            if batches.push(buffer.swap_remove(index)).is_err() {
                return Ok(());
            }
        }
        let _ = batches.send();
        Ok(())
    }
}

struct BatchCollector<'a, G: Playable> {
    loader: &'a DataLoader<'a, G>,
    number: usize,
    samples: Vec<Sample<G::Position>>,
    shuffle: Shuffle,
    unprepared_queue: &'a SyncSender<Vec<Sample<G::Position>>>,
}

impl<G: Playable> BatchCollector<'_, G> {
    #[inline]
    fn push(&mut self, sample: Sample<G::Position>) -> Result<(), Disconnected> {
        self.samples.push(sample);
        if self.samples.len() < self.loader.batch {
            Ok(())
        } else {
            self.send()
        }
    }

    fn send(&mut self) -> Result<(), Disconnected> {
        let number = self.number;
        self.number += 1;
        if number < self.loader.from || self.samples.is_empty() {
            self.samples.clear();
            return Ok(());
        }
        let next = Vec::with_capacity(self.loader.batch);
        let mut samples = std::mem::replace(&mut self.samples, next);
        if self.shuffle.symmetries {
            let (game, [slice, slices]) = (self.loader.samples.game(), self.loader.slice);
            let number = (number * slices + slice) as u64;
            let indices = [SYMMETRY_STREAM, self.shuffle.epoch as u64, number];
            let mut random = RandomStream::new(derive_seed(
                self.shuffle.seed,
                SeedSpace::Training,
                &indices,
            ));
            for sample in &mut samples {
                let symmetry = random.below(game.symmetries());
                sample.position = game.transform_position(&sample.position, symmetry);
            }
        }
        self.unprepared_queue
            .send(samples)
            .map_err(|_| Disconnected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use engine::games::einstein::{
        Position, Standard,
        symmetry::{SYMMETRIES, transform_position},
    };
    use std::collections::HashMap;

    fn samples() -> Samples<Standard> {
        let parts = [20, 1, 0, 9, 30]
            .into_iter()
            .zip(1..)
            .map(|(games, seed)| random_samples(games, seed))
            .collect();
        Samples::in_memory(&Standard::default(), parts, random_samples(10, 9)).unwrap()
    }

    fn shuffle(seed: u64, epoch: usize, window: usize) -> Shuffle {
        Shuffle {
            seed,
            epoch,
            buffer: window,
            symmetries: false,
        }
    }

    fn with_symmetries(order: Shuffle) -> Shuffle {
        Shuffle {
            symmetries: true,
            ..order
        }
    }

    fn collect(loader: &DataLoader<'_, Standard>) -> Vec<Sample<Position>> {
        let mut all: Vec<Vec<Sample<Position>>> = Vec::new();
        loader
            .for_each_batch(<[Sample<Position>]>::to_vec, |number, batch| {
                assert_eq!(number, loader.from + all.len());
                all.push(batch);
                Ok(())
            })
            .unwrap();
        assert_eq!(loader.from + all.len(), loader.num_batches());
        assert!(
            all[..all.len() - 1]
                .iter()
                .all(|batch| batch.len() == loader.batch)
        );
        all.concat()
    }

    fn pool(threads: usize) -> ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    fn epoch_of(
        samples: &Samples<Standard>,
        batch: usize,
        order: Shuffle,
    ) -> Vec<Sample<Position>> {
        collect(&DataLoader::training(samples, batch, order, 0))
    }

    fn matching_symmetries(
        plain: &Sample<Position>,
        with_symmetries: &Sample<Position>,
    ) -> Vec<usize> {
        (0..SYMMETRIES)
            .filter(|&symmetry| {
                transform_position(&plain.position, symmetry) == with_symmetries.position
            })
            .collect()
    }

    fn counts(samples: &[Sample<Position>]) -> HashMap<(u64, u32, u32), usize> {
        let mut counts = HashMap::new();
        for sample in samples {
            *counts
                .entry((
                    sample.position.bits(),
                    sample.value.to_bits(),
                    sample.result.to_bits(),
                ))
                .or_default() += 1;
        }
        counts
    }

    #[test]
    fn slices_together_cover_a_complete_epoch() {
        let samples = samples();
        let pool = pool(2);
        let complete = epoch_of(&samples, 100, shuffle(7, 1, 50));
        let mut parts = Vec::new();
        for slice in 0..3 {
            let loader = DataLoader::training(&samples, 100, shuffle(7, 1, 50), 0);
            let collect_batch = |_, batch: Vec<_>| {
                parts.extend(batch);
                Ok(())
            };
            let loader = loader.with_slice([slice, 3], &pool);
            loader
                .for_each_batch(<[Sample<Position>]>::to_vec, collect_batch)
                .unwrap();
        }
        assert_eq!(counts(&parts), counts(&complete));
        assert_ne!(parts, complete);
    }

    #[test]
    fn an_epoch_has_every_sample_once_for_any_buffer() {
        let samples = samples();
        let expected: Vec<Sample<Position>> = (0..samples.num_parts())
            .flat_map(|part| samples.read_part(part).unwrap())
            .collect();
        for window in [1, 37, 500, usize::MAX] {
            let first = epoch_of(&samples, 100, shuffle(7, 1, window));
            assert_eq!(counts(&first), counts(&expected), "window {window}");
            assert_eq!(first, epoch_of(&samples, 100, shuffle(7, 1, window)));
            for (seed, epoch) in [(7, 2), (8, 1)] {
                assert_ne!(first, epoch_of(&samples, 100, shuffle(seed, epoch, window)));
            }
        }
        assert_eq!(
            collect(&DataLoader::validation(&samples, 100)),
            samples.validation()
        );
    }

    #[test]
    fn large_buffers_shuffle_fully_and_small_ones_locally() {
        // Values encode indices; random indices differ by a third of their number on average.
        let count = 10_000;
        let base = random_samples(1, 1)[0];
        let training: Vec<Sample<Position>> = (0..count)
            .map(|index| Sample {
                value: index as f32 / count as f32,
                ..base
            })
            .collect();
        let samples = Samples::in_memory(&Standard::default(), vec![training], vec![base]).unwrap();
        let distance = |window: usize| {
            let order = epoch_of(&samples, 512, shuffle(3, 1, window));
            let distances = order
                .iter()
                .enumerate()
                .map(|(index, sample)| (index as f32 / count as f32 - sample.value).abs());
            distances.sum::<f32>() / count as f32
        };
        let full = distance(count);
        // Standard deviation of the mean: 0.236 / 100.
        assert!((full - 1.0 / 3.0).abs() < 0.012, "{full}");
        // The number of steps in the buffer is geometric; its mean is the buffer size.
        let small = distance(100);
        assert!(small < 0.02 && small > 0.002, "{small}");
        assert_eq!(distance(count), distance(10 * count));
    }

    #[test]
    fn weights_stay_with_their_samples() {
        let weighted = |games, seed| {
            let (mut random, mut samples) = (RandomStream::new(seed), random_samples(games, seed));
            for sample in &mut samples {
                sample.weight = random.uniform_f64() as f32;
            }
            samples
        };
        let parts = vec![weighted(20, 1), weighted(9, 2)];
        let sorted = |mut samples: Vec<Sample<Position>>| {
            samples.sort_by_key(|sample| (sample.position.bits(), sample.weight.to_bits()));
            samples
        };
        let expected = sorted(parts.concat());
        let samples =
            Samples::in_memory(&Standard::default(), parts, random_samples(10, 9)).unwrap();
        assert!(samples.has_weights());
        for window in [1, 37, usize::MAX] {
            let plain = epoch_of(&samples, 100, shuffle(7, 1, window));
            assert_eq!(sorted(plain.clone()), expected, "window {window}");
            let with_symmetries = epoch_of(&samples, 100, with_symmetries(shuffle(7, 1, window)));
            let pairs = plain.iter().zip(&with_symmetries);
            assert!(pairs.into_iter().all(|(plain, with_symmetries)| {
                plain.weight == with_symmetries.weight
                    && !matching_symmetries(plain, with_symmetries).is_empty()
            }));
        }
    }

    #[test]
    fn symmetries_are_uniform() {
        let samples = samples();
        let plain = epoch_of(&samples, 100, shuffle(7, 1, 300));
        let with_symmetries = epoch_of(&samples, 100, with_symmetries(shuffle(7, 1, 300)));
        assert_eq!(plain.len(), with_symmetries.len());
        let mut counts = [0usize; SYMMETRIES];
        for (plain, with_symmetries) in plain.iter().zip(&with_symmetries) {
            assert_eq!(
                (plain.value, plain.result),
                (with_symmetries.value, with_symmetries.result)
            );
            let matching_symmetries = matching_symmetries(plain, with_symmetries);
            assert!(!matching_symmetries.is_empty());
            // Excludes positions that equal their own image.
            if let [symmetry] = matching_symmetries[..] {
                counts[symmetry] += 1;
            }
        }
        let expected = counts.iter().sum::<usize>() as f64 / 8.0;
        assert!(expected > 50.0);
        assert!(
            counts
                .iter()
                .all(|&count| (count as f64 - expected).abs() < 5.0 * expected.sqrt()),
            "{counts:?}"
        );
    }

    #[test]
    fn the_sequence_does_not_depend_on_the_number_of_threads() {
        let samples = samples();
        let epoch = |threads| {
            let loader = DataLoader::training(&samples, 64, shuffle(5, 3, 200), 0);
            collect(&loader.with_slice([0, 1], &pool(threads)))
        };
        assert_eq!(epoch(1), epoch_of(&samples, 64, shuffle(5, 3, 200)));
        assert_eq!(epoch(1), epoch(3));
        assert_eq!(epoch(1), epoch(16));
    }

    #[test]
    fn skipped_batches_leave_the_rest_unchanged() {
        let samples = samples();
        let order = with_symmetries(shuffle(5, 3, 200));
        let all = epoch_of(&samples, 64, order);
        assert_eq!(
            collect(&DataLoader::training(&samples, 64, order, 3)),
            all[3 * 64..]
        );
    }

    #[test]
    fn a_failed_learner_stops_the_epoch() {
        let samples = samples();
        let mut seen = 0;
        let result = DataLoader::training(&samples, 10, shuffle(1, 1, 50), 0).for_each_batch(
            |samples| samples.len(),
            |number, _| {
                seen += 1;
                if number == 1 {
                    Err(Error::new("no more"))
                } else {
                    Ok(())
                }
            },
        );
        assert_eq!(result.unwrap_err().to_string(), "no more");
        assert_eq!(seen, 2);
    }
}
