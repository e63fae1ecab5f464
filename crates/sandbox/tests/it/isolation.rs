//! Actions that commands may and may not take; the outcome names the limit that was hit.

use std::time::Duration;

use autoheal_sandbox::{Choice, End, Limit, Network, RegistryAccess};
use rstest::rstest;
use secrecy::SecretString;

use crate::place::{Place, command, text};
use crate::remains::{alive, marker};

#[rstest]
#[tokio::test]
async fn a_command_sees_its_folder_and_nothing_of_the_hosts_environment(
    #[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    std::fs::write(place.folder.path().join("here"), "1").unwrap();
    let outcome = place.run(&["sh", "-c", "pwd; ls; echo $FROM_WORKSPACE $HOME; env | grep -c CARGO; exit 3"]).await;
    assert_eq!(text(&outcome.stdout), "/workspace\nhere\nyes /home/autoheal\n0");
    assert_eq!(outcome.end, End::Exited(3));
    place.workspace.close().await.unwrap();
}

#[rstest]
#[tokio::test]
async fn input_and_words_arrive_unchanged(#[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let script =
        "import sys\nsys.stdout.write(repr(sys.argv[1:]))\nsys.stdout.write(sys.stdin.read())\nsys.stderr.write('e')";
    let mut command = command(&["python3", "-c", script, "a b", "", "$(id)'\"\\", "é\n\n", "-n"]);
    command.stdin = b"first\nsecond".to_vec();
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(text(&outcome.stderr), "e");
    assert_eq!(text(&outcome.stdout), "['a b', '', '$(id)\\'\"\\\\', 'é\\n\\n', '-n']first\nsecond");
    assert_eq!(outcome.end, End::Exited(0));
}

#[rstest]
#[tokio::test]
async fn a_signal_is_told_from_an_exit(#[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    assert_eq!(place.run(&["sh", "-c", "kill -SEGV $$"]).await.end, End::Signaled(11));
    assert_eq!(place.run(&["does-not-exist"]).await.end, End::Exited(127));
}

#[rstest]
#[tokio::test]
async fn a_fork_bomb_hits_the_process_limit(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let marker = marker();
    let outcome = place.run(&["python3", "-c", "import os\nwhile True: os.fork()", &marker]).await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Processes), "{}", text(&outcome.stderr));
    assert_eq!(alive(&marker), 0);
    assert_eq!(place.run(&["echo", "alive"]).await.end, End::Exited(0));
}

/// The keeper of a container starts a process when it ends such a command. Twenty times, as it is a race.
#[tokio::test]
async fn a_command_that_takes_each_process_that_ends_hits_the_process_limit() {
    let Some(mut place) = Place::open(Choice::Docker).await else { return };
    let grow = "import os, sys, time\ndef grow(when_full):\n  while True:\n    try:\n      os.fork() or time.sleep(1000)\n    \
                except OSError:\n      when_full()\nos.fork() or grow(lambda: time.sleep(0.001))\ngrow(lambda: sys.exit(1))";
    let marker = marker();
    for _ in 0..20 {
        let mut command = command(&["python3", "-c", grow, &marker]);
        command.limits.processes = 40;
        let outcome = place.workspace.run(&command).await.unwrap();
        assert_eq!(outcome.end, End::LimitHit(Limit::Processes), "{}", text(&outcome.stderr));
        assert_eq!(alive(&marker), 0);
    }
}

#[rstest]
#[tokio::test]
async fn thirty_gibibytes_hit_the_memory_limit(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let marker = marker();
    let outcome = place.run(&["python3", "-c", "a = [b'x' * (16 << 20) for _ in range(30 << 6)]", &marker]).await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Memory), "{}", text(&outcome.stderr));
    assert_eq!(alive(&marker), 0);
    assert_eq!(place.run(&["echo", "alive"]).await.end, End::Exited(0));
}

#[rstest]
#[tokio::test]
async fn endless_output_hits_the_output_limit(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let outcome = place.run(&["sh", "-c", "while :; do echo line; done"]).await;
    assert_eq!(outcome.end, End::LimitHit(Limit::Output));
    assert_eq!(outcome.stdout.len(), 1 << 20);
}

#[rstest]
#[tokio::test]
async fn an_endless_loop_hits_the_time_limit(
    #[values(Choice::Bubblewrap, Choice::Docker, Choice::None)] choice: Choice,
) {
    let Some(mut place) = Place::open(choice).await else { return };
    let mut command = command(&["sh", "-c", "trap '' TERM INT; while :; do :; done"]);
    command.limits.time = Duration::from_millis(300);
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(outcome.end, End::LimitHit(Limit::Time));
}

#[rstest]
#[tokio::test]
async fn only_the_folder_can_be_written(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    for path in ["/escaped", "/usr/escaped", "/usr/bin/escaped", "/etc/escaped"] {
        let outcome = place.python(&format!("open({path:?}, 'w')")).await;
        assert_eq!(outcome.end, End::Exited(1), "{path}");
        assert!(!std::path::Path::new(path).exists());
    }
    // Only opened: writing there would change this machine.
    for path in ["/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/irq/default_smp_affinity"] {
        let outcome = place.python(&format!("import os; os.open({path:?}, os.O_WRONLY)")).await;
        assert_eq!(outcome.end, End::Exited(1), "{path}");
    }
    assert_eq!(
        place.python("open('/workspace/made', 'w').write('1'); open('/tmp/made', 'w')").await.end,
        End::Exited(0)
    );
    assert_eq!(std::fs::read(place.folder.path().join("made")).unwrap(), b"1");
    assert!(!std::path::Path::new("/tmp/made").exists());
}

#[rstest]
#[tokio::test]
async fn the_hosts_files_are_not_there(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let secrets = [tempfile::tempdir().unwrap(), tempfile::tempdir_in(std::env::home_dir().unwrap()).unwrap()];
    for secret in &secrets {
        let file = secret.path().join("secret");
        std::fs::write(&file, "hush").unwrap();
        let outcome = place.run(&["cat", file.to_str().unwrap()]).await;
        assert_eq!(outcome.end, End::Exited(1), "{}", text(&outcome.stderr));
        assert_eq!(text(&outcome.stdout), "");
    }
    if choice == Choice::Bubblewrap {
        assert_eq!(place.run(&["cat", "/etc/shadow"]).await.end, End::Exited(1));
    }
}

#[rstest]
#[tokio::test]
async fn there_is_no_network_not_even_the_hosts_loopback(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let script = format!(
        "import socket\n\
         for host in ('127.0.0.1', '169.254.169.254', '1.1.1.1'):\n\
         \x20   try: socket.create_connection((host, {port}), timeout=2); print('reached', host)\n\
         \x20   except OSError: pass\n\
         print([name for _, name in socket.if_nameindex() if not name.startswith(('lo', 'tunl', 'sit', 'gre', 'erspan', 'ip_vti', 'ip6'))])"
    );
    let outcome = place.python(&script).await;
    assert_eq!(text(&outcome.stdout), "[]", "{}", text(&outcome.stderr));
    tokio::select! {
        biased;
        _ = listener.accept() => panic!("the host's loopback was reached"),
        () = std::future::ready(()) => {}
    }
}

#[rstest]
#[tokio::test]
async fn a_command_has_no_powers(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let outcome =
        place.run(&["sh", "-c", "grep -E '^(CapEff|CapPrm|NoNewPrivs)' /proc/self/status; unshare -Ur true"]).await;
    let said = text(&outcome.stdout);
    assert!(said.contains("NoNewPrivs:\t1"), "{said}");
    if choice == Choice::Bubblewrap {
        assert!(said.contains("CapEff:\t0000000000000000") && said.contains("CapPrm:\t0000000000000000"), "{said}");
    }
    assert_ne!(outcome.end, End::Exited(0), "a user namespace could be made");
}

#[rstest]
#[tokio::test]
async fn only_registries_can_be_reached_when_installing(#[values(Choice::Bubblewrap, Choice::Docker)] choice: Choice) {
    let Some(mut place) = Place::open(choice).await else { return };
    let script = "import os, socket, sys\n\
         for target in ('localhost:443', 'other.example:443', 'registry.example:80', '169.254.169.254:443'):\n\
         \x20   s = socket.create_connection(('127.0.0.1', int(os.environ['https_proxy'].rsplit(':')[-1])))\n\
         \x20   s.sendall(f'CONNECT {target} HTTP/1.1\\r\\n\\r\\n'.encode())\n\
         \x20   print(target, s.makefile().readline().strip())\n\
         try: socket.create_connection(('1.1.1.1', 443), timeout=2); print('reached')\n\
         except OSError: pass\n\
         print(len(os.environ['INDEX_TOKEN']), os.environ['INDEX_TOKEN'], file=sys.stderr)\n\
         print(any(b't0' + b'ken' in open(f'/proc/{p}/cmdline', 'rb').read() for p in os.listdir('/proc') if p.isdigit()), file=sys.stderr)";
    let mut command = command(&["python3", "-c", script]);
    command.network = Network::Registries(RegistryAccess {
        hosts: vec!["registry.example".to_owned()],
        private_hosts: vec!["localhost".to_owned()],
        environment: [("INDEX_TOKEN".to_owned(), SecretString::from("a-t0ken-of-an-index"))].into(),
    });
    let outcome = place.workspace.run(&command).await.unwrap();
    assert_eq!(
        text(&outcome.stdout),
        "localhost:443 HTTP/1.1 403 Host Has No Public Address\n\
         other.example:443 HTTP/1.1 403 Host Is Not A Registry\n\
         registry.example:80 HTTP/1.1 403 Only Port 443 Is Allowed\n\
         169.254.169.254:443 HTTP/1.1 403 Host Is Not A Registry",
        "{}",
        text(&outcome.stderr)
    );
    // The command has it; nobody reads it in what the command writes, nor among the processes.
    assert_eq!(text(&outcome.stderr), "19 ***\nFalse");
    // The way is gone with the command.
    assert_eq!(place.run(&["ls", "/run/autoheal"]).await.end, End::Exited(2));
}
