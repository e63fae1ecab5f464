//! A picture of the runs that wait, by fleet: how what is overdue is caught up, and what waits after that.

use std::fmt::Write as _;

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 420.0;
const MARGIN: f64 = 60.0;
const COLOURS: [&str; 4] = ["steelblue", "darkorange", "seagreen", "crimson"];

/// The runs of one fleet that wait, second by second.
pub(crate) struct Curve {
    pub(crate) name: String,
    pub(crate) waiting: Vec<u32>,
}

/// All curves in one picture: seconds across, runs upwards by powers of ten.
pub(crate) fn svg(curves: &[Curve]) -> String {
    let seconds = curves.iter().map(|curve| curve.waiting.len()).max().unwrap_or(0).max(2) as f64;
    let most = curves.iter().flat_map(|curve| &curve.waiting).fold(10.0_f64, |most, &waiting| most.max(waiting.into()));
    let across = |second: f64| MARGIN + second / seconds * (WIDTH - 2.0 * MARGIN);
    // A logarithm shows tens beside tens of thousands; none waiting is the bottom.
    let up = |waiting: f64| HEIGHT - MARGIN - (waiting + 1.0).log10() / (most + 1.0).log10() * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Runs that wait, by seconds since the start</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let mut line = |text: String| {
        // Writing to a string does not fail.
        let _ = writeln!(svg, "{text}");
    };
    for waiting in [0.0, 10.0, 100.0, 1_000.0, 10_000.0, 100_000.0].into_iter().filter(|waiting| *waiting <= most) {
        let y = up(waiting);
        line(format!("<path d=\"M{MARGIN} {y:.1}H{}\" stroke=\"#ddd\"/>", WIDTH - MARGIN));
        line(format!("<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{waiting}</text>", MARGIN - 6.0, y + 4.0));
    }
    for part in 0..=6 {
        let second = seconds * f64::from(part) / 6.0;
        let (x, y) = (across(second), HEIGHT - MARGIN / 2.0);
        line(format!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{second:.0} s</text>"));
    }
    for (number, (curve, colour)) in curves.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let points = (0_u32..).zip(&curve.waiting);
        let points: Vec<_> = points
            .map(|(second, &waiting)| format!("{:.1},{:.1}", across(second.into()), up(waiting.into())))
            .collect();
        line(format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>",
            points.join(" ")
        ));
        let y = MARGIN / 2.0 + 16.0 * number as f64;
        let x = WIDTH - MARGIN;
        line(format!("<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" fill=\"{colour}\">{}</text>", curve.name));
    }
    svg + "</svg>\n"
}
