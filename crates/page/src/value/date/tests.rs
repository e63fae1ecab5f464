use proptest::prelude::*;

use super::*;

fn read(text: &str) -> String {
    parse(text, DateOrder::Detect).map_or_else(|error| format!("{error:?}"), |date| date.to_string())
}

#[test]
fn many_ways_of_writing_a_day() {
    for (text, expected) in [
        ("2024-10-15", "2024-10-15"),
        ("2024-10-15T21:01:00Z", "2024-10-15T21:01Z"),
        ("2024-10-15T21:01:30.123+02:00", "2024-10-15T21:01:30+02:00"),
        ("2024-10-15 21:01 -0530", "2024-10-15T21:01-05:30"),
        ("Tue, 15 Oct 2024 21:01:00 +0200", "2024-10-15T21:01+02:00"),
        ("Tue, 15 Oct 2024 21:01:00 GMT", "2024-10-15T21:01Z"),
        ("15. Oktober 2024, 21:01", "2024-10-15T21:01"),
        ("15. Oktober 2024 um 21.01 Uhr", "2024-10-15T21:01"),
        ("October 15, 2024", "2024-10-15"),
        ("Published: Oct. 15th, 2024 at 9:01 pm", "2024-10-15T21:01"),
        ("15 de octubre de 2024", "2024-10-15"),
        ("1er août 2024 à 9h05", "2024-08-01T09:05"),
        ("15 октября 2024", "2024-10-15"),
        ("15 października 2024", "2024-10-15"),
        ("15 Ekim 2024", "2024-10-15"),
        ("15. lokakuuta 2024", "2024-10-15"),
        ("15-Oct-2024", "2024-10-15"),
        ("15/10/2024", "2024-10-15"),
        ("10/15/2024", "2024-10-15"),
        ("15.10.2024 21:01", "2024-10-15T21:01"),
        ("05.05.2024", "2024-05-05"),
        ("2024年10月15日", "2024-10-15"),
        ("21:01, 15 October 2024", "2024-10-15T21:01"),
        ("15 October 2024 | Updated 2024-10-15T22:00Z", "2024-10-15T22:00Z"),
        ("12:30 am, October 15, 2024", "2024-10-15T00:30"),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn two_readings_are_an_error() {
    for text in ["10/11/2024", "10.11.2024", "01/02/03", "15 October 2024, updated 16 October 2024", "3 listopada 2024"]
    {
        assert!(matches!(parse(text, DateOrder::Detect), Err(ValueError::Ambiguous { .. })), "{text}: {}", read(text));
    }
    for text in ["2024-02-30", "31 June 2024", "45/45/2024"] {
        assert!(matches!(parse(text, DateOrder::Detect), Err(ValueError::Invalid { .. })), "{text}: {}", read(text));
    }
    for text in ["", "yesterday", "October 2024", "3 days ago", "1.2.3.2024", "12 bananas 2024", "120/10/2024"] {
        assert!(matches!(parse(text, DateOrder::Detect), Err(ValueError::Absent { .. })), "{text}: {}", read(text));
    }
}

#[test]
fn the_recipe_decides_the_order() {
    let day_first = parse("10/11/2024", DateOrder::DayMonthYear).unwrap();
    let month_first = parse("10/11/2024", DateOrder::MonthDayYear).unwrap();
    assert_eq!((day_first.to_string(), month_first.to_string()), ("2024-11-10".into(), "2024-10-11".into()));
    assert_eq!(parse("10.11.24", DateOrder::DayMonthYear).unwrap().to_string(), "2024-11-10");
    assert!(parse("15/10/2024", DateOrder::MonthDayYear).is_err());
}

proptest! {
    #[test]
    fn no_text_breaks_it(text in "[0-9./: Octpm-]{0,40}|.{0,40}") {
        let _ = parse(&text, DateOrder::Detect);
    }

    #[test]
    fn what_is_written_is_read_again(day in 0_i32..40_000, hour in 0_i8..24, minute in 0_i8..60, offset in -14_i32..=14) {
        let date = Date::new(1970, 1, 1).unwrap().checked_add(jiff::Span::new().days(day)).unwrap();
        let time = Time::new(hour, minute, 0, 0).unwrap();
        let values = [
            DateValue { date, time: None },
            DateValue { date, time: Some(TimeOfDay { time, offset: None }) },
            DateValue { date, time: Some(TimeOfDay { time, offset: Offset::from_seconds(offset * 3600).ok() }) },
        ];
        for value in values {
            prop_assert_eq!(value.to_string().parse::<DateValue>().unwrap(), value);
        }
    }
}
