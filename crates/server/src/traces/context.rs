//! The trace a request belongs to, as W3C Trace Context writes it: `traceparent: 00-TRACE-SPAN-FLAGS`.

use std::str::FromStr;

/// A span of someone else's, under which a Run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    pub trace: u128,
    pub span: u64,
}

/// It is not one, and is ignored: a request is no worse for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTrace;

impl FromStr for TraceContext {
    type Err = NoTrace;

    fn from_str(text: &str) -> Result<TraceContext, NoTrace> {
        let parts: Vec<&str> = text.trim().split('-').collect();
        let [version, trace, span, flags, rest @ ..] = parts.as_slice() else { return Err(NoTrace) };
        let is_hex = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
        };
        // Later versions may say more at the end.
        let known = is_hex(version, 2) && *version != "ff" && (*version != "00" || rest.is_empty());
        if !known || !is_hex(trace, 32) || !is_hex(span, 16) || !is_hex(flags, 2) {
            return Err(NoTrace);
        }
        let trace = u128::from_str_radix(trace, 16).map_err(|_| NoTrace)?;
        let span = u64::from_str_radix(span, 16).map_err(|_| NoTrace)?;
        if trace == 0 || span == 0 { Err(NoTrace) } else { Ok(TraceContext { trace, span }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trace_is_read_as_the_standard_writes_it() {
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01".parse();
        let expected =
            TraceContext { trace: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, span: 0x00f0_67aa_0ba9_02b7 };
        assert_eq!(trace, Ok(expected));
        assert_eq!("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more".parse(), Ok(expected));
    }

    #[test]
    fn what_is_none_is_ignored() {
        for text in [
            "",
            "00",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-+bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ] {
            assert_eq!(text.parse::<TraceContext>(), Err(NoTrace), "{text}");
        }
    }
}
