//! Node in a container of its own image: the same walls, the same limits.

use std::time::Duration;

use autoheal_sandbox::{End, Limit};

use crate::containers;
use crate::place::{Place, command, text};
use crate::remains::{alive, marker};

async fn node(place: &mut Place, script: &str) -> autoheal_sandbox::Outcome {
    place.run(&["node", "-e", script]).await
}

#[tokio::test]
async fn a_current_node_with_its_installer_shares_one_container_between_commands() {
    let Some(mut place) = Place::open_node().await else { return };
    let version = text(&place.run(&["node", "--version"]).await.stdout);
    let major: u32 = version.trim_start_matches('v').split('.').next().unwrap().parse().unwrap();
    assert!(major >= 20, "{version}");
    let first = containers::of_this(place.run).await;
    assert_eq!(place.run(&["npm", "--version"]).await.end, End::Exited(0));
    assert_eq!(place.run(&["npx", "--version"]).await.end, End::Exited(0));
    // Of it the way to registries is made.
    assert_eq!(place.run(&["python3", "-I", "-S", "-c", "import os, socket, threading"]).await.end, End::Exited(0));
    assert_eq!((first.len(), containers::of_this(place.run).await), (1, first));
    let run = place.run;
    place.workspace.close().await.unwrap();
    assert_eq!(containers::of_this(run).await, Vec::<String>::new());
}

#[tokio::test]
async fn node_reaches_its_folder_and_no_network() {
    let Some(mut place) = Place::open_node().await else { return };
    let script = "const fs = require('fs'), os = require('os'), net = require('net');\n\
        fs.writeFileSync('made', '1');\n\
        const refused = path => { try { fs.writeFileSync(path, '1'); return 'written'; } catch (error) { return error.code; } };\n\
        console.log(refused('/usr/made'), Object.keys(os.networkInterfaces()).join());\n\
        net.connect(443, '1.1.1.1').on('error', error => console.log(error.code));";
    let outcome = node(&mut place, script).await;
    assert_eq!(text(&outcome.stdout), "EROFS lo\nENETUNREACH", "{}", text(&outcome.stderr));
    assert!(place.folder.path().join("made").is_file());
    place.workspace.close().await.unwrap();
}

#[tokio::test]
async fn the_limits_of_node_are_named() {
    let Some(mut place) = Place::open_node().await else { return };
    let marker = marker();
    let hungry = format!("const kept = []; for (;;) kept.push(Buffer.alloc(16 << 20, 1)); // {marker}");
    assert_eq!(node(&mut place, &hungry).await.end, End::LimitHit(Limit::Memory));
    let forking = "const { spawn } = require('child_process');\n\
        let failed = false;\n\
        for (let count = 0; count < 200; count++) spawn('sleep', ['1000']).on('error', () => { failed = true; });\n\
        setImmediate(() => process.exit(failed ? 1 : 0));";
    assert_eq!(node(&mut place, forking).await.end, End::LimitHit(Limit::Processes));
    let talking = "(function talk() { process.stdout.write('line'.repeat(1000), talk); })()";
    assert_eq!(node(&mut place, talking).await.end, End::LimitHit(Limit::Output));
    let mut endless = command(&["node", "-e", "for (;;);", &marker]);
    endless.limits.time = Duration::from_secs(1);
    assert_eq!(place.workspace.run(&endless).await.unwrap().end, End::LimitHit(Limit::Time));
    assert_eq!(alive(&marker), 0);
    // Nothing of it is in the way of the next command.
    assert_eq!(node(&mut place, "console.log(1)").await.end, End::Exited(0));
    place.workspace.close().await.unwrap();
}

#[tokio::test]
async fn half_a_processor_is_half_the_time() {
    let Some(mut place) = Place::open_node().await else { return };
    // Processor time by the clock of the process itself, so that a busy machine changes nothing.
    let script = "const end = process.hrtime.bigint() + 2000000000n; while (process.hrtime.bigint() < end);\n\
        const used = process.cpuUsage(); console.log((used.user + used.system) / 1e6);";
    let mut half = command(&["node", "-e", script]);
    half.limits.cpus = 0.5;
    let used: f64 = text(&place.workspace.run(&half).await.unwrap().stdout).parse().unwrap();
    assert!(used < 1.5, "{used} seconds of processor time in two");
    place.workspace.close().await.unwrap();
}
