//! HTML output of documents.

use super::{Block, Page, Section};
use crate::text_table::{Cell, TextTable};
use alea_core::text::printable_lines;
use std::fmt::Write;

impl Page {
    /// The document as one HTML file for light and dark screens and paper; its footer names
    /// `program`.
    #[must_use]
    pub fn html(&self, program: &str) -> String {
        let mut body = String::with_capacity(100_000);
        let _ = write!(body, "<header><h1>{}</h1>", escape(&self.title));
        for sentence in &self.summary {
            let words = sentence.iter().map(|(words, strong)| match strong {
                true => format!("<strong>{}</strong>", escape(words)),
                false => escape(words),
            });
            let _ = write!(
                body,
                "<p class=\"summary\">{}</p>",
                words.collect::<String>()
            );
        }
        body.push_str("</header>");
        for Section { heading, blocks } in &self.sections {
            let _ = write!(
                body,
                "<section><h2>{}</h2>{}</section>",
                escape(heading),
                blocks.iter().map(block).collect::<String>()
            );
        }
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>{}</title><style>{STYLE}</style></head>\n<body><main>{body}<footer>{}</footer></main></body></html>\n",
            escape(&self.title),
            escape(program)
        )
    }
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(words) => format!("<p>{}</p>", escape(words)),
        Block::Note(words) => format!("<p class=\"note\">{}</p>", escape(words)),
        Block::Table(text_table) => table(text_table),
        Block::Picture { svg, wide, .. } => format!(
            "<figure{}>{}</figure>",
            if *wide { " class=\"scroll plot\"" } else { "" },
            svg.trim()
        ),
        Block::Columns(blocks) => format!(
            "<div class=\"columns\">{}</div>",
            blocks.iter().map(self::block).collect::<String>()
        ),
        Block::List(items) => {
            let items = items
                .iter()
                .map(|item| format!("<li>{}</li>", escape(item)));
            format!("<ul>{}</ul>", items.collect::<String>())
        }
        Block::Code(lines) => format!("<pre>{}</pre>", escape(lines)),
    }
}

fn table(text_table: &TextTable) -> String {
    let mut html = String::from("<div class=\"scroll\"><table>");
    let numbers = text_table.numeric_columns();
    let class = |column: usize| if numbers[column] { " class=\"n\"" } else { "" };
    if text_table
        .columns
        .iter()
        .any(|name| !name.trim().is_empty())
    {
        let cells = text_table.columns.iter().enumerate().map(|(column, name)| {
            format!("<th scope=\"col\"{}>{}</th>", class(column), escape(name))
        });
        let _ = write!(
            html,
            "<thead><tr>{}</tr></thead>",
            cells.collect::<String>()
        );
    }
    html.push_str("<tbody>");
    for row in &text_table.rows {
        let cells = row
            .iter()
            .map(Cell::text_of)
            .enumerate()
            .map(|(column, text)| format!("<td{}>{}</td>", class(column), escape(&text)));
        let _ = write!(html, "<tr>{}</tr>", cells.collect::<String>());
    }
    html + "</tbody></table></div>"
}

fn escape(text: &str) -> String {
    printable_lines(text)
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\'', "&#39;")
}

const STYLE: &str = include_str!("style.css");
