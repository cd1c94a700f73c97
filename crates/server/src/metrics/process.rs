//! The process itself, under the names that everybody uses for it. What a machine does not tell is left out.

use std::fs::{read_dir, read_to_string};

use super::text::Text;

/// What Linux counts processor time in, on every machine.
const TICKS_A_SECOND: f64 = 100.0;

pub(super) fn write_to(text: &mut Text) {
    if let Some(bytes) = resident() {
        let help = "Resident memory of this process, without cells";
        text.single("process_resident_memory_bytes", "gauge", help, bytes);
    }
    if let Some(seconds) = processor() {
        text.head("process_cpu_seconds_total", "counter", "CPU time of this process");
        text.line("process_cpu_seconds_total", &[], seconds);
    }
    if let Ok(files) = read_dir("/proc/self/fd") {
        text.single("process_open_fds", "gauge", "Open files and sockets", files.count() as u64);
    }
}

fn resident() -> Option<u64> {
    let status = read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kib * 1024)
}

/// In user mode and in the kernel: the 14th and the 15th value; the second is a name, which may hold blanks.
fn processor() -> Option<f64> {
    let stat = read_to_string("/proc/self/stat").ok()?;
    let mut values = stat.rsplit_once(") ")?.1.split(' ').skip(11).map(str::parse::<f64>);
    Some((values.next()?.ok()? + values.next()?.ok()?) / TICKS_A_SECOND)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_memory_and_open_files() {
        assert!(resident().unwrap() > 100_000);
        assert!(processor().is_some());
    }
}
