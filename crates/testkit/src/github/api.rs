//! The paths of the API.

use serde_json::{Value, json};

use super::ci::{branch_tip, commit_facts, default_branch};
use super::server::message;
use super::state::{Comment, Pull, Status};
use super::{Answer, NAME, OWNER, Shared};

type Query = [(String, String)];

impl Shared {
    pub(super) fn route(&self, method: &str, path: &str, query: &Query, body: Option<&Value>) -> Answer {
        let Some(rest) = path.strip_prefix(&format!("/repos/{OWNER}/{NAME}")) else { return not_found() };
        let parts: Vec<&str> = rest.split('/').skip(1).collect();
        if method != "GET" && !self.behaviour.may_write {
            return Answer::new(403, message("Resource not accessible by personal access token"));
        }
        match (method, parts.as_slice()) {
            ("GET", []) => Answer::new(200, self.full_repository(&default_branch(&self.bare()))),
            ("GET", ["actions", "runs"]) => self.runs(rest, query),
            ("GET", ["actions", "runs", run, "jobs"]) => self.jobs(rest, query, run),
            ("POST", ["actions", "runs", run, "rerun-failed-jobs"]) => self.rerun(run),
            ("GET", ["actions", "jobs", job, "logs"]) => self.log(job),
            ("GET", ["actions", "workflows"]) => {
                let workflow = self.workflow();
                self.listed(rest, query, "workflows", vec![workflow])
            }
            ("POST", ["actions", "workflows", _, "dispatches"]) => self.dispatch(body),
            ("GET", ["commits", sha, "check-runs"]) => self.check_runs(rest, query, sha),
            ("GET", ["commits", sha, "status"]) => self.combined_status(rest, query, sha),
            ("POST", ["statuses", sha]) => self.set_status(sha, body),
            ("GET", ["pulls"]) => self.list_pulls(rest, query),
            ("POST", ["pulls"]) => self.open_pull(body),
            ("PATCH", ["pulls", number]) => self.change_pull(number, body),
            ("GET", ["issues", number, "comments"]) => self.list_comments(rest, query, number),
            ("POST", ["issues", number, "comments"]) => self.add_comment(number, body),
            ("PATCH", ["issues", "comments", id]) => self.change_comment(id, body),
            _ => not_found(),
        }
    }

    fn runs(&self, rest: &str, query: &Query) -> Answer {
        let sha = parameter(query, "head_sha").unwrap_or_default();
        self.plan(sha);
        let mut state = self.state();
        let documents = match state.ci.get_mut(sha) {
            Some(progress) if !progress.plan.needs_dispatch || progress.is_dispatched => {
                progress.polls += 1;
                let seen = progress.polls.saturating_sub(progress.plan.appears_after);
                let is_there = progress.polls > progress.plan.appears_after;
                let runs = (0_u64..).zip(&progress.plan.runs).filter(|_| is_there);
                let (first, event) =
                    (progress.first_run, if progress.is_dispatched { "workflow_dispatch" } else { "push" });
                runs.map(|(index, run)| {
                    let ended = seen > run.takes;
                    let status = if ended {
                        "completed"
                    } else if seen == 1 {
                        "queued"
                    } else {
                        "in_progress"
                    };
                    self.workflow_run(first + index, run, sha, status, event)
                })
                .collect()
            }
            Some(_) | None => Vec::new(),
        };
        drop(state);
        self.listed(rest, query, "workflow_runs", documents)
    }

    fn jobs(&self, rest: &str, query: &Query, run: &str) -> Answer {
        let Ok(run) = run.parse::<u64>() else { return not_found() };
        let state = self.state();
        let found = state.ci.iter().find_map(|(sha, progress)| {
            let index = usize::try_from(run.checked_sub(progress.first_run)?).ok()?;
            Some((sha.clone(), progress.plan.runs.get(index)?.clone()))
        });
        drop(state);
        let Some((sha, plan)) = found else { return not_found() };
        let jobs = (0_u64..).zip(&plan.jobs).map(|(index, job)| self.job(run, run * 100 + index, &sha, &plan, job));
        self.listed(rest, query, "jobs", jobs.collect())
    }

    /// Runs the failed jobs again: the plan says how they end then.
    fn rerun(&self, run: &str) -> Answer {
        let Ok(run) = run.parse::<u64>() else { return not_found() };
        for progress in self.state().ci.values_mut() {
            let index = run.checked_sub(progress.first_run).and_then(|index| usize::try_from(index).ok());
            let Some(plan) = index.and_then(|index| progress.plan.runs.get_mut(index)) else { continue };
            if plan.conclusion != "failure" {
                return Answer::new(403, message("This workflow run cannot be retried"));
            }
            plan.takes = progress.polls + 2;
            if let Some(conclusion) = plan.when_rerun.clone() {
                plan.jobs.iter_mut().for_each(|job| job.conclusion.clone_from(&conclusion));
                plan.conclusion = conclusion;
            }
            return Answer::new(201, serde_json::json!({}));
        }
        not_found()
    }

    fn log(&self, job: &str) -> Answer {
        let is_known = job.parse().is_ok_and(|job| self.state().logs.contains_key(&job));
        if !is_known {
            return not_found();
        }
        Answer::empty(302).with("Location", format!("{}/job/{job}?sig=of-nobody", self.logs_origin))
    }

    fn dispatch(&self, body: Option<&Value>) -> Answer {
        let branch = body.and_then(|body| body["ref"].as_str()).unwrap_or_default().to_owned();
        let Some(sha) = branch_tip(&self.bare(), &branch) else {
            return Answer::new(422, message(&format!("No ref found for: {branch}")));
        };
        self.plan(&sha);
        let mut state = self.state();
        if let Some(progress) = state.ci.get_mut(&sha) {
            progress.is_dispatched = true;
        }
        state.dispatches.push(branch);
        Answer::empty(204)
    }

    fn check_runs(&self, rest: &str, query: &Query, sha: &str) -> Answer {
        self.plan(sha);
        let checks = self.state().ci.get(sha).map(|progress| progress.plan.checks.clone()).unwrap_or_default();
        let documents =
            (1_u64..).zip(&checks).map(|(id, (name, conclusion))| self.check_run(id, sha, name, conclusion));
        self.listed(rest, query, "check_runs", documents.collect())
    }

    fn combined_status(&self, rest: &str, query: &Query, sha: &str) -> Answer {
        if commit_facts(&self.bare(), sha).is_none() {
            return Answer::new(422, message(&format!("No commit found for SHA: {sha}")));
        }
        self.plan(sha);
        let state = self.state();
        let mut newest: Vec<Status> = Vec::new();
        for status in state.statuses.iter().filter(|status| status.commit == sha) {
            newest.retain(|other| other.context != status.context);
            newest.push(status.clone());
        }
        let planned = state.ci.get(sha).map(|progress| progress.plan.statuses.clone()).unwrap_or_default();
        drop(state);
        newest.extend(planned.into_iter().map(|(context, state)| Status {
            commit: sha.to_owned(),
            context,
            state,
            description: String::new(),
        }));
        let documents = (1_u64..).zip(&newest).map(|(id, status)| self.status(id, status)).collect();
        let is_well = !newest.is_empty() && newest.iter().all(|status| status.state == "success");
        self.paged(rest, query, documents, |page, total| self.combined_status_document(sha, is_well, &page, total))
    }

    fn set_status(&self, sha: &str, body: Option<&Value>) -> Answer {
        let text = |name: &str| body.and_then(|body| body[name].as_str()).unwrap_or_default().to_owned();
        if commit_facts(&self.bare(), sha).is_none() {
            return Answer::new(422, message(&format!("No commit found for SHA: {sha}")));
        }
        let status = Status {
            commit: sha.to_owned(),
            context: text("context"),
            state: text("state"),
            description: text("description"),
        };
        let mut state = self.state();
        state.statuses.push(status.clone());
        let id = state.statuses.len() as u64;
        drop(state);
        Answer::new(201, self.status(id, &status)).with("Location", self.api_url(&format!("/statuses/{sha}")))
    }

    fn list_pulls(&self, rest: &str, query: &Query) -> Answer {
        let wanted = parameter(query, "state").unwrap_or("open");
        let head = parameter(query, "head");
        let state = self.state();
        let mut pulls: Vec<Pull> = state
            .pulls
            .iter()
            .filter(|pull| wanted == "all" || (wanted == "open") == pull.is_open)
            .filter(|pull| head.is_none_or(|head| head == format!("{OWNER}:{}", pull.head)))
            .cloned()
            .collect();
        drop(state);
        if parameter(query, "direction") != Some("asc") {
            pulls.reverse();
        }
        let documents = pulls.iter().map(|pull| self.pull_simple(pull)).collect();
        self.paged(rest, query, documents, |page, _| page)
    }

    fn open_pull(&self, body: Option<&Value>) -> Answer {
        let text = |name: &str| body.and_then(|body| body[name].as_str()).unwrap_or_default().to_owned();
        let (head, base) = (text("head"), text("base"));
        if branch_tip(&self.bare(), &head).is_none() || branch_tip(&self.bare(), &base).is_none() {
            return Answer::new(422, invalid("head or base does not exist"));
        }
        let mut state = self.state();
        if state.pulls.iter().any(|pull| pull.is_open && pull.head == head && pull.base == base) {
            return Answer::new(422, invalid(&format!("A pull request already exists for {OWNER}:{head}.")));
        }
        let number = state.number();
        let pull = Pull { number, head, base, title: text("title"), body: text("body"), is_open: true, merged: None };
        state.pulls.push(pull.clone());
        drop(state);
        Answer::new(201, self.pull(&pull)).with("Location", self.api_url(&format!("/pulls/{number}")))
    }

    fn change_pull(&self, number: &str, body: Option<&Value>) -> Answer {
        let mut state = self.state();
        let found =
            number.parse().ok().and_then(|number: u64| state.pulls.iter_mut().find(|pull| pull.number == number));
        let Some(pull) = found else { return not_found() };
        let text = |name: &str| body.and_then(|body| body[name].as_str()).map(str::to_owned);
        pull.title = text("title").unwrap_or_else(|| pull.title.clone());
        pull.body = text("body").unwrap_or_else(|| pull.body.clone());
        let pull = pull.clone();
        drop(state);
        Answer::new(200, self.pull(&pull))
    }

    fn list_comments(&self, rest: &str, query: &Query, number: &str) -> Answer {
        let state = self.state();
        let comments: Vec<Comment> =
            state.comments.iter().filter(|comment| comment.pull.to_string() == number).cloned().collect();
        drop(state);
        let documents = comments.iter().map(|comment| self.comment(comment)).collect();
        self.paged(rest, query, documents, |page, _| page)
    }

    fn add_comment(&self, number: &str, body: Option<&Value>) -> Answer {
        let mut state = self.state();
        let Some(pull) = state.pulls.iter().map(|pull| pull.number).find(|pull| pull.to_string() == number) else {
            return not_found();
        };
        let text = body.and_then(|body| body["body"].as_str()).unwrap_or_default().to_owned();
        let comment = Comment { id: state.number(), pull, body: text };
        state.comments.push(comment.clone());
        drop(state);
        Answer::new(201, self.comment(&comment)).with("Location", self.api_url("/issues/comments"))
    }

    fn change_comment(&self, id: &str, body: Option<&Value>) -> Answer {
        let mut state = self.state();
        let Some(comment) = state.comments.iter_mut().find(|comment| comment.id.to_string() == id) else {
            return not_found();
        };
        if let Some(text) = body.and_then(|body| body["body"].as_str()) {
            text.clone_into(&mut comment.body);
        }
        let comment = comment.clone();
        drop(state);
        Answer::new(200, self.comment(&comment))
    }

    fn listed(&self, rest: &str, query: &Query, key: &str, documents: Vec<Value>) -> Answer {
        self.paged(rest, query, documents, |page, total| json!({ "total_count": total, key: page }))
    }

    /// One page of a list, with the addresses of the others.
    fn paged(&self, rest: &str, query: &Query, all: Vec<Value>, shape: impl Fn(Value, usize) -> Value) -> Answer {
        let number = |name: &str| parameter(query, name).and_then(|text| text.parse::<usize>().ok());
        let size = number("per_page").unwrap_or(30).clamp(1, self.behaviour.page_size);
        let page = number("page").unwrap_or(1).max(1);
        let (total, last) = (all.len(), all.len().div_ceil(size).max(1));
        let entries: Vec<Value> = all.into_iter().skip((page - 1) * size).take(size).collect();
        let answer = Answer::new(200, shape(entries.into(), total));
        if last == 1 {
            return answer;
        }
        let address = |page: usize| {
            let others = query.iter().filter(|(name, _)| name != "page");
            let mut text = url::form_urlencoded::Serializer::new(String::new());
            text.extend_pairs(others).append_pair("page", &page.to_string());
            format!("<{}?{}>", self.api_url(rest), text.finish())
        };
        let mut links = Vec::new();
        if page > 1 {
            links.push(format!("{}; rel=\"prev\"", address(page - 1)));
        }
        if page < last {
            links.push(format!("{}; rel=\"next\"", address(page + 1)));
            links.push(format!("{}; rel=\"last\"", address(last)));
        }
        answer.with("Link", links.join(", "))
    }
}

fn parameter<'query>(query: &'query Query, name: &str) -> Option<&'query str> {
    query.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
}

fn not_found() -> Answer {
    Answer::new(404, message("Not Found"))
}

fn invalid(text: &str) -> Value {
    json!({
        "message": "Validation Failed",
        "documentation_url": "https://docs.github.com/rest",
        "errors": [{ "resource": "PullRequest", "code": "custom", "message": text }],
    })
}
