use std::time::Duration;

use autoheal_sandbox::{Choice, End, Limit};

use crate::place::{Place, command, text};

#[tokio::test]
async fn a_command_sees_its_folder_and_nothing_of_the_hosts_environment() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    std::fs::write(place.folder.path().join("here"), "1").unwrap();
    let outcome = place.run(&["sh", "-c", "pwd; ls; echo $FROM_WORKSPACE $HOME; env | grep -c CARGO; exit 3"]).await;
    assert_eq!(text(&outcome.stdout), "/workspace\nhere\nyes /home/autoheal\n0");
    assert_eq!(outcome.end, End::Exited(3));
    place.workspace.close().await.unwrap();
}

#[tokio::test]
async fn input_and_words_arrive_unchanged() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let mut command = command(&[
        "python3",
        "-c",
        "import sys\nsys.stdout.write(repr(sys.argv[1:]))\nsys.stdout.write(sys.stdin.read())",
        "a b",
        "",
        "$(id)'\"\\",
        "é\n\n",
        "-n",
    ]);
    command.stdin = b"first\nsecond".to_vec();
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(text(&outcome.stderr), "");
    assert_eq!(text(&outcome.stdout), "['a b', '', '$(id)\\'\"\\\\', 'é\\n\\n', '-n']first\nsecond");
}

#[tokio::test]
async fn a_fork_bomb_hits_the_process_limit() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let outcome = place.python("import os\nwhile True: os.fork()").await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Processes), "{outcome:?}");
    assert_eq!(place.run(&["echo", "alive"]).await.end, End::Exited(0));
}

#[tokio::test]
async fn an_endless_allocation_hits_the_memory_limit() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let outcome = place.python("a = [bytearray(b'x') * (16 << 20) for _ in range(30 << 6)]").await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Memory), "{outcome:?}");
}

#[tokio::test]
async fn endless_output_hits_the_output_limit() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let outcome = place.run(&["sh", "-c", "while :; do echo line; done"]).await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Output));
    assert_eq!(outcome.stdout.len(), 1 << 20);
}

#[tokio::test]
async fn an_endless_loop_hits_the_time_limit() {
    let Some(mut place) = Place::open(Choice::Bubblewrap).await else { return };
    let mut command = command(&["sh", "-c", "trap '' TERM INT; while :; do :; done"]);
    command.limits.time = Duration::from_millis(300);
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(outcome.end, End::LimitHit(Limit::Time));
}
