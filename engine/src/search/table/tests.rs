use super::*;

const POLICIES: [Replacement; 4] = [Replacement::Always, Replacement::DepthPreferred, Replacement::TwoLevel, Replacement::Bucketed];

fn found(depth: u32, lower: f32, upper: f32) -> Found {
    Found { depth, bounds: Bounds { lower, upper }, proven: false, hint: 0x1234 }
}
