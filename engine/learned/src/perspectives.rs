//! Inputs and their sums by perspective, updated from move to move: first-layer sums of a network
//! (NNUE accumulators) or rows of n-tuples.
//!
//! A perspective is updated when a position with its seat to move needs it, by the inputs that
//! changed since. Sums are integers: an update equals a refresh.

use alea_core::game::{Game, Seat};

pub(crate) trait PerspectiveSums<G: Game> {
    type Input: Copy + Default + PartialEq;
    type Sum: Copy + Default;

    fn game(&self) -> &G;

    /// Numbers of inputs and of sums.
    fn lens(&self) -> [usize; 2];

    fn extract(&self, position: &G::Position, seat: Seat, inputs: &mut [Self::Input]);

    /// Replaces `inputs`, which are those of `before`, by those of `after`.
    fn extract_after(
        &self,
        before: &G::Position,
        after: &G::Position,
        seat: Seat,
        inputs: &mut [Self::Input],
    ) {
        let _ = before;
        self.extract(after, seat, inputs);
    }

    fn sum(&self, inputs: &[Self::Input], sums: &mut [Self::Sum]);

    fn change(&self, old: &[Self::Input], new: &[Self::Input], sums: &mut [Self::Sum]);

    /// Replaces `inputs` and `sums`, which are those of `before`, by those of `after`; `old` are the
    /// inputs of `before`.
    #[inline]
    fn follow_move(
        &self,
        (before, after): (&G::Position, &G::Position),
        seat: Seat,
        old: &[Self::Input],
        inputs: &mut [Self::Input],
        sums: &mut [Self::Sum],
    ) {
        self.extract_after(before, after, seat, inputs);
        self.change(old, inputs, sums);
    }
}

/// Inputs and their sums for each perspective. Reuse does not allocate.
#[derive(Clone, Debug, Default)]
pub struct Perspectives<I, S> {
    lens: [usize; 2],
    /// Inputs by seat, then scratch space.
    inputs: Vec<I>,
    sums: Vec<S>,
    /// Bit set of seats with sums, some of an earlier position.
    computed: u8,
    /// Bit set of seats with sums of this position.
    current: u8,
}

impl<I: Copy + Default + PartialEq, S: Copy + Default> Perspectives<I, S> {
    #[inline]
    pub(crate) fn sums(&self, seat: Seat) -> &[S] {
        debug_assert!(self.current >> seat & 1 == 1, "only the mover's is current");
        &self.sums[seat * self.lens[1]..][..self.lens[1]]
    }

    fn bring_up_to_date<G: Game>(
        &mut self,
        kernels: &impl PerspectiveSums<G, Input = I, Sum = S>,
        position: &G::Position,
        seat: Seat,
    ) {
        let lens @ [inputs_len, sums_len] = kernels.lens();
        let seats = kernels.game().seats();
        if self.lens != lens || self.sums.len() != seats * sums_len {
            self.inputs.resize((seats + 1) * inputs_len, I::default());
            self.sums.resize(seats * sums_len, S::default());
            (self.lens, self.computed, self.current) = (lens, 0, 0);
        }
        if self.current >> seat & 1 == 1 {
            return;
        }
        let sums = &mut self.sums[seat * sums_len..][..sums_len];
        let (inputs, scratch) = self.inputs.split_at_mut(seats * inputs_len);
        let inputs = &mut inputs[seat * inputs_len..][..inputs_len];
        if self.computed >> seat & 1 == 1 {
            kernels.extract(position, seat, scratch);
            kernels.change(inputs, scratch, sums);
            inputs.copy_from_slice(scratch);
        } else {
            kernels.extract(position, seat, inputs);
            kernels.sum(inputs, sums);
        }
        self.computed |= 1 << seat;
        self.current |= 1 << seat;
    }

    /// Marks the sums of all perspectives as not computed.
    pub(crate) fn clear(&mut self) {
        self.computed = 0;
    }

    /// Updates the sums of the perspective of the seat to move in `position` from any earlier
    /// position.
    pub(crate) fn follow<G: Game>(
        &mut self,
        kernels: &impl PerspectiveSums<G, Input = I, Sum = S>,
        position: &G::Position,
    ) {
        self.current = 0;
        self.bring_up_to_date(kernels, position, kernels.game().to_move(position));
    }

    pub(crate) fn refresh<G: Game>(
        &mut self,
        kernels: &impl PerspectiveSums<G, Input = I, Sum = S>,
        position: &G::Position,
    ) {
        self.clear();
        self.follow(kernels, position);
    }

    pub(crate) fn update<G: Game>(
        &mut self,
        kernels: &impl PerspectiveSums<G, Input = I, Sum = S>,
        parent: &mut Self,
        before: &G::Position,
        after: &G::Position,
    ) {
        let seat = kernels.game().to_move(after);
        parent.bring_up_to_date(kernels, before, seat);
        let [inputs_len, sums_len] = parent.lens;
        self.inputs.resize(parent.inputs.len(), I::default());
        self.inputs.copy_from_slice(&parent.inputs);
        self.sums.resize(parent.sums.len(), S::default());
        self.sums.copy_from_slice(&parent.sums);
        kernels.follow_move(
            (before, after),
            seat,
            &parent.inputs[seat * inputs_len..][..inputs_len],
            &mut self.inputs[seat * inputs_len..][..inputs_len],
            &mut self.sums[seat * sums_len..][..sums_len],
        );
        (self.lens, self.computed, self.current) = (parent.lens, parent.computed, 1 << seat);
    }
}

/// Calls `visit` with each index of a difference; skips equal blocks.
#[inline(always)]
pub(crate) fn for_each_change<T: Copy + PartialEq>(
    new: &[T],
    old: &[T],
    mut visit: impl FnMut(usize),
) {
    const BLOCK: usize = 16;
    let ((new_blocks, new_rest), (old_blocks, old_rest)) =
        (new.as_chunks::<BLOCK>(), old.as_chunks::<BLOCK>());
    let mut compare = |start: usize, new: &[T], old: &[T]| {
        for index in 0..new.len().min(old.len()) {
            if new[index] != old[index] {
                visit(start + index);
            }
        }
    };
    for block in 0..new_blocks.len().min(old_blocks.len()) {
        let (new, old) = (&new_blocks[block], &old_blocks[block]);
        if new != old {
            compare(block * BLOCK, new, old);
        }
    }
    compare(new_blocks.len() * BLOCK, new_rest, old_rest);
}
