//! A supervisor whose new files are for itself alone, as services often are.

use std::process::Command;

#[test]
fn a_supervisor_that_shares_no_files_can_start_cells_of_another_user() {
    #[allow(clippy::disallowed_methods, reason = "the suite itself, with another umask")]
    let output = Command::new("sh")
        .args(["-c", "umask 077 && exec \"$0\" --exact pool::every_job_gets_a_cell_nobody_used"])
        .arg(std::env::current_exe().unwrap())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(told.contains("1 passed"), "{told}\n{}", String::from_utf8_lossy(&output.stderr));
}
