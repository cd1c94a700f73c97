//! Columns that line up, on a screen that may be too narrow for them.

use anstyle::Style;
use console::{measure_text_width, truncate_str};

use super::output::Screen;
use super::style::{DIM, one_line, paint};

const GAP: &str = "  ";

/// No column is made narrower than this, or its text says nothing any more.
const LEAST: usize = 12;

pub(crate) struct Table {
    heads: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
    /// The column that gives way when there is no room.
    yields: usize,
}

pub(crate) struct Cell {
    text: String,
    style: Style,
}

impl Cell {
    pub(crate) fn painted(style: Style, text: impl AsRef<str>) -> Cell {
        Cell { text: one_line(text.as_ref()), style }
    }
}

impl<T: AsRef<str>> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::painted(Style::new(), text)
    }
}

impl Table {
    pub(crate) fn new(heads: &[&'static str], yields: usize) -> Table {
        Table { heads: heads.to_vec(), rows: Vec::new(), yields }
    }

    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    pub(crate) fn render(&self, screen: &Screen) -> String {
        if self.rows.is_empty() {
            return String::new();
        }
        let widths = self.widths(screen);
        let heads: Vec<Cell> =
            self.heads.iter().map(|head| Cell::painted(DIM, head.to_uppercase())).collect();
        let mut out = line(&heads, &widths);
        for row in &self.rows {
            out.push_str(&line(row, &widths));
        }
        out
    }

    fn widths(&self, screen: &Screen) -> Vec<usize> {
        let mut widths: Vec<usize> = self.heads.iter().map(|head| head.len()).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(measure_text_width(&cell.text));
            }
        }
        let Some(room) = screen.width else { return widths };
        let gaps = GAP.len() * widths.len().saturating_sub(1);
        for column in [Some(self.yields), widest_but(&widths, self.yields)].into_iter().flatten() {
            let excess = (widths.iter().sum::<usize>() + gaps).saturating_sub(room);
            widths[column] = widths[column].saturating_sub(excess).max(LEAST.min(widths[column]));
        }
        widths
    }
}

fn widest_but(widths: &[usize], but: usize) -> Option<usize> {
    (0..widths.len()).filter(|column| *column != but).max_by_key(|column| widths[*column])
}

fn line(cells: &[Cell], widths: &[usize]) -> String {
    let mut out = String::new();
    let mut owed = String::new();
    for (cell, width) in cells.iter().zip(widths) {
        let text = truncate_str(&cell.text, *width, "…");
        if !text.is_empty() {
            out.push_str(&owed);
            owed.clear();
            out.push_str(&paint(cell.style, &text));
        }
        owed.push_str(&" ".repeat(width.saturating_sub(measure_text_width(&text))));
        owed.push_str(GAP);
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(width: usize) -> String {
        let mut table = Table::new(&["name", "description", "pack"], 1);
        table.row(vec!["greet".into(), "Say hello\nto somebody who is far away".into(), "text".into()]);
        table.row(vec!["数える".into(), "".into(), "".into()]);
        let mut bytes = Vec::new();
        let mut stream = anstream::StripStream::new(&mut bytes);
        std::io::Write::write_all(&mut stream, table.render(&Screen::of_width(width)).as_bytes()).unwrap();
        String::from_utf8(bytes).unwrap()
    }

    #[test]
    fn columns_line_up_also_where_letters_are_wide() {
        insta::assert_snapshot!(shown(80), @r"
        NAME    DESCRIPTION                            PACK
        greet   Say hello to somebody who is far away  text
        数える
        ");
    }

    #[test]
    fn the_description_gives_way() {
        insta::assert_snapshot!(shown(30), @r"
        NAME    DESCRIPTION       PACK
        greet   Say hello to so…  text
        数える
        ");
    }
}
