//! The paths of the API.

use serde_json::{Value, json};

use super::state::{MergeRequest, Note, Status};
use super::{Answer, Body, GROUPS, NAME, Shared};
use crate::github::{branch_tip, commit_facts};

type Query = [(String, String)];

impl Shared {
    pub(super) fn route(&self, method: &str, path: &str, query: &Query, body: Option<&Value>) -> Answer {
        let project = format!("/projects/{}", format!("{GROUPS}/{NAME}").replace('/', "%2F"));
        let Some(rest) = path.strip_prefix(&project) else { return not_found("Project") };
        let parts: Vec<&str> = rest.split('/').skip(1).collect();
        let text = |name: &str| body.and_then(|body| body[name].as_str()).map(str::to_owned);
        match (method, parts.as_slice()) {
            ("GET", []) => Answer::new(200, self.project()),
            ("GET", ["pipelines"]) => self.pipelines(path, query),
            ("GET", ["pipelines", id, "jobs"]) => self.jobs(path, query, id),
            ("GET", ["pipelines", id, "bridges"]) => match self.state().pipeline(id.parse().unwrap_or(0)) {
                Some(_) => Answer::new(200, json!([])),
                None => not_found("Pipeline"),
            },
            ("POST", ["pipelines", id, "retry"]) => self.retry(id),
            ("POST", ["pipeline"]) => self.start(text("ref").unwrap_or_default()),
            ("GET", ["jobs", id, "trace"]) => match self.state().trace(id.parse().unwrap_or(0)) {
                Some(trace) => Answer { status: 200, headers: Vec::new(), body: Body::Text(trace) },
                None => not_found("Job"),
            },
            ("GET", ["repository", "commits", sha, "statuses"]) => self.statuses(path, query, sha),
            ("POST", ["statuses", sha]) => {
                self.set_status(sha, text("name"), text("state"), text("description").unwrap_or_default())
            }
            ("GET", ["merge_requests"]) => {
                let source = parameter(query, "source_branch");
                let mut found = self.state().merge_requests.clone();
                found.retain(|request| source.is_none_or(|source| source == request.source));
                found.reverse();
                self.paged(path, query, found.iter().map(|request| self.merge_request(request)).collect())
            }
            ("POST", ["merge_requests"]) => self.open(&text),
            ("PUT", ["merge_requests", iid]) => self.change(iid, &text),
            ("GET", ["merge_requests", iid, "notes"]) => {
                let mut found = self.state().notes.clone();
                found.retain(|note| note.merge_request.to_string() == *iid);
                self.paged(path, query, found.iter().map(|note| self.note(note)).collect())
            }
            ("POST", ["merge_requests", iid, "notes"]) => self.add_note(iid, text("body").unwrap_or_default()),
            ("PUT", ["merge_requests", _, "notes", id]) => self.change_note(id, text("body").unwrap_or_default()),
            _ => not_found("Path"),
        }
    }

    fn pipelines(&self, path: &str, query: &Query) -> Answer {
        let sha = parameter(query, "sha").unwrap_or_default();
        self.plan(sha);
        let mut state = self.state();
        if let Some(progress) = state.ci.get_mut(sha)
            && (!progress.plan.needs_start || progress.is_started)
        {
            progress.polls += 1;
        }
        let mut seen = state.pipelines(sha);
        drop(state);
        seen.reverse();
        self.paged(path, query, seen.iter().map(|seen| self.pipeline(seen)).collect())
    }

    fn jobs(&self, path: &str, query: &Query, id: &str) -> Answer {
        let found = self.state().pipeline(id.parse().unwrap_or(0));
        let Some(seen) = found else { return not_found("Pipeline") };
        self.paged(path, query, seen.jobs.iter().map(|(id, plan)| self.job(&seen, *id, plan)).collect())
    }

    fn retry(&self, id: &str) -> Answer {
        let mut state = self.state();
        let id = id.parse().unwrap_or(0);
        if !state.retry(id) {
            return not_found("Pipeline");
        }
        let seen = state.pipeline(id);
        drop(state);
        seen.map_or_else(|| not_found("Pipeline"), |seen| Answer::new(201, self.pipeline(&seen)))
    }

    fn start(&self, branch: String) -> Answer {
        let Some(sha) = branch_tip(&self.bare(), &branch) else {
            return Answer::new(400, json!({ "message": { "base": ["Reference not found"] } }));
        };
        self.plan(&sha);
        let mut state = self.state();
        state.starts.push(branch);
        if let Some(progress) = state.ci.get_mut(&sha) {
            progress.is_started = true;
            progress.polls = progress.polls.max(progress.plan.appears_after + 1);
        }
        let seen = state.pipelines(&sha).pop();
        drop(state);
        match seen {
            Some(seen) => Answer::new(201, self.pipeline(&seen)),
            None => Answer::new(400, json!({ "message": { "base": ["Missing CI config file"] } })),
        }
    }

    /// Every job of a commit is a status of it, too.
    fn statuses(&self, path: &str, query: &Query, sha: &str) -> Answer {
        if commit_facts(&self.bare(), sha).is_none() {
            return not_found("Commit");
        }
        self.plan(sha);
        let state = self.state();
        let mut found = Vec::new();
        for seen in state.pipelines(sha) {
            let of_job = |(id, plan): &(u64, super::JobPlan)| self.job(&seen, *id, plan);
            found.extend(seen.jobs.iter().map(of_job).map(|job| {
                let mut status = self.status(&Status {
                    id: job["id"].as_u64().unwrap_or(0),
                    commit: sha.to_owned(),
                    pipeline: seen.id,
                    name: job["name"].as_str().unwrap_or_default().to_owned(),
                    state: job["status"].as_str().unwrap_or_default().to_owned(),
                    description: String::new(),
                });
                status["allow_failure"] = job["allow_failure"].clone();
                status
            }));
            let planned = state.ci.get(sha).filter(|_| seen.source == "external");
            let planned = planned.map(|progress| progress.plan.statuses.clone()).unwrap_or_default();
            found.extend((1..).zip(planned).map(|(id, (name, state))| {
                let (commit, description) = (sha.to_owned(), String::new());
                self.status(&Status { id, commit, pipeline: seen.id, name, state, description })
            }));
        }
        let set: Vec<Status> = state.statuses.iter().filter(|status| status.commit == sha).cloned().collect();
        drop(state);
        // Of a name in a pipeline the newest is the latest; the others are those that were tried again.
        let is_latest = |status: &&Status| {
            let same = |other: &&Status| other.name == status.name && other.pipeline == status.pipeline;
            set.iter().rev().find(same).is_some_and(|latest| latest.id == status.id)
        };
        found.extend(set.iter().filter(is_latest).map(|status| self.status(status)));
        for (parameter_name, field) in [("name", "name"), ("pipeline_id", "pipeline_id")] {
            if let Some(wanted) = parameter(query, parameter_name) {
                found
                    .retain(|status| status[field].as_str().map_or(status[field].to_string(), str::to_owned) == wanted);
            }
        }
        self.paged(path, query, found)
    }

    fn set_status(&self, sha: &str, name: Option<String>, state: Option<String>, description: String) -> Answer {
        if commit_facts(&self.bare(), sha).is_none() {
            return not_found("Commit");
        }
        let Some(new) = state else { return Answer::new(400, json!({ "error": "state is missing" })) };
        self.plan(sha);
        let mut state = self.state();
        let pipeline = state.pipeline_for_statuses(sha);
        let id = state.number() + 1_000_000;
        let name = name.unwrap_or_else(|| "default".to_owned());
        let status = Status { id, commit: sha.to_owned(), pipeline, name, state: new, description };
        state.statuses.push(status.clone());
        drop(state);
        Answer::new(201, self.status(&status))
    }

    fn open(&self, text: &dyn Fn(&str) -> Option<String>) -> Answer {
        let field = |name: &str| text(name).unwrap_or_default();
        let (source, target) = (field("source_branch"), field("target_branch"));
        if branch_tip(&self.bare(), &source).is_none() || branch_tip(&self.bare(), &target).is_none() {
            return Answer::new(422, json!({ "message": ["Source branch or target branch does not exist"] }));
        }
        let mut state = self.state();
        let is_same =
            |request: &MergeRequest| request.state == "opened" && request.source == source && request.target == target;
        if let Some(other) = state.merge_requests.iter().find(|request| is_same(request)) {
            let said = format!("Another open merge request already exists for this source branch: !{}", other.iid);
            return Answer::new(409, json!({ "message": [said] }));
        }
        let iid = state.merge_requests.iter().map(|request| request.iid).max().unwrap_or(0) + 1;
        let (title, description) = (field("title"), field("description"));
        let state_name = "opened".to_owned();
        let request = MergeRequest { iid, source, target, title, description, state: state_name, is_of_fork: false };
        state.merge_requests.push(request.clone());
        drop(state);
        Answer::new(201, self.merge_request(&request))
    }

    fn change(&self, iid: &str, text: &dyn Fn(&str) -> Option<String>) -> Answer {
        let mut state = self.state();
        let found = state.merge_requests.iter_mut().find(|request| request.iid.to_string() == iid);
        let Some(request) = found else { return not_found("Merge Request") };
        request.title = text("title").unwrap_or_else(|| request.title.clone());
        request.description = text("description").unwrap_or_else(|| request.description.clone());
        let request = request.clone();
        drop(state);
        Answer::new(200, self.merge_request(&request))
    }

    fn add_note(&self, iid: &str, body: String) -> Answer {
        let mut state = self.state();
        let found = state.merge_requests.iter().map(|request| request.iid).find(|other| other.to_string() == iid);
        let Some(merge_request) = found else { return not_found("Merge Request") };
        let note = Note { id: state.number(), merge_request, body };
        state.notes.push(note.clone());
        drop(state);
        Answer::new(201, self.note(&note))
    }

    fn change_note(&self, id: &str, body: String) -> Answer {
        let mut state = self.state();
        let Some(note) = state.notes.iter_mut().find(|note| note.id.to_string() == id) else {
            return not_found("Note");
        };
        note.body = body;
        let note = note.clone();
        drop(state);
        Answer::new(200, self.note(&note))
    }

    /// One page of a list, with the headers that name the others.
    fn paged(&self, path: &str, query: &Query, all: Vec<Value>) -> Answer {
        let number = |name: &str| parameter(query, name).and_then(|text| text.parse::<usize>().ok());
        let size = number("per_page").unwrap_or(20).clamp(1, self.behaviour.page_size);
        let page = number("page").unwrap_or(1).max(1);
        let (total, last) = (all.len(), all.len().div_ceil(size).max(1));
        let entries: Vec<Value> = all.into_iter().skip((page - 1) * size).take(size).collect();
        let next = if page < last { (page + 1).to_string() } else { String::new() };
        let mut answer = Answer::new(200, entries.into())
            .with("X-Page", page.to_string())
            .with("X-Per-Page", size.to_string())
            .with("X-Total", total.to_string())
            .with("X-Next-Page", &next);
        if !next.is_empty() {
            let others = query.iter().filter(|(name, _)| name != "page");
            let mut text = url::form_urlencoded::Serializer::new(String::new());
            text.extend_pairs(others).append_pair("page", &next);
            answer = answer.with("Link", format!("<{}/api/v4{path}?{}>; rel=\"next\"", self.origin, text.finish()));
        }
        answer
    }
}

fn parameter<'query>(query: &'query Query, name: &str) -> Option<&'query str> {
    query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

fn not_found(what: &str) -> Answer {
    Answer::new(404, json!({ "message": format!("404 {what} Not Found") }))
}
