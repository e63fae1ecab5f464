//! Request slots of hosts, stored where all workers see them: together they are as polite as one.

use std::time::Duration;

use autoheal_engine::politeness::{HostReservations, Pace, ReservationError, Reserving};

use crate::row::storable;
use crate::{Store, StoreError, row};

/// One statement, so that two workers cannot take one turn. `$2` the interval, `$3` the tolerance of the burst, `$4` the patience;
/// the arithmetic is [`Pace::reserve`]'s.
const RESERVE: &str = "
    INSERT INTO host_turn (host, idle_at, taken) VALUES ($1, {now} + $2, 1)
    ON CONFLICT (host) DO UPDATE SET
        taken = CASE WHEN host_turn.idle_at - $3 - {now} <= $4 THEN 1 ELSE 0 END,
        idle_at = CASE WHEN host_turn.idle_at - $3 - {now} > $4 THEN host_turn.idle_at
                       WHEN host_turn.idle_at > {now} THEN host_turn.idle_at + $2
                       ELSE {now} + $2 END
    RETURNING idle_at, taken, {now} AS seen_at";

impl Store {
    async fn reserve_turn(&self, host: &str, pace: Pace, patience: Duration) -> Result<Duration, StoreError> {
        let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX / 4);
        let tolerance = pace.interval.saturating_mul(pace.burst.max(1) - 1);
        let statement = sqlx::query(self.database.dialect.sql(RESERVE))
            .bind(storable(host))
            .bind(millis(pace.interval))
            .bind(millis(tolerance))
            .bind(millis(patience));
        let Some(row) = self.database.execute(statement).await? else { return Ok(Duration::ZERO) };
        let taken = row::integer(&row, "taken")? != 0;
        let starts_from = row::time(&row, "idle_at")?.minus(if taken { pace.interval } else { Duration::ZERO });
        Ok(starts_from.minus(tolerance).since(row::time(&row, "seen_at")?))
    }
}

impl HostReservations for Store {
    fn reserve<'call>(&'call self, host: &'call str, pace: Pace, patience: Duration) -> Reserving<'call> {
        Box::pin(async move {
            self.reserve_turn(host, pace, patience).await.map_err(|error| ReservationError(Box::new(error)))
        })
    }
}
