//! Limits on the number of tasks that a worker and its clones run at once: in all, and of each kind.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use autoheal_engine::task::TaskKind;

/// The slots of one worker, shared with its clones.
#[derive(Debug, Clone)]
pub(crate) struct Slots(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    total: usize,
    of_kind: BTreeMap<TaskKind, usize>,
    taken: Mutex<BTreeMap<TaskKind, usize>>,
    /// Lock that allows one claim at a time: the kind of a claimed task is known only afterwards.
    claiming: tokio::sync::Mutex<()>,
}

impl Slots {
    /// Creates slots: `total` in all, at least one, and at most `of_kind` for each kind that it names.
    pub(crate) fn new(total: usize, of_kind: BTreeMap<TaskKind, usize>) -> Self {
        let (taken, claiming) = (Mutex::default(), tokio::sync::Mutex::default());
        Self(Arc::new(Inner { total: total.max(1), of_kind, taken, claiming }))
    }

    /// Waits until no other loop of this worker is claiming a task.
    pub(crate) async fn claiming(&self) -> Claiming<'_> {
        Claiming { slots: self, _alone: self.0.claiming.lock().await }
    }

    /// Returns whether tasks of the kind are ever run.
    pub(crate) fn serves(&self, kind: TaskKind) -> bool {
        self.0.of_kind.get(&kind) != Some(&0)
    }

    fn taken(&self) -> MutexGuard<'_, BTreeMap<TaskKind, usize>> {
        self.0.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A claim under way: the only one.
pub(crate) struct Claiming<'slots> {
    slots: &'slots Slots,
    _alone: tokio::sync::MutexGuard<'slots, ()>,
}

impl Claiming<'_> {
    /// The kinds that there is room for.
    pub(crate) fn free(&self, served: Vec<TaskKind>) -> Vec<TaskKind> {
        let taken = self.slots.taken();
        if taken.values().sum::<usize>() >= self.slots.0.total {
            return Vec::new();
        }
        let has_room = |kind: &TaskKind| {
            let running = taken.get(kind).copied().unwrap_or(0);
            self.slots.0.of_kind.get(kind).is_none_or(|most| running < *most)
        };
        served.into_iter().filter(has_room).collect()
    }

    /// Takes a slot of a kind that was free.
    pub(crate) fn take(self, kind: TaskKind) -> Slot {
        *self.slots.taken().entry(kind).or_default() += 1;
        Slot { slots: self.slots.clone(), kind }
    }
}

/// An occupied slot, which becomes free when this is dropped.
#[derive(Debug)]
pub(crate) struct Slot {
    slots: Slots,
    kind: TaskKind,
}

impl Drop for Slot {
    fn drop(&mut self) {
        if let Some(running) = self.slots.taken().get_mut(&self.kind) {
            *running = running.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_kind_that_is_full_leaves_room_for_the_others_and_a_slot_comes_back() {
        let (heal, refresh) = (TaskKind::HealRepo, TaskKind::RefreshSource);
        let slots = Slots::new(3, BTreeMap::from([(heal, 1), (TaskKind::FixSource, 0)]));
        let free = async || slots.claiming().await.free(TaskKind::ALL.to_vec());
        let all = vec![TaskKind::AddSource, refresh, heal];
        assert_eq!(free().await, all, "a kind of which none is run is never free");
        assert!(!slots.serves(TaskKind::FixSource) && slots.serves(refresh));
        let healing = slots.claiming().await.take(heal);
        assert_eq!(free().await, [TaskKind::AddSource, refresh]);
        let refreshing = [slots.claiming().await.take(refresh), slots.claiming().await.take(refresh)];
        assert_eq!(free().await, [], "no more in all");
        drop(healing);
        assert_eq!(free().await, all);
        drop(refreshing);
    }
}
