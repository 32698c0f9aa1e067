//! A document of text, tables and plots, written as one HTML file or as Markdown with separate
//! pictures. The HTML has no scripts and no external references; all text is escaped.

mod html;
mod markdown;

use crate::text_table::TextTable;

/// A document.
#[derive(Default)]
pub struct Page {
    /// Heading.
    pub title: String,
    /// Summary under the heading.
    pub summary: Vec<Sentence>,
    /// Sections in order.
    pub sections: Vec<Section>,
}

/// Pieces of text, each with `true` if it is emphasised.
pub type Sentence = Vec<(String, bool)>;

/// A heading with blocks.
pub struct Section {
    /// Heading.
    pub heading: String,
    /// Blocks in order.
    pub blocks: Vec<Block>,
}

/// Part of a section.
pub enum Block {
    /// A paragraph.
    Text(String),
    /// A remark under a table or plot.
    Note(String),
    /// A table.
    Table(TextTable),
    /// A picture.
    Picture {
        /// The `<svg>` element.
        svg: String,
        /// Description for readers who cannot see it.
        alt: String,
        /// True if the picture may be wider than the page and scroll.
        wide: bool,
    },
    /// Blocks side by side, if the page is wide enough.
    Columns(Vec<Block>),
    /// A bulleted list.
    List(Vec<String>),
    /// Preformatted lines.
    Code(String),
}

impl Block {
    /// A plot that may be wider than the page; `alt` describes it.
    #[must_use]
    pub fn chart(svg: String, alt: impl Into<String>) -> Self {
        Self::Picture {
            svg,
            alt: alt.into(),
            wide: true,
        }
    }
}

impl Page {
    /// Appends a section unless it is empty.
    pub fn push(&mut self, heading: impl Into<String>, blocks: Vec<Block>) {
        if !blocks.is_empty() {
            self.sections.push(Section {
                heading: heading.into(),
                blocks,
            });
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::text_table::Cell;

    pub(crate) fn assert_well_formed(page: &str) {
        let mut open = Vec::new();
        for piece in page.split('<').skip(1) {
            let tag = piece.split('>').next().unwrap();
            let name = tag
                .trim_start_matches('/')
                .split(|character: char| character.is_whitespace())
                .next()
                .unwrap()
                .trim_end_matches('/');
            if tag.starts_with('/') {
                assert_eq!(open.pop(), Some(name), "{tag}");
            } else if !tag.starts_with('!') && !tag.ends_with('/') && name != "meta" {
                open.push(name);
            }
        }
        assert!(open.is_empty(), "{open:?}");
    }

    pub(crate) fn assert_alone(page: &str) {
        for outside in ["<script", "<link", "src=", "url(", "@import", "href="] {
            assert!(!page.contains(outside), "{outside}");
        }
    }

    fn page() -> Page {
        let mut text_table = TextTable::new(["player", "games"]);
        text_table.push(vec!["a|b <c>".into(), Cell::Count(7)]);
        let mut page = Page {
            title: "A & B".to_owned(),
            summary: vec![vec![("a".to_owned(), true), (" wins".to_owned(), false)]],
            sections: vec![],
        };
        page.push("Nothing", vec![]);
        page.push(
            "All",
            vec![
                Block::Text("words * and <more>".to_owned()),
                Block::Table(text_table),
                Block::chart("<svg></svg>".to_owned(), "a [chart]"),
                Block::Columns(vec![
                    Block::Note("left".to_owned()),
                    Block::Code("right ``` <x>".to_owned()),
                ]),
            ],
        );
        page
    }

    #[test]
    fn html_has_every_block_once_and_escaped() {
        let html = page().html("alea 1 <2>");
        assert_well_formed(&html);
        for part in [
            "<h1>A &amp; B</h1>",
            "<strong>a</strong> wins",
            "words * and &lt;more&gt;",
            "a|b &lt;c&gt;",
            "<svg></svg>",
            "right ``` &lt;x&gt;",
            "<footer>alea 1 &lt;2&gt;</footer>",
        ] {
            assert_eq!(html.matches(part).count(), 1, "{part}: {html}");
        }
        assert!(!html.contains("Nothing"));
    }

    #[test]
    fn markdown_has_every_block_and_its_pictures_beside_it() {
        let (text, pictures) = page().markdown("found", "alea 1");
        assert_eq!(
            pictures,
            [("found-1.svg".to_owned(), "<svg></svg>".to_owned())]
        );
        for part in [
            "# A &amp; B\n",
            "**a** wins\n",
            "## All\n",
            "words \\* and &lt;more>",
            "| a\\|b &lt;c> | 7 |",
            "![a \\[chart\\]](found-1.svg)",
            "````\nright ``` <x>\n````",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
