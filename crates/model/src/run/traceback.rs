//! Tracebacks for people: the lines of stored functions, with what libraries did in between folded.

/// The traceback with its frames of libraries folded; as it is if nothing of it would be left.
pub fn folded(traceback: &str) -> String {
    let parts: Vec<&str> = traceback.split_inclusive('\n').collect();
    let mut out = String::with_capacity(traceback.len());
    let mut hidden = 0;
    let mut is_hidden = false;
    for line in &parts {
        match frame(line) {
            Some(is_own) => {
                is_hidden = !is_own;
                hidden += u32::from(is_hidden);
            }
            // What follows a frame belongs to it as far as it is indented.
            None if !line.starts_with("    ") => is_hidden = false,
            None => {}
        }
        if !is_hidden {
            fold(&mut out, &mut hidden);
            out.push_str(line);
        }
    }
    fold(&mut out, &mut hidden);
    if parts.iter().any(|line| frame(line) == Some(true)) { out } else { traceback.to_owned() }
}

fn fold(out: &mut String, hidden: &mut u32) {
    match *hidden {
        0 => return,
        1 => out.push_str("  … 1 frame in libraries\n"),
        frames => out.push_str(&format!("  … {frames} frames in libraries\n")),
    }
    *hidden = 0;
}

/// Whether a line begins a frame, and if so, whether the frame is of a stored function: `  File "name@3", line 1, in name`.
fn frame(line: &str) -> Option<bool> {
    let (file, _) = line.strip_prefix("  File \"")?.split_once('"')?;
    let version = file.rsplit_once('@').map(|(_, version)| version);
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    Some(!file.contains('/') && version.is_some_and(is_number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_libraries_are_folded() {
        let text = "Traceback (most recent call last):\n  File \"/usr/lib/http.py\", line 1, in a\n    b()\n  File \"/usr/lib/socket.py\", line 2, in b\n    c()\n    ^^^\nOSError: no\n\nDuring handling of the above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File \"fetch@1\", line 3, in fetch\n    return get(url)\n           ^^^^^^^^\n  File \"/usr/lib/get.py\", line 5, in get\n    raise Bad\nget.Bad: no\n";
        insta::assert_snapshot!(folded(text), @r#"
        Traceback (most recent call last):
          … 2 frames in libraries
        OSError: no

        During handling of the above exception, another exception occurred:

        Traceback (most recent call last):
          File "fetch@1", line 3, in fetch
            return get(url)
                   ^^^^^^^^
          … 1 frame in libraries
        get.Bad: no
        "#);
    }

    #[test]
    fn a_traceback_of_libraries_alone_stays() {
        let text = "Traceback (most recent call last):\n  File \"/usr/lib/http.py\", line 1, in a\n    b()\nOSError: no\n";
        assert_eq!(folded(text), text);
    }
}
