//! The table a benchmark prints.

pub(crate) struct Table {
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(head: &[&str]) -> Table {
        Table { head: head.iter().map(ToString::to_string).collect(), rows: Vec::new() }
    }

    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn print(&self) {
        let widths: Vec<usize> = (0..self.head.len())
            .map(|column| {
                let cells = self.rows.iter().filter_map(|row| row.get(column)).chain([&self.head[column]]);
                cells.map(|cell| cell.chars().count()).max().unwrap_or_default()
            })
            .collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
            println!("| {} |", padded.collect::<Vec<_>>().join(" | "));
        };
        line(&self.head);
        line(&widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>());
        for row in &self.rows {
            line(row);
        }
    }
}
