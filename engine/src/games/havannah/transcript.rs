//! Whole games of Havannah as other programs write them.
use super::Havannah;
use crate::play::registry::TranscriptForm;
pub(super) static FORMS: [TranscriptForm<Havannah>; 0] = [];
