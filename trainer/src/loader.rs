//! The order in which samples are learned, and the next batches prepared while the last one is
//! being learned.
//!
//! An epoch reads the parts of a set in a random order, several at once, and shuffles their samples
//! in a window: as long as samples come, each takes a random place there and whatever stood at that
//! place is shown; the rest is shown in a random order. If all samples fit into the window that is
//! a full shuffle, and of samples that are in memory anyway only their places are shuffled. Queues
//! between reading, preparing and learning are short, so memory holds the window, one part a thread
//! and a few batches, whatever the size of the set. Invariant: what is in a batch depends on
//! samples, seed, epoch, window and the batch's number alone, never on how many threads there were
//! or how far they ran ahead.

use crate::Error;
use crate::dataset::Samples;
use crate::sample::{Held, Sample};
use engine::core::random::{RandomStream, SeedSpace, derive_seed};
use engine::play::playable::Playable;
use rayon::{ThreadPool, prelude::*};
use std::sync::mpsc::{SyncSender, sync_channel};

/// Batches that may wait at each of the two queues.
const AHEAD: usize = 2;

/// Streams of the training seed space: the first index of a derived seed.
const ORDER: u64 = 1;
const SYMMETRY: u64 = 2;

/// What decides the order of an epoch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shuffle {
    /// Of the training.
    pub seed: u64,
    /// From 1.
    pub epoch: usize,
    /// Samples that are held in memory to be shuffled.
    pub window: usize,
    /// Whether each sample is shown in a random one of its symmetries.
    pub symmetries: bool,
}

/// One pass over training or validation samples.
#[derive(Clone, Copy, Debug)]
pub struct Pass<'a, G: Playable> {
    samples: &'a Samples<G>,
    /// `None`: validation samples, as they come.
    shuffle: Option<Shuffle>,
    batch: usize,
    /// The first batch that is wanted.
    from: usize,
    /// Which of the parts of the set, of how many.
    share: [usize; 2],
    /// Threads that read; `None`: those of all.
    pool: Option<&'a ThreadPool>,
}

/// Nobody wants more samples.
struct HungUp;

impl<'a, G: Playable> Pass<'a, G> {
    /// All training samples once, `batch` at a time, without the first `from` batches.
    #[must_use]
    pub fn training(samples: &'a Samples<G>, batch: usize, shuffle: Shuffle, from: usize) -> Self {
        Self {
            shuffle: Some(shuffle),
            from,
            ..Self::validation(samples, batch)
        }
    }

    /// Those of every `n`-th part of the set from the `k`-th on, `[k, n]`, which these threads read.
    /// All such passes together show what one over the whole set does.
    #[must_use]
    pub fn part(self, share: [usize; 2], pool: &'a ThreadPool) -> Self {
        Self {
            share,
            pool: Some(pool),
            ..self
        }
    }

    /// All validation samples once, as they are.
    #[must_use]
    pub fn validation(samples: &'a Samples<G>, batch: usize) -> Self {
        Self {
            samples,
            shuffle: None,
            batch,
            from: 0,
            share: [0, 1],
            pool: None,
        }
    }

    /// How many batches there are of the whole set, those left out included.
    #[must_use]
    pub fn batches(&self) -> usize {
        let samples = if self.shuffle.is_some() {
            self.samples.training()
        } else {
            self.samples.validation().len()
        };
        samples.div_ceil(self.batch)
    }

    /// Reads and prepares batches on other threads and gives them to `learn` in order, with their
    /// numbers from 0, until one fails.
    ///
    /// # Errors
    /// If samples cannot be read, or `learn` fails.
    pub fn each<B: Send>(
        &self,
        prepare: impl Fn(&[Sample<G::Position>]) -> B + Sync,
        mut learn: impl FnMut(usize, B) -> Result<(), Error>,
    ) -> Result<(), Error> {
        std::thread::scope(|scope| {
            let (chosen, unprepared) = sync_channel::<Vec<Sample<_>>>(AHEAD);
            let (prepared, ready) = sync_channel(AHEAD);
            // Whoever finds nobody at the other end of its queue stops: a learner that failed has
            // hung up.
            let reader = scope.spawn(move || self.choose(&chosen));
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

    /// Sends the samples of each batch, until nobody wants more.
    fn choose(&self, chosen: &SyncSender<Vec<Sample<G::Position>>>) -> Result<(), Error> {
        let Some(shuffle) = self.shuffle else {
            let _ = self
                .samples
                .validation()
                .chunks(self.batch)
                .try_for_each(|samples| chosen.send(samples.to_vec()));
            return Ok(());
        };
        let mut batches = Batches {
            pass: self,
            number: 0,
            samples: Vec::new(),
            shuffle,
            chosen,
        };
        let mut random = RandomStream::new(derive_seed(
            shuffle.seed,
            SeedSpace::Training,
            &[ORDER, shuffle.epoch as u64],
        ));
        let mut parts: Vec<usize> = (0..self.samples.parts()).collect();
        random.shuffle(&mut parts);
        // All go through the parts in one order, each taking its own.
        let [share, shares] = self.share;
        let parts: Vec<usize> = parts.into_iter().skip(share).step_by(shares).collect();
        if shuffle.window >= self.samples.training()
            && let Some(held) = self.samples.held()
        {
            // What would happen to a window of them happens to their places.
            let own = parts.iter().flat_map(|&part| self.samples.places(part));
            let mut places: Vec<u32> = own.map(|index| index as u32).collect();
            while !places.is_empty() {
                let index = places.swap_remove(random.below(places.len()));
                if batches.push(held.get(index as usize)).is_err() {
                    return Ok(());
                }
            }
            let _ = batches.send();
            return Ok(());
        }
        let threads =
            (self.pool).map_or_else(rayon::current_num_threads, ThreadPool::current_num_threads);
        let mut window = Held::new(
            shuffle.window.min(self.samples.training()) + 1,
            self.samples.are_weighed(),
        );
        for parts in parts.chunks(threads) {
            let read = || {
                parts
                    .par_iter()
                    .map(|&part| self.samples.read(part))
                    .collect()
            };
            let read: Result<Vec<Vec<_>>, Error> = match self.pool {
                Some(pool) => pool.install(read),
                None => read(),
            };
            for sample in read?.into_iter().flatten() {
                if window.len() < shuffle.window {
                    window.push(sample);
                } else {
                    let index = random.below(window.len());
                    window.push(sample);
                    if batches.push(window.swap_remove(index)).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        while window.len() > 0 {
            let index = random.below(window.len());
            if batches.push(window.swap_remove(index)).is_err() {
                return Ok(());
            }
        }
        let _ = batches.send();
        Ok(())
    }
}

/// Samples as they come, batch by batch.
struct Batches<'a, G: Playable> {
    pass: &'a Pass<'a, G>,
    /// Of the batch that is being filled.
    number: usize,
    samples: Vec<Sample<G::Position>>,
    shuffle: Shuffle,
    chosen: &'a SyncSender<Vec<Sample<G::Position>>>,
}

impl<G: Playable> Batches<'_, G> {
    #[inline]
    fn push(&mut self, sample: Sample<G::Position>) -> Result<(), HungUp> {
        self.samples.push(sample);
        if self.samples.len() < self.pass.batch {
            Ok(())
        } else {
            self.send()
        }
    }

    /// Sends what there is, in its symmetries.
    fn send(&mut self) -> Result<(), HungUp> {
        let number = self.number;
        self.number += 1;
        if number < self.pass.from || self.samples.is_empty() {
            self.samples.clear();
            return Ok(());
        }
        let next = Vec::with_capacity(self.pass.batch);
        let mut samples = std::mem::replace(&mut self.samples, next);
        if self.shuffle.symmetries {
            let (game, [share, shares]) = (self.pass.samples.game(), self.pass.share);
            let number = (number * shares + share) as u64;
            let indices = [SYMMETRY, self.shuffle.epoch as u64, number];
            let mut random = RandomStream::new(derive_seed(
                self.shuffle.seed,
                SeedSpace::Training,
                &indices,
            ));
            for sample in &mut samples {
                let symmetry = random.below(game.symmetries());
                sample.position = game.image(&sample.position, symmetry);
            }
        }
        self.chosen.send(samples).map_err(|_| HungUp)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::tests::random_samples;
    use engine::games::einstein::{
        Position, Standard,
        symmetry::{SYMMETRIES, symmetric},
    };
    use std::collections::HashMap;

    /// Parts of unequal sizes, one of them empty.
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
            window,
            symmetries: false,
        }
    }

    fn turned(order: Shuffle) -> Shuffle {
        Shuffle {
            symmetries: true,
            ..order
        }
    }

    fn collect(pass: &Pass<'_, Standard>) -> Vec<Sample<Position>> {
        let mut all: Vec<Vec<Sample<Position>>> = Vec::new();
        pass.each(<[Sample<Position>]>::to_vec, |number, batch| {
            assert_eq!(number, pass.from + all.len());
            all.push(batch);
            Ok(())
        })
        .unwrap();
        assert_eq!(pass.from + all.len(), pass.batches());
        assert!(
            all[..all.len() - 1]
                .iter()
                .all(|batch| batch.len() == pass.batch)
        );
        all.concat()
    }

    fn pool(threads: usize) -> ThreadPool {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap()
    }

    /// An epoch in such batches.
    fn epoch_of(
        samples: &Samples<Standard>,
        batch: usize,
        order: Shuffle,
    ) -> Vec<Sample<Position>> {
        collect(&Pass::training(samples, batch, order, 0))
    }

    /// The symmetries that turn a position into another.
    fn related(plain: &Sample<Position>, turned: &Sample<Position>) -> Vec<usize> {
        (0..SYMMETRIES)
            .filter(|&symmetry| symmetric(&plain.position, symmetry) == turned.position)
            .collect()
    }

    /// How often each sample occurs.
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
    fn passes_over_parts_show_together_what_one_shows() {
        let samples = samples();
        let pool = pool(2);
        let whole = epoch_of(&samples, 100, shuffle(7, 1, 50));
        let mut parts = Vec::new();
        for share in 0..3 {
            let pass = Pass::training(&samples, 100, shuffle(7, 1, 50), 0);
            let taken = |_, batch: Vec<_>| {
                parts.extend(batch);
                Ok(())
            };
            let pass = pass.part([share, 3], &pool);
            pass.each(<[Sample<Position>]>::to_vec, taken).unwrap();
        }
        assert_eq!(counts(&parts), counts(&whole));
        assert_ne!(parts, whole);
    }

    #[test]
    fn an_epoch_shows_every_sample_once_in_a_new_order_whatever_the_window() {
        let samples = samples();
        let expected: Vec<Sample<Position>> = (0..samples.parts())
            .flat_map(|part| samples.read(part).unwrap())
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
            collect(&Pass::validation(&samples, 100)),
            samples.validation()
        );
    }

    #[test]
    fn a_window_that_holds_all_samples_shuffles_fully_and_a_small_one_nearly_keeps_the_order() {
        // Values tell where a sample stood. The mean distance between two places is a third of all.
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
            let shown = epoch_of(&samples, 512, shuffle(3, 1, window));
            let distances = shown
                .iter()
                .enumerate()
                .map(|(index, sample)| (index as f32 / count as f32 - sample.value).abs());
            distances.sum::<f32>() / count as f32
        };
        let full = distance(count);
        // Standard deviation of the mean: 0.236 / 100.
        assert!((full - 1.0 / 3.0).abs() < 0.012, "{full}");
        // A sample waits for a geometric number of steps, whose mean is the window.
        let small = distance(100);
        assert!(small < 0.02 && small > 0.002, "{small}");
        assert_eq!(distance(count), distance(10 * count));
    }

    #[test]
    fn what_a_sample_counts_stays_with_it() {
        let weighed = |games, seed| {
            let (mut random, mut samples) = (RandomStream::new(seed), random_samples(games, seed));
            for sample in &mut samples {
                sample.weight = random.unit() as f32;
            }
            samples
        };
        let parts = vec![weighed(20, 1), weighed(9, 2)];
        let sorted = |mut samples: Vec<Sample<Position>>| {
            samples.sort_by_key(|sample| (sample.position.bits(), sample.weight.to_bits()));
            samples
        };
        let expected = sorted(parts.concat());
        let samples =
            Samples::in_memory(&Standard::default(), parts, random_samples(10, 9)).unwrap();
        assert!(samples.are_weighed());
        for window in [1, 37, usize::MAX] {
            let plain = epoch_of(&samples, 100, shuffle(7, 1, window));
            assert_eq!(sorted(plain.clone()), expected, "window {window}");
            let turned = epoch_of(&samples, 100, turned(shuffle(7, 1, window)));
            let pairs = plain.iter().zip(&turned);
            assert!(pairs.into_iter().all(|(plain, turned)| {
                plain.weight == turned.weight && !related(plain, turned).is_empty()
            }));
        }
    }

    #[test]
    fn every_symmetry_is_shown_equally_often() {
        let samples = samples();
        let plain = epoch_of(&samples, 100, shuffle(7, 1, 300));
        let turned = epoch_of(&samples, 100, turned(shuffle(7, 1, 300)));
        assert_eq!(plain.len(), turned.len());
        let mut shown = [0usize; SYMMETRIES];
        for (plain, turned) in plain.iter().zip(&turned) {
            assert_eq!((plain.value, plain.result), (turned.value, turned.result));
            let related = related(plain, turned);
            assert!(!related.is_empty());
            // Of positions that are their own images, which says nothing, there are few.
            if let [symmetry] = related[..] {
                shown[symmetry] += 1;
            }
        }
        let expected = shown.iter().sum::<usize>() as f64 / 8.0;
        assert!(expected > 50.0);
        assert!(
            shown
                .iter()
                .all(|&count| (count as f64 - expected).abs() < 5.0 * expected.sqrt()),
            "{shown:?}"
        );
    }

    #[test]
    fn the_sequence_does_not_depend_on_the_number_of_threads() {
        let samples = samples();
        let epoch = |threads| {
            let pass = Pass::training(&samples, 64, shuffle(5, 3, 200), 0);
            collect(&pass.part([0, 1], &pool(threads)))
        };
        assert_eq!(epoch(1), epoch_of(&samples, 64, shuffle(5, 3, 200)));
        assert_eq!(epoch(1), epoch(3));
        assert_eq!(epoch(1), epoch(16));
    }

    #[test]
    fn a_pass_that_starts_later_shows_the_rest() {
        let samples = samples();
        let order = turned(shuffle(5, 3, 200));
        let all = epoch_of(&samples, 64, order);
        assert_eq!(
            collect(&Pass::training(&samples, 64, order, 3)),
            all[3 * 64..]
        );
    }

    #[test]
    fn a_failed_learner_stops_the_epoch() {
        let samples = samples();
        let mut seen = 0;
        let result = Pass::training(&samples, 10, shuffle(1, 1, 50), 0).each(
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
