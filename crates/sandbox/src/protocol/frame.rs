//! Frames: four bytes of length, big-endian, then that many bytes of JSON.

use serde::Serialize;
use thiserror::Error;

/// What a frame from a cell may cost us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameLimits {
    pub bytes: usize,
    /// How deep its brackets may be nested.
    pub depth: usize,
    /// How many values it may hold; a byte of JSON can become seventy bytes of memory.
    pub items: usize,
}

impl Default for FrameLimits {
    fn default() -> FrameLimits {
        // The Python side stops at 200,000 items and 48 levels, with room here for what is around a value.
        FrameLimits { bytes: 8 << 20, depth: 120, items: 500_000 }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FrameError {
    #[error("a frame of {length} bytes is longer than the {limit} allowed")]
    TooLong { length: usize, limit: usize },
    #[error("a frame is nested more than {limit} levels deep")]
    TooDeep { limit: usize },
    #[error("a frame holds more than {limit} values")]
    TooMany { limit: usize },
    #[error("a frame is not valid: {why}")]
    NotValid { why: String },
}

/// Collects bytes and gives out frames.
#[derive(Debug)]
pub struct Decoder {
    limits: FrameLimits,
    buffer: Vec<u8>,
    /// How much of the buffer was given out already.
    taken: usize,
}

impl Decoder {
    pub fn new(limits: FrameLimits) -> Decoder {
        Decoder { limits, buffer: Vec::new(), taken: 0 }
    }

    pub fn push(&mut self, bytes: &[u8]) {
        // What was given out goes as soon as it is no less than what must be moved for it: a cell whose frames never end
        // where a read does must not make this grow, and all the moving together stays linear.
        if self.taken >= self.buffer.len() - self.taken {
            self.buffer.drain(..self.taken);
            self.taken = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole frame, if it is there. After an error the stream is worth nothing any more.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let rest = &self.buffer[self.taken..];
        let Some((head, body)) = rest.split_first_chunk::<4>() else { return Ok(None) };
        let length = usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX);
        if length > self.limits.bytes {
            return Err(FrameError::TooLong { length, limit: self.limits.bytes });
        }
        if body.len() < length {
            return Ok(None);
        }
        let start = self.taken + head.len();
        self.taken = start + length;
        let frame = &self.buffer[start..self.taken];
        check_shape(frame, &self.limits)?;
        Ok(Some(frame))
    }

    /// How many bytes it keeps.
    pub fn held(&self) -> usize {
        self.buffer.len()
    }

    /// Gives memory back after a large frame.
    pub fn shrink(&mut self) {
        self.buffer.drain(..self.taken);
        self.taken = 0;
        self.buffer.shrink_to(64 << 10);
    }

    /// Whether bytes of an unfinished frame are waiting.
    pub fn is_empty(&self) -> bool {
        self.taken == self.buffer.len()
    }
}

/// One pass over the bytes, before anything is built from them.
fn check_shape(frame: &[u8], limits: &FrameLimits) -> Result<(), FrameError> {
    let (mut depth, mut items, mut in_text, mut escaped) = (0usize, 0usize, false, false);
    for byte in frame {
        if in_text {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_text = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_text = true,
            b'[' | b'{' => {
                depth += 1;
                items += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => items += 1,
            _ => {}
        }
        if depth > limits.depth {
            return Err(FrameError::TooDeep { limit: limits.depth });
        }
        if items > limits.items {
            return Err(FrameError::TooMany { limit: limits.items });
        }
    }
    Ok(())
}

/// The bytes of one frame. Ours to a cell are not limited, because we choose what is in them.
pub fn encode_frame<T: Serialize>(message: &T) -> Result<Vec<u8>, FrameError> {
    let mut bytes = vec![0; 4];
    serde_json::to_writer(&mut bytes, message)
        .map_err(|error| FrameError::NotValid { why: error.to_string() })?;
    let length = u32::try_from(bytes.len() - 4)
        .map_err(|_| FrameError::TooLong { length: bytes.len(), limit: u32::MAX as usize })?;
    bytes[..4].copy_from_slice(&length.to_be_bytes());
    Ok(bytes)
}
