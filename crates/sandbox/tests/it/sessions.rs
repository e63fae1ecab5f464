//! Tests of long-running commands that answer requests.

use std::time::Duration;

use autoheal_sandbox::{Choice, End, Limit, Line, Network, RegistryAccess, Session};
use rstest::rstest;

use crate::place::{Place, command, text};
use crate::remains::{alive, await_alive, groups, marker};

/// Answers each line with itself in capitals; ends at "exit", does not answer "wait", and answers "talk" with too much.
const WORKER: &str = "import sys, time\n\
    for line in sys.stdin:\n\
    \x20   word = line.strip()\n\
    \x20   if word == 'exit': sys.stderr.write('bye'); sys.stdout.write('rest'); sys.exit(3)\n\
    \x20   if word == 'wait': time.sleep(1000)\n\
    \x20   while word == 'talk': sys.stdout.write('x' * 4096)\n\
    \x20   print(word.upper(), flush=True)\n";

async fn ask(session: &mut dyn Session, line: &str) -> Line {
    session.send(format!("{line}\n").as_bytes()).await;
    session.line().await.unwrap()
}

fn end_of(line: Line) -> Option<End> {
    match line {
        Line::Ended(outcome) => Some(outcome.end),
        Line::Text(_) => None,
    }
}

#[rstest]
#[tokio::test]
async fn a_worker_is_kept_while_other_commands_run(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let mut session = place.workspace.session(&command(&["python3", "-c", WORKER])).await.unwrap();
    for word in ["a", "b"] {
        assert_eq!(ask(&mut *session, word).await, Line::Text(word.to_uppercase().into_bytes()));
        assert_eq!(place.run(&["true"]).await.end, End::Exited(0));
    }
    let Line::Ended(outcome) = ask(&mut *session, "exit").await else { panic!("it goes on") };
    assert_eq!(
        (outcome.end, text(&outcome.stdout), text(&outcome.stderr)),
        (End::Exited(3), "rest".into(), "bye".into())
    );
    // It stays ended.
    assert_eq!(end_of(ask(&mut *session, "a").await), Some(End::Exited(3)));
    session.close().await.unwrap();
}

/// Answers each line with its length in bytes, a line by itself, and then with the text of as many bytes; never ends a line otherwise. To
/// "flood" it answers with a megabyte before it reads on.
const FRAMER: &str = "import sys\n\
    for line in sys.stdin:\n\
    \x20   word = line.rstrip('\\n').replace('|', '\\n')\n\
    \x20   if word == 'flood': word = 'x' * (1 << 20)\n\
    \x20   body = word.encode()\n\
    \x20   sys.stdout.buffer.write(b'%d\\n' % len(body) + body); sys.stdout.flush()\n";

#[rstest]
#[tokio::test]
async fn a_frame_is_a_line_and_as_many_bytes_as_it_says(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let mut session = place.workspace.session(&command(&["python3", "-c", FRAMER])).await.unwrap();
    // Asked for together: what was heard too early is kept for the next.
    session.send("a|b\n\né\n".as_bytes()).await;
    for body in ["a\nb", "", "é"] {
        assert_eq!(session.line().await.unwrap(), Line::Text(body.len().to_string().into_bytes()));
        assert_eq!(session.bytes(body.len()).await.unwrap(), Line::Text(body.as_bytes().to_vec()));
    }
    session.close().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn what_is_too_long_is_not_waited_for(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let mut command = command(&["python3", "-c", FRAMER]);
    command.limits.output = 1000;
    let mut session = place.workspace.session(&command).await.unwrap();
    assert_eq!(end_of(session.bytes(1001).await.unwrap()), Some(End::LimitHit(Limit::Output)));
    session.close().await.unwrap();
}

#[tokio::test]
async fn who_talks_before_it_listens_is_heard() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let mut session = place.workspace.session(&command(&["python3", "-c", FRAMER])).await.unwrap();
    // More than pipes hold, in both directions.
    let asked = "flood\n".to_owned() + &"y".repeat(1 << 20) + "\n";
    session.send(asked.as_bytes()).await;
    for byte in [b'x', b'y'] {
        assert_eq!(session.line().await.unwrap(), Line::Text(b"1048576".to_vec()));
        assert_eq!(session.bytes(1 << 20).await.unwrap(), Line::Text(vec![byte; 1 << 20]));
    }
    session.close().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn an_answer_has_limits(#[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    for (word, limit, seconds) in [("wait", Limit::Time, 1), ("talk", Limit::Output, 60)] {
        let mut command = command(&["python3", "-c", WORKER]);
        command.limits.time = Duration::from_secs(seconds);
        let mut session = place.workspace.session(&command).await.unwrap();
        assert_eq!(end_of(ask(&mut *session, word).await), Some(End::LimitHit(limit)));
        session.close().await.unwrap();
    }
}

#[rstest]
#[tokio::test]
async fn a_session_leaves_nothing(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
    #[values(false, true)] dropped: bool,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let marker = marker();
    let script = format!("sleep {marker} & sleep {marker} & echo ready; wait");
    let mut session = place.workspace.session(&command(&["sh", "-c", &script])).await.unwrap();
    assert_eq!(session.line().await.unwrap(), Line::Text(b"ready".to_vec()));
    await_alive(&marker, 2).await;
    if dropped {
        drop(session);
        await_alive(&marker, 0).await;
    } else {
        session.close().await.unwrap();
        assert_eq!(alive(&marker), 0);
    }
    let run = place.run;
    place.workspace.close().await.unwrap();
    assert_eq!(groups(run), Vec::<std::path::PathBuf>::new());
    crate::containers::await_none(run).await;
}

#[tokio::test]
async fn a_session_has_no_network() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let mut command = command(&["true"]);
    command.network = Network::Registries(RegistryAccess::default());
    assert!(place.workspace.session(&command).await.is_err());
}
