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
    /// The kinds that there is room for, and the number of tasks that may be claimed of any of them together.
    pub(crate) fn free(&self, served: Vec<TaskKind>) -> (Vec<TaskKind>, usize) {
        let taken = self.slots.taken();
        let mut most = self.slots.0.total.saturating_sub(taken.values().sum::<usize>());
        let mut free = Vec::new();
        for kind in served {
            let running = taken.get(&kind).copied().unwrap_or(0);
            let room = self.slots.0.of_kind.get(&kind).map_or(usize::MAX, |limit| limit.saturating_sub(running));
            if most > 0 && room > 0 {
                free.push(kind);
                // All the tasks may turn out to be of this kind.
                most = most.min(room);
            }
        }
        (free, most)
    }

    /// Takes a slot of a kind that was free.
    pub(crate) fn take(&self, kind: TaskKind) -> Slot {
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
    async fn full_kind_leaves_room_for_others_and_slot_is_returned() {
        let (heal, refresh) = (TaskKind::HealRepo, TaskKind::RefreshSource);
        let slots = Slots::new(3, BTreeMap::from([(heal, 1), (TaskKind::FixSource, 0)]));
        let free = async || slots.claiming().await.free(TaskKind::ALL.to_vec());
        let take = async |kind| {
            let claiming = slots.claiming().await;
            claiming.take(kind)
        };
        let all = vec![TaskKind::AddSource, refresh, heal];
        assert_eq!(free().await, (all.clone(), 1), "any task that is claimed may be of the kind with one slot");
        assert!(!slots.serves(TaskKind::FixSource) && slots.serves(refresh));
        let healing = take(heal).await;
        assert_eq!(free().await, (vec![TaskKind::AddSource, refresh], 2));
        let refreshing = [take(refresh).await, take(refresh).await];
        assert_eq!(free().await, (vec![], 0), "no more in all");
        drop(healing);
        assert_eq!(free().await, (all, 1));
        drop(refreshing);
    }
}
