//! Curves as a table and as a picture: both axes by powers of two, so that what is linear has the slope of the dashed line.

use std::fmt::Write as _;

use super::measure::Curve;

/// One line for each length that was measured.
pub(super) fn csv(curves: &[Curve]) -> String {
    let mut text = "family,reader,bytes,seconds\n".to_owned();
    for curve in curves {
        for (bytes, time) in &curve.points {
            let _ = writeln!(text, "{},{},{bytes},{:.6}", curve.family, curve.reader, time.as_secs_f64());
        }
    }
    text
}

const WIDTH: f64 = 900.0;
const HEIGHT: f64 = 600.0;
const MARGIN: f64 = 60.0;
/// Ranges of the axes: bytes and seconds, as powers of two.
const BYTES: (f64, f64) = (15.5, 21.5);
const SECONDS: (f64, f64) = (-14.0, 4.0);

/// All curves in one picture; the name of each shows when it is pointed at.
pub(super) fn svg(curves: &[Curve]) -> String {
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <title>Time of parsers by length of the text</title>\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    for power in 16..=21 {
        let x = across(f64::from(power));
        let label = 2_u32.pow(u32::from(power - 10_u16));
        let _ = writeln!(
            svg,
            "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label} KiB</text>",
            HEIGHT - MARGIN / 2.0
        );
    }
    for (seconds, label) in
        [(0.000_1, "0.1 ms"), (0.001, "1 ms"), (0.01, "10 ms"), (0.1, "100 ms"), (1.0, "1 s"), (10.0, "10 s")]
    {
        let y = up(f64::log2(seconds));
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{y:.1}\" text-anchor=\"end\">{label}</text>", MARGIN - 6.0);
        let _ = writeln!(svg, "<path d=\"M{MARGIN} {y:.1}H{}\" stroke=\"#ddd\"/>", WIDTH - MARGIN);
    }
    let (start, end) = ((across(16.0), up(-7.0)), (across(21.0), up(-2.0)));
    let line = format!("M{:.1} {:.1}L{:.1} {:.1}", start.0, start.1, end.0, end.1);
    let _ = writeln!(svg, "<path d=\"{line}\" stroke=\"black\" stroke-dasharray=\"6 4\"><title>linear</title></path>");
    for curve in curves {
        let points = curve.points.iter().filter_map(|(bytes, time)| {
            let bytes = f64::from(u32::try_from(*bytes).ok()?);
            Some(format!("{:.1},{:.1}", across(bytes.log2()), up(time.as_secs_f64().max(1e-6).log2())))
        });
        let points = points.collect::<Vec<_>>().join(" ");
        let _ = writeln!(
            svg,
            "<polyline points=\"{points}\" fill=\"none\" stroke=\"steelblue\" stroke-opacity=\"0.35\"><title>{} {}</title></polyline>",
            curve.family, curve.reader
        );
    }
    svg + "</svg>\n"
}

fn across(power: f64) -> f64 {
    MARGIN + (power - BYTES.0) / (BYTES.1 - BYTES.0) * (WIDTH - 2.0 * MARGIN)
}

fn up(power: f64) -> f64 {
    HEIGHT - MARGIN - (power.max(SECONDS.0) - SECONDS.0) / (SECONDS.1 - SECONDS.0) * (HEIGHT - 2.0 * MARGIN)
}
