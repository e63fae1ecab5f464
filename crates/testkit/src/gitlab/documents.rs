//! JSON documents in GitLab's format.

use serde_json::{Value, json};

use super::ci::Seen;
use super::state::{MergeRequest, Note, Status};
use super::{GROUPS, JobPlan, NAME, Shared};
use crate::github::{branch_tip, default_branch};

const AT: &str = "2026-01-01T00:00:00.000Z";

/// Number of the project, and that of a fork of it.
const PROJECT: u64 = 7;
const FORK: u64 = 8;

impl Shared {
    fn user(&self) -> Value {
        json!({
            "id": 1, "username": "bot", "name": "Bot", "state": "active", "locked": false, "avatar_url": null,
            "web_url": format!("{}/bot", self.origin),
        })
    }

    pub(super) fn project(&self) -> Value {
        json!({
            "id": PROJECT, "name": NAME, "path": NAME, "path_with_namespace": format!("{GROUPS}/{NAME}"),
            "name_with_namespace": format!("{GROUPS} / {NAME}"), "description": null, "created_at": AT,
            "default_branch": default_branch(&self.bare()), "web_url": self.page_url(""), "topics": [],
            "http_url_to_repo": self.page_url(".git"), "ssh_url_to_repo": format!("git@localhost:{GROUPS}/{NAME}.git"),
            "forks_count": 0, "star_count": 0, "last_activity_at": AT, "visibility": "private", "archived": false,
        })
    }

    pub(super) fn pipeline(&self, seen: &Seen) -> Value {
        json!({
            "id": seen.id, "iid": seen.id, "project_id": PROJECT, "sha": seen.sha, "ref": "a-branch", "status": seen.status,
            "source": seen.source, "created_at": AT, "updated_at": AT, "name": null,
            "web_url": self.page_url(&format!("/-/pipelines/{}", seen.id)),
        })
    }

    pub(super) fn job(&self, seen: &Seen, id: u64, plan: &JobPlan) -> Value {
        let has_ended = !matches!(seen.status.as_str(), "pending" | "running");
        json!({
            "id": id, "name": plan.name, "stage": "test", "ref": "a-branch", "tag": false, "coverage": null,
            "status": if has_ended { plan.status.as_str() } else { "running" }, "allow_failure": plan.allow_failure,
            "created_at": AT, "started_at": AT, "finished_at": if has_ended { json!(AT) } else { Value::Null },
            "erased_at": null, "duration": 1.0, "queued_duration": 0.1, "user": self.user(),
            "pipeline": self.pipeline(seen), "artifacts": [], "web_url": self.page_url(&format!("/-/jobs/{id}")),
        })
    }

    pub(super) fn status(&self, status: &Status) -> Value {
        json!({
            "id": status.id, "sha": status.commit, "ref": "a-branch", "status": status.state, "name": status.name,
            "target_url": null, "description": status.description, "created_at": AT, "started_at": null,
            "finished_at": null, "allow_failure": false, "coverage": null, "pipeline_id": status.pipeline,
            "author": self.user(),
        })
    }

    pub(super) fn merge_request(&self, request: &MergeRequest) -> Value {
        let merged_at = if request.state == "merged" { json!(AT) } else { Value::Null };
        json!({
            "id": request.iid + 1000, "iid": request.iid, "project_id": PROJECT, "title": request.title,
            "description": request.description, "state": request.state, "created_at": AT, "updated_at": AT,
            "merged_at": merged_at, "closed_at": null, "source_branch": request.source, "target_branch": request.target,
            "source_project_id": if request.is_of_fork { FORK } else { PROJECT }, "target_project_id": PROJECT,
            "sha": branch_tip(&self.bare(), &request.source), "merge_commit_sha": null, "author": self.user(),
            "labels": [], "draft": false, "user_notes_count": 0, "upvotes": 0, "downvotes": 0,
            "web_url": self.page_url(&format!("/-/merge_requests/{}", request.iid)),
        })
    }

    pub(super) fn note(&self, note: &Note) -> Value {
        json!({
            "id": note.id, "type": null, "body": note.body, "author": self.user(), "created_at": AT, "updated_at": AT,
            "system": false, "noteable_id": note.merge_request + 1000, "noteable_type": "MergeRequest",
            "project_id": PROJECT, "noteable_iid": note.merge_request, "resolvable": false,
        })
    }
}
