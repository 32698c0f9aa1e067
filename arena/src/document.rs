//! Documents of text, tables and pictures, written as one HTML file or as Markdown with separate
//! pictures. The HTML has no scripts and no external references; all text is escaped.

mod html;
mod markdown;

use crate::text_table::TextTable;

/// Document with sections.
#[derive(Default)]
pub struct Page {
    /// Heading of the document.
    pub title: String,
    /// Sentences of the summary under the title.
    pub summary: Vec<Sentence>,
    /// Sections in the order of the document.
    pub sections: Vec<Section>,
}

/// Consecutive pieces of a text, each with `true` if it is emphasised.
pub type Sentence = Vec<(String, bool)>;

/// Section of a document.
pub struct Section {
    /// Heading of the section.
    pub heading: String,
    /// Contents in order.
    pub blocks: Vec<Block>,
}

/// Paragraph, table, picture or other content of a section.
pub enum Block {
    /// Paragraph.
    Text(String),
    /// Remark in small print under a table or picture.
    Note(String),
    /// Table with headings.
    Table(TextTable),
    /// SVG picture.
    Picture {
        /// The `<svg>` element.
        svg: String,
        /// Text alternative for readers who cannot see the picture.
        alt: String,
        /// True for pictures that may be wider than the page and scroll.
        wide: bool,
    },
    /// Blocks side by side if the page is wide enough, else one below the other.
    Columns(Vec<Block>),
    /// Bulleted list.
    List(Vec<String>),
    /// Preformatted lines.
    Code(String),
}

impl Block {
    /// A [`Block::Picture`] that may be wider than the page; `alt` is its text alternative.
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
    /// Appends a section; without `blocks` none.
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
