//! Players of the studies, and published figures of searches. Sources: a Star1 agent in C++ (NTU);
//! Rock'n'Roll (Schäfer 2006), section 6.3.

/// Players compared by default; the first, without cuts, is the baseline.
pub(crate) const DEFAULT_PLAYERS: [&str; 5] = [
    "star0(depth=5, least=5, eval=schwarz, table=0)",
    "star1(depth=5, least=5, eval=schwarz, table=0)",
    "star1(depth=5, eval=schwarz)",
    "star2(depth=5, eval=schwarz)",
    "mcts(sims=10000)",
];

pub(crate) struct ChanceSearch {
    /// `outcomes` (searches each outcome separately) or `unified` (each distinct move once).
    pub form: &'static str,
    pub label: &'static str,
    pub player: String,
}

/// Searches for every form and label; depth 5 here is the published depth 4.
pub(crate) fn chance_searches(
    forms: &[&'static str],
    labels: &[&'static str],
    evaluator: &str,
) -> Vec<ChanceSearch> {
    let search = |form: &'static str, label: &'static str| {
        let (cuts, rest) = match label.strip_suffix(", table") {
            Some(cuts) => (cuts, "table=16"),
            None if form == "unified" => (label, "least=5, table=0"),
            None => (label, "table=0"),
        };
        let cuts = cuts.to_lowercase();
        ChanceSearch {
            form,
            label,
            player: format!("{cuts}(depth=5, eval={evaluator}, form={form}, {rest})"),
        }
    };
    let of_form = |&form| labels.iter().map(move |label| search(form, label));
    forms.iter().flat_map(of_form).collect()
}

pub(crate) const FORMS: [&str; 2] = ["outcomes", "unified"];

pub(crate) const SEARCH_LABELS: [&str; 8] = [
    "Star0",
    "Star0.5",
    "Star1",
    "Star2",
    "Star0, table",
    "Star0.5, table",
    "Star1, table",
    "Star2, table",
];

/// Alea's names for the published positions, which the report does not print.
pub(crate) const PUBLISHED_POSITIONS: [&str; 6] =
    ["open1", "open2", "middle1", "middle2", "end1", "end2"];

/// Published leaf counts at depth 4, each outcome searched separately, for [`PUBLISHED_POSITIONS`].
pub(crate) const PUBLISHED_LEAVES: [(&str, [u64; 6]); 4] = [
    (
        "Star0",
        [
            4_655_928, 6_031_164, 16_156_128, 7_547_142, 2_320_152, 477_828,
        ],
    ),
    (
        "Star0.5",
        [
            4_654_885, 6_026_691, 16_097_175, 7_023_990, 1_674_930, 343_747,
        ],
    ),
    (
        "Star1",
        [
            4_134_750, 5_230_117, 14_032_449, 6_090_856, 1_617_891, 273_630,
        ],
    ),
    (
        "Star1, table",
        [1_240_975, 899_432, 1_239_950, 409_648, 22_024, 11_558],
    ),
];

pub(crate) const POLICIES: [&str; 4] = ["bucket", "always", "depth", "two_level"];

pub(crate) fn table_size_player(policy: &str, depth: u32) -> String {
    format!("star2(depth={depth}, eval=schwarz, entries={{entries}}, replace={policy})")
}

pub(crate) const TABLE_SIZE_POSITION: &str = "123../45.../6...f/...ed/..cba r -";

pub(crate) const TABLE_SIZE_EXPONENTS: [u32; 12] = [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22];
