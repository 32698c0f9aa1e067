//! Invalid input from safe code: no kernel reads beyond the tables (Miri would detect it).

use super::*;
use crate::evaluators::test_support::impossible_positions;
use alea_learned::inputs::CellGroup;
use std::panic::{AssertUnwindSafe, catch_unwind};

const COUNT: usize = if cfg!(miri) { 2 } else { 400 };

fn single_cell_set() -> TupleSet {
    let mut tuples: Vec<String> = CELL_GROUPS
        .iter()
        .flat_map(|group| group.cells())
        .step_by(if cfg!(miri) { 4 } else { 1 })
        .map(|cell| format_cell(&CELL_GROUPS, cell))
        .collect();
    tuples.push("m24 o0 a11 d0 a6".to_owned());
    custom_set(&tuples)
}

/// Networks whose last phase's tables come last, so that reading beyond them is detected.
fn networks(set: &TupleSet) -> Vec<NTuple> {
    on_all_instructions(&NTuple::new(set.clone(), vec![0.25; set.row_count()], 0.0).unwrap())
}

fn panics<T>(task: impl FnOnce() -> T) -> bool {
    catch_unwind(AssertUnwindSafe(task)).is_err()
}

#[test]
fn every_symbol_is_below_its_alphabet() {
    let set = single_cell_set().with_phases(&[11]).unwrap();
    let rows_per_phase = set.row_count() / 2;
    for network in networks(&set) {
        for position in impossible_positions(COUNT) {
            for seat in [0, 1, usize::MAX] {
                let position = Position::new(position.mover(), position.other(), seat);
                let mut rows = vec![0; set.tuple_count()];
                network.tuple_set().row_indices(&position, &mut rows);
                let mut base = 0;
                for ((tuple, end), row) in set.tuple_cells().iter().zip(table_ends(&set)).zip(rows)
                {
                    let row = row as usize % rows_per_phase;
                    assert!((base..end).contains(&row), "{tuple:?} {position:?}");
                    base = end;
                }
                assert_eq!(network.logit(&position), 0.25 * set.tuple_count() as f32);
            }
        }
    }
}

#[test]
fn impossible_moves_read_only_weights() {
    let game = Standard::default();
    for network in networks(&single_cell_set()) {
        let moves: Vec<Move> = (0..255)
            .step_by(if cfg!(miri) { 51 } else { 1 })
            .map(|number| Move::new(number / 3, number % 3))
            .collect();
        for position in impossible_positions(COUNT / 2) {
            network.one_ply(&game, &position, &mut Successors::default());
            for moves in moves.chunks(17) {
                // Panics are ignored: overflowing sums are errors in some builds.
                panics(|| network.score_successors(&game, &position, moves, &mut [0.0; 17]));
            }
        }
    }
}

#[test]
fn kernels_require_valid_cells_and_tables() {
    let kernels = |cells: Vec<Cell>, bases: &[u32]| {
        <EinSteinTupleKernels as TupleKernels<Standard>>::new(&[cells], bases)
    };
    let own = ALIVE_CELLS.cell(3);
    assert_eq!(kernels(vec![own], &[40]).plan.num_rows(), 42);
    let group = |start, symbols| CellGroup {
        start,
        symbols,
        ..ALIVE_CELLS
    };
    for strange in [
        group(ALIVE_CELLS.start, 3),
        group(ALIVE_CELLS.start, 1),
        group(62, 2),
        group(1 << 12, 2),
    ] {
        assert!(panics(|| kernels(vec![own, strange.cell(3)], &[0])));
    }
    assert!(panics(|| kernels(vec![own], &[(1 << 26) - 1])));
    assert!(panics(|| kernels(
        vec![MOBILE_CELLS.cell(0); 40],
        &[u32::MAX]
    )));
    assert!(panics(|| kernels(vec![own], &[])));
}

#[cfg(target_arch = "x86_64")]
#[test]
#[cfg_attr(miri, ignore = "panics alone, which take long")]
fn portable_kernels_are_refused() {
    let position = impossible_positions(1)[0];
    for own in networks(&custom_set(&["a0", "a1"])) {
        if !own.tuple_set().kernels().uses_simd() {
            let (set, weights) = (own.tuple_set(), &own.quantized_weights().weights);
            assert!(panics(|| simd::weight_sum(set, &position, weights)));
            assert!(panics(|| simd::table_rows(set, &position, &mut [0; 2])));
        }
    }
}
