use proptest::prelude::*;

use super::{Decoder, FrameError, FrameLimits, FromCell, encode_frame};

const SMALL: FrameLimits = FrameLimits { bytes: 64, depth: 4, items: 8 };

fn framed(body: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(body.len()).unwrap().to_be_bytes().to_vec();
    bytes.extend(body);
    bytes
}

fn only(body: &[u8]) -> Result<Option<Vec<u8>>, FrameError> {
    let mut decoder = Decoder::new(SMALL);
    decoder.push(&framed(body));
    decoder.next_frame().map(|frame| frame.map(<[u8]>::to_vec))
}

#[test]
fn a_frame_comes_out_whole_however_it_was_cut() {
    let bytes = [framed(b"[1]"), framed(b"{}")].concat();
    for cut in 0..bytes.len() {
        let mut decoder = Decoder::new(SMALL);
        let mut frames = Vec::new();
        for part in [&bytes[..cut], &bytes[cut..]] {
            decoder.push(part);
            while let Some(frame) = decoder.next_frame().unwrap() {
                frames.push(frame.to_vec());
            }
        }
        assert_eq!(frames, [b"[1]".to_vec(), b"{}".to_vec()], "cut at {cut}");
        assert!(decoder.is_empty());
    }
}

#[test]
fn a_length_over_the_limit_is_refused_before_its_bytes_come() {
    let mut decoder = Decoder::new(SMALL);
    decoder.push(&u32::MAX.to_be_bytes());
    assert_eq!(decoder.next_frame(), Err(FrameError::TooLong { length: u32::MAX as usize, limit: 64 }));
}

#[test]
fn depth_and_count_are_bounded_and_brackets_in_text_do_not_count() {
    assert_eq!(only(b"[[[[[1]]]]]"), Err(FrameError::TooDeep { limit: 4 }));
    assert_eq!(only(b"[1,2,3,4,5,6,7,8,9]"), Err(FrameError::TooMany { limit: 8 }));
    assert!(only(br#"["[[[[[[,,,,,,,,,,\"[[["]"#).unwrap().is_some());
}

#[test]
fn what_we_send_is_a_frame() {
    assert_eq!(encode_frame(&[1, 2]).unwrap(), framed(b"[1,2]"));
}

proptest! {
    #[test]
    fn no_bytes_make_the_decoder_fall_over(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let mut decoder = Decoder::new(SMALL);
        decoder.push(&bytes);
        while let Ok(Some(frame)) = decoder.next_frame() {
            let _ = serde_json::from_slice::<FromCell>(frame);
        }
    }

    #[test]
    fn no_json_makes_a_message_fall_over(text in r#"\{"(calls|verb|yield|end|ready|where)":[\[\]{}",:a-z0-9$ ]{0,80}\}"#) {
        let _ = serde_json::from_str::<FromCell>(&text);
    }
}
