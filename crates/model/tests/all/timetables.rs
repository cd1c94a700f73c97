//! The ticks of a Schedule agree with going through every minute and looking at the clock of the zone.

use std::collections::BTreeSet;

use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use selfmade_model::schedule::ticks::ON_TIME;
use selfmade_model::schedule::timetable::{Timetable, zone};
use selfmade_model::schedule::{Missed, Overlap, ScheduleContent, Times};

/// Zones whose clocks change by an hour, by half an hour, at midnight, for a month a year, by a whole day, and never.
const YEARS: [(&str, i16); 8] = [
    ("Europe/Berlin", 2026),
    ("America/New_York", 2026),
    ("Australia/Lord_Howe", 2026),
    ("America/Santiago", 2025),
    ("Africa/Casablanca", 2026),
    ("Pacific/Apia", 2011),
    ("Pacific/Chatham", 2026),
    ("Asia/Kolkata", 2026),
];
const YEAR: SignedDuration = SignedDuration::from_hours(365 * 24);
const DAY: SignedDuration = SignedDuration::from_hours(24);
const MINUTE: SignedDuration = SignedDuration::from_mins(1);

/// A few days in the life of a zone.
#[derive(Clone, Debug)]
struct Window {
    zone: TimeZone,
    from: Timestamp,
    to: Timestamp,
}

impl Window {
    /// What the clock shows at every minute after one moment, up to another.
    fn minutes(&self, after: Timestamp, to: Timestamp) -> impl Iterator<Item = (Timestamp, DateTime)> {
        let minutes = std::iter::successors(Some(after + MINUTE), |at| Some(*at + MINUTE));
        minutes.take_while(move |at| *at <= to).map(|at| (at, self.zone.to_datetime(at)))
    }
}

fn first_of(year: i16) -> Timestamp {
    format!("{year}-01-01T00:00:00Z").parse().unwrap()
}

/// Mostly around a change of the clock.
fn window() -> impl Strategy<Value = Window> {
    (0..YEARS.len(), prop::bool::weighted(0.8), any::<Index>(), 0..2800_i64).prop_map(
        |(place, around_change, at, before)| {
            let (name, year) = YEARS[place];
            let (zone, first) = (zone(name).unwrap(), first_of(year));
            let changes: Vec<Timestamp> = zone
                .following(first)
                .map(|change| change.timestamp())
                .take_while(|change| *change < first + YEAR)
                .collect();
            let middle = if around_change && !changes.is_empty() {
                *at.get(&changes)
            } else {
                first + MINUTE * at.index(365 * 1440) as i32
            };
            let from = middle - SignedDuration::from_mins(before);
            Window { zone, from, to: from + DAY * 3 }
        },
    )
}

/// An expression as sets of values.
#[derive(Clone, Debug)]
struct Fields {
    minutes: BTreeSet<i8>,
    hours: BTreeSet<i8>,
    days: BTreeSet<i8>,
    months: BTreeSet<i8>,
    weekdays: BTreeSet<i8>,
}

impl Fields {
    fn text(&self) -> String {
        let field = |values: &BTreeSet<i8>, count: usize| {
            let list: Vec<String> = values.iter().map(ToString::to_string).collect();
            if values.len() == count { "*".to_owned() } else { list.join(",") }
        };
        [
            field(&self.minutes, 60),
            field(&self.hours, 24),
            field(&self.days, 31),
            field(&self.months, 12),
            field(&self.weekdays, 7),
        ]
        .join(" ")
    }

    fn mean(&self, civil: DateTime) -> bool {
        let day = self.days.contains(&civil.day());
        let weekday = self.weekdays.contains(&civil.weekday().to_sunday_zero_offset());
        let either = self.days.len() < 31 && self.weekdays.len() < 7;
        self.minutes.contains(&civil.minute())
            && self.hours.contains(&civil.hour())
            && self.months.contains(&civil.month())
            && if either { day || weekday } else { day && weekday }
    }

    /// The ticks of a window, by looking at every minute.
    fn oracle(&self, window: &Window) -> Vec<Timestamp> {
        let Window { from, to, .. } = *window;
        if self.hours.len() == 24 {
            return window
                .minutes(from, to)
                .filter(|(_, shown)| self.mean(*shown))
                .map(|(at, _)| at)
                .collect();
        }
        let mut ticks: BTreeSet<Timestamp> = BTreeSet::new();
        // The latest that the clock has shown: what it shows again does not count.
        let mut latest = window.minutes(from - DAY * 2, from).map(|(_, shown)| shown).max().unwrap();
        for (at, shown) in window.minutes(from, to) {
            // One step, or many where the clock skips.
            while latest < shown {
                latest += MINUTE;
                if self.mean(latest) {
                    ticks.insert(at);
                }
            }
        }
        ticks.into_iter().collect()
    }
}

fn values(least: i8, most: i8) -> impl Strategy<Value = BTreeSet<i8>> {
    let all: BTreeSet<i8> = (least..=most).collect();
    prop_oneof![
        2 => Just(all.clone()),
        3 => prop::collection::btree_set(select(all.into_iter().collect::<Vec<_>>()), 1..4),
    ]
}

fn fields() -> impl Strategy<Value = Fields> {
    (values(0, 59), values(0, 23), values(1, 31), values(1, 12), values(0, 6), any::<bool>()).prop_map(
        |(minutes, mut hours, days, mut months, weekdays, night)| {
            // Clocks are changed at night, and a tick at that hour is what can go wrong.
            if night && hours.len() < 24 {
                hours.extend([0, 1, 2, 3]);
                months.extend(1..=12);
            }
            Fields { minutes, hours, days, months, weekdays }
        },
    )
}

/// None for an expression that never happens, which is refused.
fn timetable(expression: &str, zone: &str) -> Option<Timetable> {
    let content = ScheduleContent {
        description: String::new(),
        times: Times::Cron(expression.to_owned()),
        zone: zone.to_owned(),
        target: "f".parse().unwrap(),
        input: serde_json::Map::new(),
        missed: Missed::Once,
        overlap: Overlap::Skip,
        paused: false,
    };
    content.timetable().ok()
}

fn ticks(table: &Timetable, window: &Window) -> Vec<Timestamp> {
    let mut found = Vec::new();
    let mut now = window.from;
    while let Some(at) = table.next_after(now).filter(|at| *at <= window.to) {
        assert!(at > now);
        found.push(at);
        now = at;
    }
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn ticks_agree_with_looking_at_the_clock_every_minute(fields in fields(), window in window()) {
        let name = window.zone.iana_name().unwrap();
        let Some(table) = timetable(&fields.text(), name) else { return Ok(()) };
        prop_assert_eq!(ticks(&table, &window), fields.oracle(&window), "{} in {}", fields.text(), name);
    }

    #[test]
    fn every_tick_that_has_passed_is_due_or_left_out(
        fields in fields(), window in window(), cap in 1_usize..6,
    ) {
        let name = window.zone.iana_name().unwrap();
        let Some(table) = timetable(&fields.text(), name) else { return Ok(()) };
        let all = ticks(&table, &window);
        for (missed, most) in [(Missed::Skip, 1), (Missed::Once, 1), (Missed::All, cap)] {
            let told = table.ticks_between(window.from, window.to, missed, cap);
            let mut newest = all[all.len().saturating_sub(most)..].to_vec();
            if missed == Missed::Skip {
                newest.retain(|at| window.to.duration_since(*at) <= ON_TIME);
            }
            let left = &all[..all.len() - newest.len()];
            prop_assert_eq!(&told.due, &newest);
            let told = told.left_out.map(|left| (left.count, left.first, left.last));
            prop_assert_eq!(told, left.first().map(|first| (left.len(), *first, left[left.len() - 1])));
        }
    }
}

#[test]
fn a_daily_time_ticks_once_on_every_day_of_the_year() {
    for (name, year) in YEARS {
        let window = Window { zone: zone(name).unwrap(), from: first_of(year), to: first_of(year) + YEAR };
        for expression in ["0 0 * * *", "30 2 * * *", "59 23 * * *", "15 1 * * *"] {
            let count = ticks(&timetable(expression, name).unwrap(), &window).len();
            // Apia had no 30 December, and a tick for it right after; the clocks move ticks over the window's ends.
            assert!((364..=366).contains(&count), "{expression} in {name}: {count}");
        }
    }
}
