use super::*;

#[test]
fn a_number_is_written_with_leading_zeros_and_reads_back() {
    for number in [0, 1, 9, 10, 1_234_567_890, 9_999_999_999] {
        let digits = Digits::<10>::of_number(number).unwrap();
        assert_eq!(digits.to_string(), format!("{number:010}"));
        assert_eq!(digits.number(), number);
    }
    assert_eq!(Digits::<10>::of_number(10_000_000_000), None);
    assert_eq!(Digits::<10>::of_number(-1), None);
    assert_eq!(
        Digits::<25>::of_number(i64::MAX).unwrap().number(),
        i64::MAX
    );
    assert_eq!(
        Digits::<25>::parse(&"9".repeat(25)).unwrap().number(),
        i64::MAX
    );
}

#[test]
fn only_exactly_so_many_ascii_digits_are_digits() {
    assert_eq!(Digits::<3>::parse("001").unwrap().as_str(), "001");
    for text in ["", "01", "0001", "0o1", "+01", "٣٣", "1\u{301}"] {
        assert_eq!(Digits::<3>::parse(text), None, "{text}");
    }
}

#[test]
fn positions_count_from_one() {
    let digits = Digits::<5>::parse("12345").unwrap();
    assert_eq!(digits.positions(2, 4), b"234");
    assert_eq!(digits.position(5), 5);
    assert_eq!(Digits::<4>::join([b"12", b"3", b"4"]).as_str(), "1234");
}

#[test]
fn the_published_examples_of_both_sums_come_out() {
    assert_eq!(modulo_10(b"01230067896".iter()), 3);
    assert_eq!(modulo_11_remainder(b"01230067896".iter()), 0);
    let long = b"8220000215048200974123220154098290108605940";
    assert_eq!(modulo_10(long.iter()), 1);
    assert_eq!(modulo_11_remainder(long.iter()), 1);
}

#[test]
fn typed_digits_may_have_spaces_dots_and_hyphens_between_them() {
    let typed = Typed::read(" 00190.50095-4\t0\u{a0}1 ").unwrap();
    assert_eq!(typed.count(), 13);
    assert_eq!(typed.exactly::<13>().unwrap().as_str(), "0019050095401");
    assert_eq!(typed.exactly::<12>(), None);
    for (text, position) in [("12x", 3), ("１", 1), ("1/2", 2), ("1–2", 2), ("\u{0}", 1)] {
        assert_eq!(
            Typed::read(text).err(),
            Some(CodeError::Character { position }),
            "{text}"
        );
    }
    assert_eq!(Typed::read(&"7".repeat(1_000)).unwrap().count(), 1_000);
}
