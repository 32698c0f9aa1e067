//! A page as HTML: one file, light and dark, wide and narrow, on paper.

use super::{Block, Page, Section};
use crate::sheet::{Cell, Sheet};
use std::fmt::Write;

pub(super) fn page(page: &Page) -> String {
    let mut body = String::with_capacity(100_000);
    // Writing to a string cannot fail.
    let _ = write!(body, "<header><h1>{}</h1>", escape(&page.title));
    for sentence in &page.summary {
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
    for Section { heading, blocks } in &page.sections {
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
         <title>{}</title><style>{STYLE}</style></head>\n<body><main>{body}</main></body></html>\n",
        escape(&page.title)
    )
}

fn block(block: &Block) -> String {
    match block {
        Block::Text(words) => format!("<p>{}</p>", escape(words)),
        Block::Note(words) => format!("<p class=\"note\">{}</p>", escape(words)),
        Block::Table(sheet) => table(sheet),
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

/// A table; an all-empty head is left out.
fn table(sheet: &Sheet) -> String {
    let mut html = String::from("<div class=\"scroll\"><table>");
    let numbers = sheet.number_columns();
    let class = |column: usize| if numbers[column] { " class=\"n\"" } else { "" };
    if sheet.columns.iter().any(|name| !name.trim().is_empty()) {
        let cells = sheet.columns.iter().enumerate().map(|(column, name)| {
            format!("<th scope=\"col\"{}>{}</th>", class(column), escape(name))
        });
        let _ = write!(
            html,
            "<thead><tr>{}</tr></thead>",
            cells.collect::<String>()
        );
    }
    html.push_str("<tbody>");
    for row in &sheet.rows {
        let cells = row
            .iter()
            .map(Cell::shown)
            .enumerate()
            .map(|(column, text)| format!("<td{}>{}</td>", class(column), escape(&text)));
        let _ = write!(html, "<tr>{}</tr>", cells.collect::<String>());
    }
    html + "</tbody></table></div>"
}

/// Text as HTML shows it.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Pictures are drawn for white paper, so they keep a light ground in the dark.
const STYLE: &str = "\
:root{color-scheme:light dark;--ink:#282c34;--soft:#5c6370;--rule:#dfe3e8;--accent:#0072b2;--ground:#f6f7f9;--card:#fff}\
@media (prefers-color-scheme:dark){:root{--ink:#e4e7eb;--soft:#a3abb8;--rule:#3a404b;--accent:#56b4e9;--ground:#16181d;--card:#20242b}\
.plot svg{border-radius:6px}}\
*{box-sizing:border-box}\
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',sans-serif}\
main{max-width:60rem;margin:0 auto;padding:1rem}\
header{padding:1rem 0 .5rem}\
h1{font-size:1.7rem;line-height:1.2;margin:0 0 .8rem;overflow-wrap:anywhere}\
h2{font-size:1.2rem;margin:0 0 .7rem;overflow-wrap:anywhere}\
.summary{margin:.3rem 0;padding:.45rem .8rem;border-left:4px solid var(--accent);background:var(--card);overflow-wrap:anywhere}\
section{background:var(--card);border:1px solid var(--rule);border-radius:8px;padding:1rem;margin:1rem 0}\
p{margin:.2rem 0 .8rem}ul{margin:.2rem 0 .8rem;padding-left:1.2rem}\
.scroll{overflow-x:auto}.scroll+.scroll,.scroll+p{margin-top:1rem}\
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}\
th,td{text-align:left;vertical-align:top;padding:.35rem .9rem .35rem 0;border-bottom:1px solid var(--rule);white-space:nowrap}\
th{color:var(--soft);font-weight:600}\
.n{text-align:right}\
td:first-child{font-weight:600}td:first-child:not(.n){white-space:normal;min-width:9rem;overflow-wrap:anywhere}\
td:last-child:not(.n){white-space:normal}\
figure{margin:1rem 0 0;text-align:center}\
figure svg{max-width:100%;height:auto}.plot svg{min-width:32rem}\
.note{font-size:.85rem;color:var(--soft);margin:.3rem 0 .8rem}\
.columns{display:flex;flex-wrap:wrap;gap:1.5rem;justify-content:space-between;align-items:flex-start}\
.columns>.scroll{flex:1 1 20rem}.columns>figure{margin:0 auto}.board{max-width:16rem}\
pre{margin:0 0 .8rem;padding:.8rem;background:var(--ground);border-radius:6px;overflow-x:auto;font:.82rem/1.5 ui-monospace,Consolas,monospace}\
@media print{:root{color-scheme:light;--ink:#000;--soft:#444;--rule:#ccc;--ground:#fff;--card:#fff}\
body{font-size:11pt}main{max-width:none;padding:0}section{border:0;padding:0}\
figure,tr{break-inside:avoid}h2{break-after:avoid}.scroll{overflow:visible}.plot svg{min-width:0}\
th,td{white-space:normal;padding-right:.4rem}table{font-size:8pt}td:first-child{min-width:0}pre{white-space:pre-wrap}}";
