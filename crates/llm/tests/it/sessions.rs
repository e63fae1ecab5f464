//! Retries, other models, budgets, accounts.

use std::time::Duration;

use autoheal_engine::budget::{Exhausted, Limits};
use autoheal_llm::{ChatError, ChatRequest, Message, Settings};
use autoheal_testkit::model_server::{ModelServer, Scripted};
use serde_json::json;

use crate::ledger::{connection, hasty, models, session};

const MODEL: &str = "openai/gpt-4o-mini";

fn question() -> ChatRequest {
    ChatRequest::new(vec![Message::user("What is the password? Is it hunter2?")])
}

fn busy() -> Scripted {
    Scripted::new(503, &json!({ "error": { "message": "busy" } }))
}

#[tokio::test]
async fn what_may_pass_is_asked_again_and_each_request_is_accounted_for() {
    let server = ModelServer::start([busy(), busy(), busy(), Scripted::openai("yes")]).await;
    let (session, accounts) = session(vec![connection(MODEL, &server)], hasty());
    assert_eq!(session.ask("test", &question()).await.unwrap().text, "yes");
    assert_eq!(accounts.outcomes(), ["UNAVAILABLE", "UNAVAILABLE", "UNAVAILABLE", "ANSWERED"]);
    let last = accounts.calls().last().unwrap().clone();
    assert_eq!((last.input_tokens, last.output_tokens, last.cached_tokens), (10, 5, 4));
    assert_eq!(last.micro_dollars, Some(5), "6 tokens at 0.15, 4 at 0.075 and 5 at 0.6 are 4.2");
    assert_eq!((last.target.as_deref(), last.user.as_deref()), (Some("news"), Some("ada")));
    assert!(last.prompt.as_ref().unwrap().contains("***") && !last.prompt.as_ref().unwrap().contains("hunter2"));
    let used = session.usage().await.unwrap();
    assert_eq!((used.calls, used.tokens(), used.micro_dollars), (4, 15, 5));
}

#[tokio::test]
async fn the_same_question_is_answered_from_the_accounts() {
    let server = ModelServer::start([Scripted::openai("yes"), Scripted::openai("no")]).await;
    let (session, accounts) = session(vec![connection(MODEL, &server)], hasty());
    for _ in 0..3 {
        assert_eq!(session.ask_unless_answered("test", &question()).await.unwrap().text, "yes");
    }
    assert_eq!((server.requests().len(), accounts.calls().len()), (1, 1));
    let other = ChatRequest::new(vec![Message::user("Another one?")]);
    assert_eq!(session.ask_unless_answered("test", &other).await.unwrap().text, "no");
    assert_eq!(session.ask_unless_answered("another purpose", &question()).await.unwrap().text, "no");
}

#[tokio::test]
async fn an_answer_that_was_not_kept_as_a_whole_is_asked_for_again() {
    let server = ModelServer::start([Scripted::openai("a long answer")]).await;
    for kept_text in [0, 6] {
        let settings = Settings { kept_text, ..hasty() };
        let (session, _) = session(vec![connection(MODEL, &server)], settings);
        for _ in 0..2 {
            assert_eq!(session.ask_unless_answered("test", &question()).await.unwrap().text, "a long answer");
        }
    }
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn what_does_not_pass_is_asked_once_and_never_more_than_four_times() {
    for (scripted, asked) in [(Scripted::new(400, &json!({})), 1), (busy(), 4)] {
        let server = ModelServer::start([scripted]).await;
        let (session, _) = session(vec![connection(MODEL, &server)], hasty());
        session.ask("test", &question()).await.unwrap_err();
        assert_eq!(server.requests().len(), asked);
    }
}

#[tokio::test]
async fn a_provider_that_asks_for_an_hour_is_not_waited_for() {
    let server = ModelServer::start([Scripted::new(429, &json!({})).header("Retry-After", "3600")]).await;
    let (session, _) = session(vec![connection(MODEL, &server)], hasty());
    assert!(matches!(session.ask("test", &question()).await, Err(ChatError::RateLimited { .. })));
    assert!(matches!(session.ask("test", &question()).await, Err(ChatError::Down { .. })), "nor is it asked again");
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_took_too_long_is_asked_with_less_to_read() {
    let late = Scripted::openai("late").after(Duration::from_mins(1));
    let server = ModelServer::start([late, Scripted::openai("in time")]).await;
    let (session, _) = session(vec![connection(MODEL, &server)], hasty());
    let request = ChatRequest {
        timeout: Duration::from_millis(400),
        ..ChatRequest::new(vec![Message::user("x".repeat(40_000))])
    };
    assert_eq!(session.ask("test", &request).await.unwrap().text, "in time");
    let lengths: Vec<usize> = server.requests().iter().map(|request| request.body.len()).collect();
    assert!(lengths[1] * 3 < lengths[0] * 2, "{lengths:?}");
}

#[tokio::test]
async fn when_one_model_fails_the_next_is_asked_and_a_dead_one_is_left_alone() {
    let (dead, alive) = (ModelServer::start([busy()]).await, ModelServer::start([Scripted::ollama("I am here")]).await);
    let chain = vec![connection(MODEL, &dead), connection("ollama/llama3.2", &alive)];
    let (session, _) = session(chain, hasty());
    for _ in 0..7 {
        assert_eq!(session.ask("test", &question()).await.unwrap().text, "I am here");
    }
    assert_eq!(dead.requests().len(), 20, "five questions, each four times, and then a rest");
    assert_eq!(alive.requests().len(), 7);
}

#[tokio::test]
async fn a_short_outage_is_waited_out_by_many_at_once() {
    let answers = std::iter::repeat_n(busy(), 8).chain([Scripted::openai("I am back")]);
    let server = ModelServer::start(answers).await;
    let models = models(vec![connection(MODEL, &server)], hasty()).0;
    let asked: Vec<_> = (0..8)
        .map(|_| {
            let session = models.session(None, None, None);
            tokio::spawn(async move { session.ask("test", &question()).await.is_ok() })
        })
        .collect();
    for one in asked {
        assert!(one.await.unwrap());
    }
}

#[tokio::test]
async fn nothing_is_asked_that_would_pass_a_limit() {
    let limits = |limits| Settings { per_run: limits, ..hasty() };
    for (settings, exhausted, asked) in [
        (limits(Limits { calls: Some(2), ..Limits::default() }), Exhausted::Calls, 2),
        (limits(Limits { tokens: Some(100), ..Limits::default() }), Exhausted::Tokens, 0),
        (limits(Limits { micro_dollars: Some(10), ..Limits::default() }), Exhausted::Money, 0),
        (Settings { per_day: Limits { calls: Some(3), ..Limits::default() }, ..hasty() }, Exhausted::Calls, 3),
    ] {
        let server = ModelServer::start([Scripted::openai("wrong")]).await;
        let is_of_day = settings.per_day.calls == Some(3);
        let (session, accounts) = session(vec![connection(MODEL, &server)], settings);
        let mut last = Ok(());
        for _ in 0..10 {
            last = session.ask("test", &question()).await.map(drop);
        }
        assert_eq!(last, Err(ChatError::Exhausted(exhausted)));
        assert_eq!(server.requests().len(), asked, "{exhausted}");
        assert_eq!(accounts.refused().is_empty(), !is_of_day, "a person learns of the day's budget");
    }
}

#[tokio::test]
async fn questions_at_once_keep_to_the_limit_together() {
    let run = Settings { per_run: Limits { calls: Some(3), ..Limits::default() }, ..hasty() };
    let day = Settings { per_day: Limits { calls: Some(3), ..Limits::default() }, ..hasty() };
    for settings in [run, day] {
        let server = ModelServer::start([Scripted::openai("wrong").after(Duration::from_millis(50))]).await;
        let (session, _) = session(vec![connection(MODEL, &server)], settings);
        let session = std::sync::Arc::new(session);
        let asked: Vec<_> = (0..8)
            .map(|_| {
                let session = std::sync::Arc::clone(&session);
                tokio::spawn(async move { session.ask("test", &question()).await.is_ok() })
            })
            .collect();
        let mut answered = 0;
        for one in asked {
            answered += usize::from(one.await.unwrap());
        }
        assert_eq!((answered, server.requests().len(), session.usage().await.unwrap().calls), (3, 3, 3));
    }
}

#[tokio::test]
async fn dropped_request_counts_and_is_accounted_for() {
    let server = ModelServer::start([Scripted::openai("late").after(Duration::from_millis(300))]).await;
    let one = Limits { calls: Some(1), ..Limits::default() };
    let (session, accounts) = session(vec![connection(MODEL, &server)], Settings { per_run: one, ..hasty() });
    let waited = tokio::time::timeout(Duration::from_millis(100), session.ask("test", &question())).await;
    assert!(waited.is_err());
    let again = session.ask("test", &question()).await;
    assert!(matches!(again, Err(ChatError::Exhausted(Exhausted::Calls))), "{again:?}");
    while accounts.calls().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(accounts.outcomes(), ["CANCELLED"]);
    assert_eq!(
        (session.usage().await.unwrap().calls, session.usage().await.unwrap().tokens()),
        (1, question().estimated_tokens() + 2048)
    );
}

#[tokio::test]
async fn the_limit_of_a_day_holds_for_runs_at_once() {
    let server = ModelServer::start([Scripted::openai("wrong").after(Duration::from_millis(50))]).await;
    let settings = Settings { per_day: Limits { calls: Some(1), ..Limits::default() }, ..hasty() };
    let models = models(vec![connection(MODEL, &server)], settings).0;
    let asked: Vec<_> = (0..4)
        .map(|_| {
            let session = models.session(None, None, None);
            tokio::spawn(async move { session.ask("test", &question()).await.is_ok() })
        })
        .collect();
    let mut answered = 0;
    for one in asked {
        answered += usize::from(one.await.unwrap());
    }
    assert_eq!((answered, server.requests().len()), (1, 1));
}

#[tokio::test]
async fn independent_questions_are_asked_at_once_and_answered_in_order() {
    for at_once in [1, 3] {
        let server = ModelServer::start([Scripted::openai("yes").after(Duration::from_millis(200))]).await;
        let (models, accounts) = models(vec![connection(MODEL, &server)], Settings { at_once, ..hasty() });
        let session = models.session(None, None, None);
        let asked = ["a", "b", "c", "d"].map(|text| {
            let session = &session;
            async move {
                let answer = session.ask("test", &ChatRequest::new(vec![Message::user(text)])).await;
                answer.map(|answer| format!("{text} {}", answer.text))
            }
        });
        let answers: Vec<_> = models.each(asked).await.into_iter().map(Result::unwrap).collect();
        assert_eq!(answers, ["a yes", "b yes", "c yes", "d yes"]);
        assert_eq!(server.most_at_once(), at_once);
        assert_eq!(accounts.outcomes().len(), 4);
        assert_eq!(session.usage().await.unwrap().tokens(), 60);
    }
}

#[tokio::test]
async fn a_limit_of_money_needs_a_price() {
    let server = ModelServer::start([Scripted::openai("what may it cost?")]).await;
    let per_run = Limits { micro_dollars: Some(1_000_000_000), ..Limits::default() };
    let (session, _) = session(vec![connection("openai/unheard-of", &server)], Settings { per_run, ..hasty() });
    assert_eq!(session.ask("test", &question()).await, Err(ChatError::Exhausted(Exhausted::Money)));
    assert!(server.requests().is_empty());
}
