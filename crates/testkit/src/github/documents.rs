//! JSON documents in GitHub's format.

use serde_json::{Map, Value, json};

use super::ci::{branch_tip, commit_facts};
use super::state::{Comment, Pull, Status};
use super::{JobPlan, NAME, OWNER, RunPlan, Shared};

const AT: &str = "2026-01-01T00:00:00Z";

/// The addresses in an entry of a repository, except those with a meaning here.
const ADDRESSES: &[&str] = &[
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
    "contributors",
    "deployments",
    "downloads",
    "events",
    "forks",
    "git_commits",
    "git_refs",
    "git_tags",
    "hooks",
    "issue_comment",
    "issue_events",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
    "notifications",
    "pulls",
    "releases",
    "stargazers",
    "statuses",
    "subscribers",
    "subscription",
    "tags",
    "teams",
    "trees",
];

impl Shared {
    fn user(&self, login: &str) -> Value {
        let api = |rest: &str| format!("{}/api/v3/users/{login}{rest}", self.origin);
        json!({
            "login": login, "id": 1, "node_id": "MDQ6VXNlcjE=", "avatar_url": api("/avatar"), "gravatar_id": "",
            "url": api(""), "html_url": format!("{}/{login}", self.origin), "followers_url": api("/followers"),
            "following_url": api("/following"), "gists_url": api("/gists"), "starred_url": api("/starred"),
            "subscriptions_url": api("/subscriptions"), "organizations_url": api("/orgs"), "repos_url": api("/repos"),
            "events_url": api("/events"), "received_events_url": api("/received_events"), "type": "User",
            "site_admin": false,
        })
    }

    /// The entry of the repository within other entries.
    fn small_repository(&self) -> Value {
        let mut entry: Map<String, Value> =
            ADDRESSES.iter().map(|name| (format!("{name}_url"), self.api_url(&format!("/{name}")).into())).collect();
        let more = json!({
            "id": 1, "node_id": "MDEwOlJlcG9zaXRvcnkx", "name": NAME, "full_name": format!("{OWNER}/{NAME}"),
            "owner": self.user(OWNER), "private": true, "html_url": self.page_url(""), "description": null,
            "fork": false, "url": self.api_url(""),
        });
        entry.extend(more.as_object().cloned().unwrap_or_default());
        entry.into()
    }

    pub(super) fn full_repository(&self, default_branch: &str) -> Value {
        let mut entry = self.small_repository();
        let more = json!({
            "clone_url": format!("{}.git", self.page_url("")), "git_url": self.page_url(".git"),
            "ssh_url": format!("git@example.org:{OWNER}/{NAME}.git"), "svn_url": self.page_url(""),
            "mirror_url": null, "homepage": null, "language": "Python", "default_branch": default_branch,
            "forks": 0, "forks_count": 0, "stargazers_count": 0, "watchers": 0, "watchers_count": 0, "size": 1,
            "open_issues": 0, "open_issues_count": 0, "has_issues": true, "has_projects": true, "has_wiki": true,
            "has_pages": false, "has_downloads": true, "has_discussions": false, "archived": false, "disabled": false,
            "license": null, "pushed_at": AT, "created_at": AT, "updated_at": AT, "network_count": 0,
            "subscribers_count": 0, "permissions": { "admin": false, "push": self.behaviour.may_push, "pull": true },
        });
        merge(&mut entry, more);
        entry
    }

    pub(super) fn workflow(&self) -> Value {
        json!({
            "id": 7, "node_id": "W_7", "name": "ci", "path": ".github/workflows/ci.yml", "state": "active",
            "created_at": AT, "updated_at": AT, "url": self.api_url("/actions/workflows/7"),
            "html_url": self.page_url("/blob/main/.github/workflows/ci.yml"),
            "badge_url": self.page_url("/workflows/ci/badge.svg"),
        })
    }

    pub(super) fn workflow_run(&self, id: u64, plan: &RunPlan, sha: &str, status: &str, event: &str) -> Value {
        let here = |rest: &str| self.api_url(&format!("/actions/runs/{id}{rest}"));
        let (tree, at, text) = commit_facts(&self.bare(), sha).unwrap_or_default();
        json!({
            "id": id, "node_id": format!("WFR_{id}"), "name": plan.name, "head_branch": null, "head_sha": sha,
            "path": ".github/workflows/ci.yml", "display_title": text.lines().next().unwrap_or_default(),
            "run_number": id, "run_attempt": 1, "event": event, "status": status,
            "conclusion": if status == "completed" { Value::from(plan.conclusion.as_str()) } else { Value::Null },
            // Each planned run belongs to a separate workflow.
            "workflow_id": 7 + id % 1000, "url": here(""), "html_url": self.page_url(&format!("/actions/runs/{id}")),
            "pull_requests": [], "created_at": AT, "updated_at": AT, "run_started_at": AT, "jobs_url": here("/jobs"),
            "logs_url": here("/logs"), "check_suite_url": self.api_url("/check-suites/1"), "cancel_url": here("/cancel"),
            "rerun_url": here("/rerun"), "artifacts_url": here("/artifacts"),
            "workflow_url": self.api_url("/actions/workflows/7"),
            "head_commit": {
                "id": sha, "tree_id": tree, "message": text, "timestamp": at,
                "author": { "name": "A Person", "email": "person@example.org" },
                "committer": { "name": "A Person", "email": "person@example.org" },
            },
            "repository": self.small_repository(), "head_repository": self.small_repository(),
            "actor": self.user("autoheal-bot"), "triggering_actor": self.user("autoheal-bot"),
        })
    }

    pub(super) fn job(&self, run: u64, id: u64, sha: &str, plan: &RunPlan, job: &JobPlan) -> Value {
        json!({
            "id": id, "node_id": format!("J_{id}"), "run_id": run, "run_url": self.api_url(&format!("/actions/runs/{run}")),
            "head_sha": sha, "workflow_name": plan.name, "head_branch": null, "name": job.name,
            "url": self.api_url(&format!("/actions/jobs/{id}")),
            "html_url": self.page_url(&format!("/actions/runs/{run}/job/{id}")), "status": "completed",
            "conclusion": job.conclusion, "created_at": AT, "started_at": AT, "completed_at": AT,
            "check_run_url": self.api_url(&format!("/check-runs/{id}")), "labels": ["ubuntu-latest"], "runner_id": 1,
            "runner_name": "a runner", "runner_group_id": 1, "runner_group_name": "runners", "steps": [],
        })
    }

    pub(super) fn check_run(&self, id: u64, sha: &str, name: &str, conclusion: &str) -> Value {
        json!({
            "id": id, "node_id": format!("CR_{id}"), "head_sha": sha, "external_id": "", "name": name,
            "url": self.api_url(&format!("/check-runs/{id}")), "html_url": self.page_url(&format!("/runs/{id}")),
            "details_url": null, "status": "completed", "conclusion": conclusion, "started_at": AT,
            "completed_at": AT, "check_suite": { "id": 1 }, "app": null, "pull_requests": [],
            "output": {
                "title": null, "summary": null, "text": null, "annotations_count": 0,
                "annotations_url": self.api_url(&format!("/check-runs/{id}/annotations")),
            },
        })
    }

    pub(super) fn status(&self, id: u64, status: &Status) -> Value {
        json!({
            "id": id, "node_id": format!("S_{id}"), "state": status.state, "description": status.description,
            "target_url": null, "context": status.context, "created_at": AT, "updated_at": AT, "avatar_url": null,
            "url": self.api_url(&format!("/statuses/{}", status.commit)), "creator": self.user("autoheal-bot"),
        })
    }

    pub(super) fn combined_status_document(&self, sha: &str, is_well: bool, page: &Value, total: usize) -> Value {
        json!({
            "state": if is_well { "success" } else { "pending" }, "sha": sha, "total_count": total,
            "statuses": page, "repository": self.small_repository(),
            "commit_url": self.api_url(&format!("/commits/{sha}")),
            "url": self.api_url(&format!("/commits/{sha}/status")),
        })
    }

    /// The entry of a pull request in a list.
    pub(super) fn pull_simple(&self, pull: &Pull) -> Value {
        let (number, bare) = (pull.number, self.bare());
        let here = |rest: &str| self.api_url(&format!("/pulls/{number}{rest}"));
        let page = |rest: &str| self.page_url(&format!("/pull/{number}{rest}"));
        let issue = |rest: &str| self.api_url(&format!("/issues/{number}{rest}"));
        let end = |branch: &str| {
            let kept = pull.merged.clone().filter(|_| branch == pull.head);
            let tip = kept.or_else(|| branch_tip(&bare, branch)).unwrap_or_else(|| "0".repeat(40));
            json!({
                "label": format!("{OWNER}:{branch}"), "ref": branch, "sha": tip,
                "user": self.user(OWNER), "repo": self.full_repository("main"),
            })
        };
        let link = |address: String| json!({ "href": address });
        json!({
            "id": number, "node_id": format!("PR_{number}"), "number": number, "url": here(""), "html_url": page(""),
            "diff_url": page(".diff"), "patch_url": page(".patch"), "issue_url": issue(""), "commits_url": here("/commits"),
            "review_comments_url": here("/comments"), "review_comment_url": here("/comments/1"),
            "comments_url": issue("/comments"), "statuses_url": self.api_url("/statuses"),
            "state": if pull.is_open { "open" } else { "closed" }, "locked": false, "title": pull.title,
            "user": self.user("autoheal-bot"), "body": pull.body, "labels": [], "milestone": null, "assignee": null,
            "created_at": AT, "updated_at": AT, "merged_at": pull.merged.as_ref().map(|_| AT), "merge_commit_sha": null,
            "closed_at": if pull.is_open { Value::Null } else { AT.into() },
            "head": end(&pull.head), "base": end(&pull.base), "author_association": "CONTRIBUTOR", "auto_merge": null,
            "_links": {
                "self": link(here("")), "html": link(page("")), "issue": link(issue("")),
                "comments": link(issue("/comments")), "review_comments": link(here("/comments")),
                "review_comment": link(here("/comments/1")), "commits": link(here("/commits")),
                "statuses": link(self.api_url("/statuses")),
            },
        })
    }

    /// The entry of a pull request by itself.
    pub(super) fn pull(&self, pull: &Pull) -> Value {
        let mut entry = self.pull_simple(pull);
        let more = json!({
            "merged": pull.merged.is_some(), "mergeable": null, "mergeable_state": "unknown", "merged_by": null, "comments": 0,
            "review_comments": 0, "maintainer_can_modify": true, "commits": 1, "additions": 1, "deletions": 1,
            "changed_files": 1,
        });
        merge(&mut entry, more);
        entry
    }

    pub(super) fn comment(&self, comment: &Comment) -> Value {
        json!({
            "id": comment.id, "node_id": format!("IC_{}", comment.id), "body": comment.body,
            "url": self.api_url(&format!("/issues/comments/{}", comment.id)),
            "html_url": self.page_url(&format!("/pull/{}#issuecomment-{}", comment.pull, comment.id)),
            "issue_url": self.api_url(&format!("/issues/{}", comment.pull)), "user": self.user("autoheal-bot"),
            "created_at": AT, "updated_at": AT, "author_association": "CONTRIBUTOR",
        })
    }
}

fn merge(entry: &mut Value, more: Value) {
    if let (Some(entry), Value::Object(more)) = (entry.as_object_mut(), more) {
        entry.extend(more);
    }
}
