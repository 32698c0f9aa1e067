//! Command `report`: an HTML or Markdown page of results of studies and of `alea`.

use anyhow::Result;
use benches::report_sections::read_section;
use cli::ReportArguments;

/// Write a page of results, of studies too
///
/// As 'alea report', also with the --json output of reproduce, atlas and strength.
#[derive(clap::Args)]
#[command(
    after_help = "Example: benches atlas --stones 2 --json > atlas.json\n         benches report atlas.json --out atlas.html"
)]
pub(crate) struct PageArguments {
    #[command(flatten)]
    report: ReportArguments,
}

impl PageArguments {
    pub(crate) fn run(&self) -> Result<()> {
        self.report.run_with(read_section)
    }
}
