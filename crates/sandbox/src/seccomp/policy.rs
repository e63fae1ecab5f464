//! The system calls that commands may make: the whole policy, as tables with a reason for each row.
//!
//! It follows Docker's default profile (`profiles/seccomp/default.json` of moby) for a container without capabilities, and is
//! stricter where its comments say so. A call that no table names gets `ENOSYS`, as from an older kernel: programs are written
//! for that answer, and a call that a later kernel adds stays blocked until it has been reviewed.

use nix::errno::Errno;
#[cfg_attr(not(test), expect(clippy::wildcard_imports, reason = "the numbers of all calls that the tables name"))]
use nix::libc::*;

/// A test of one argument's lower 32 bits: the kernel ignores the upper ones for all arguments that are tested here.
#[derive(Debug, Clone, Copy)]
pub(super) enum Check {
    /// The argument equals the value.
    Is(u8, u32),
    /// None of these bits are set in the argument.
    Without(u8, u32),
}

/// A system call: its number on this architecture, and its name with `SYS_` before it.
pub(super) type Call = (c_long, &'static str);

/// Calls by the constants of their numbers.
macro_rules! calls {
    ($($call:ident),+ $(,)?) => { &[$(($call, stringify!($call))),+] };
}

/// Calls with one reason.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rule {
    /// System calls that the rule applies to.
    pub(super) calls: &'static [Call],
    /// The alternatives, of which one must match in all its checks; empty: always.
    pub(super) when: &'static [&'static [Check]],
    /// The reason, for readers of the table.
    #[cfg_attr(not(test), expect(dead_code, reason = "documentation that a test makes sure of"))]
    pub(super) why: &'static str,
}

/// Calls that are refused with this error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refusal {
    pub(super) rule: Rule,
    pub(super) errno: Errno,
}

const fn allow(calls: &'static [Call], why: &'static str) -> Rule {
    Rule { calls, when: &[], why }
}

const fn refuse(errno: Errno, calls: &'static [Call], why: &'static str) -> Refusal {
    Refusal { rule: Rule { calls, when: &[], why }, errno }
}

use Check::{Is, Without};

/// Number of a call that has the same number on every architecture, but is not named on all of them.
#[expect(non_upper_case_globals, reason = "as its neighbours")]
const SYS_fchmodat2: c_long = 452;

/// The bits of the flags of `clone` that make namespaces.
const NAMESPACES: u32 = 0x7e02_0000;

/// The ioctl that changes the line discipline of a terminal.
const SET_LINE_DISCIPLINE: u32 = 0x5423;
/// The ioctl that puts characters into the input of a terminal.
const TYPE_INTO_TERMINAL: u32 = 0x5412;
/// The ioctl of the console, which can paste into it.
const CONSOLE: u32 = 0x541c;

/// Families of sockets, and protocols of theirs.
const UNIX: u32 = 1;
const INET: u32 = 2;
const INET6: u32 = 10;
const NETLINK: u32 = 16;
const PING: u32 = 1;
const TCP: u32 = 6;
const UDP: u32 = 17;
const PING6: u32 = 58;
const ROUTES: u32 = 0;

/// System calls of ordinary programs.
pub(super) const ALLOWED: &[Rule] = &[
    allow(
        calls![
            SYS_read,
            SYS_readv,
            SYS_pread64,
            SYS_preadv,
            SYS_preadv2,
            SYS_write,
            SYS_writev,
            SYS_pwrite64,
            SYS_pwritev,
            SYS_pwritev2,
            SYS_close,
            SYS_close_range,
            SYS_lseek,
            SYS_dup,
            SYS_dup3,
            SYS_fcntl,
            SYS_flock,
            SYS_fsync,
            SYS_fdatasync,
            SYS_sync,
            SYS_syncfs,
            SYS_sync_file_range,
            SYS_ftruncate,
            SYS_truncate,
            SYS_fallocate,
            SYS_fadvise64,
            SYS_readahead,
            SYS_copy_file_range,
            SYS_sendfile,
            SYS_splice,
            SYS_tee,
            SYS_vmsplice,
            SYS_pipe2,
            SYS_ioctl,
        ],
        "open files and pipes",
    ),
    allow(
        calls![
            SYS_openat,
            SYS_openat2,
            SYS_faccessat,
            SYS_faccessat2,
            SYS_newfstatat,
            SYS_fstat,
            SYS_statx,
            SYS_statfs,
            SYS_fstatfs,
            SYS_readlinkat,
            SYS_getdents64,
            SYS_mkdirat,
            SYS_mknodat,
            SYS_linkat,
            SYS_symlinkat,
            SYS_unlinkat,
            SYS_renameat,
            SYS_renameat2,
            SYS_fchmod,
            SYS_fchmodat,
            SYS_fchmodat2,
            SYS_fchown,
            SYS_fchownat,
            SYS_utimensat,
            SYS_umask,
            SYS_chdir,
            SYS_fchdir,
            SYS_getcwd,
            SYS_name_to_handle_at,
            SYS_getxattr,
            SYS_lgetxattr,
            SYS_fgetxattr,
            SYS_setxattr,
            SYS_lsetxattr,
            SYS_fsetxattr,
            SYS_listxattr,
            SYS_llistxattr,
            SYS_flistxattr,
            SYS_removexattr,
            SYS_lremovexattr,
            SYS_fremovexattr,
        ],
        "names of files; the mounts decide which there are",
    ),
    allow(
        calls![SYS_inotify_init1, SYS_inotify_add_watch, SYS_inotify_rm_watch],
        "watching files, as test runners and bundlers do",
    ),
    allow(
        calls![
            SYS_brk,
            SYS_mmap,
            SYS_munmap,
            SYS_mremap,
            SYS_mprotect,
            SYS_madvise,
            SYS_mincore,
            SYS_msync,
            SYS_mlock,
            SYS_mlock2,
            SYS_mlockall,
            SYS_munlock,
            SYS_munlockall,
            SYS_membarrier,
            SYS_pkey_alloc,
            SYS_pkey_free,
            SYS_pkey_mprotect,
            SYS_remap_file_pages,
            SYS_memfd_create,
            SYS_mseal,
        ],
        "memory, which the control group counts",
    ),
    allow(
        calls![
            SYS_execve,
            SYS_execveat,
            SYS_exit,
            SYS_exit_group,
            SYS_wait4,
            SYS_waitid,
            SYS_getpid,
            SYS_getppid,
            SYS_gettid,
            SYS_getpgid,
            SYS_setpgid,
            SYS_getsid,
            SYS_setsid,
            SYS_getuid,
            SYS_geteuid,
            SYS_getgid,
            SYS_getegid,
            SYS_getresuid,
            SYS_getresgid,
            SYS_getgroups,
            SYS_setuid,
            SYS_setgid,
            SYS_setreuid,
            SYS_setregid,
            SYS_setresuid,
            SYS_setresgid,
            SYS_setfsuid,
            SYS_setfsgid,
            SYS_setgroups,
            SYS_capget,
            SYS_capset,
            SYS_prctl,
            SYS_seccomp,
            SYS_prlimit64,
            SYS_getrlimit,
            SYS_setrlimit,
            SYS_getrusage,
            SYS_times,
            SYS_sysinfo,
            SYS_uname,
            SYS_set_tid_address,
            SYS_set_robust_list,
            SYS_get_robust_list,
            SYS_rseq,
            SYS_getcpu,
            SYS_landlock_create_ruleset,
            SYS_landlock_add_rule,
            SYS_landlock_restrict_self,
        ],
        "processes; without capabilities they can only give up rights",
    ),
    Rule {
        calls: calls![SYS_clone],
        when: &[&[Without(0, NAMESPACES)]],
        why: "processes and threads, but no new namespaces",
    },
    allow(
        calls![
            SYS_kill,
            SYS_tkill,
            SYS_tgkill,
            SYS_rt_sigaction,
            SYS_rt_sigpending,
            SYS_rt_sigprocmask,
            SYS_rt_sigqueueinfo,
            SYS_rt_sigreturn,
            SYS_rt_sigsuspend,
            SYS_rt_sigtimedwait,
            SYS_rt_tgsigqueueinfo,
            SYS_sigaltstack,
            SYS_restart_syscall,
            SYS_pidfd_open,
            SYS_pidfd_send_signal,
            SYS_signalfd4,
        ],
        "signals, within the namespace of processes",
    ),
    allow(
        calls![
            SYS_sched_yield,
            SYS_sched_getaffinity,
            SYS_sched_setaffinity,
            SYS_sched_getattr,
            SYS_sched_setattr,
            SYS_sched_getparam,
            SYS_sched_setparam,
            SYS_sched_getscheduler,
            SYS_sched_setscheduler,
            SYS_sched_get_priority_max,
            SYS_sched_get_priority_min,
            SYS_sched_rr_get_interval,
            SYS_getpriority,
            SYS_setpriority,
            SYS_ioprio_get,
            SYS_ioprio_set,
        ],
        "priorities; without capabilities they only go down",
    ),
    allow(
        calls![
            SYS_clock_getres,
            SYS_clock_gettime,
            SYS_clock_nanosleep,
            SYS_gettimeofday,
            SYS_nanosleep,
            SYS_getitimer,
            SYS_setitimer,
            SYS_timer_create,
            SYS_timer_delete,
            SYS_timer_getoverrun,
            SYS_timer_gettime,
            SYS_timer_settime,
            SYS_timerfd_create,
            SYS_timerfd_gettime,
            SYS_timerfd_settime,
            SYS_adjtimex,
            SYS_clock_adjtime,
        ],
        "reading clocks and waiting; setting them needs a capability",
    ),
    allow(
        calls![
            SYS_epoll_create1,
            SYS_epoll_ctl,
            SYS_epoll_pwait,
            SYS_epoll_pwait2,
            SYS_ppoll,
            SYS_pselect6,
            SYS_eventfd2,
            SYS_futex,
            SYS_futex_waitv,
            SYS_io_setup,
            SYS_io_submit,
            SYS_io_cancel,
            SYS_io_destroy,
            SYS_io_getevents,
            SYS_getrandom,
        ],
        "waiting for several things, locks, older asynchronous input and output, random numbers",
    ),
    allow(
        calls![
            SYS_bind,
            SYS_connect,
            SYS_listen,
            SYS_accept,
            SYS_accept4,
            SYS_getsockname,
            SYS_getpeername,
            SYS_getsockopt,
            SYS_setsockopt,
            SYS_sendto,
            SYS_sendmsg,
            SYS_sendmmsg,
            SYS_recvfrom,
            SYS_recvmsg,
            SYS_recvmmsg,
            SYS_shutdown,
        ],
        "sockets within the network namespace",
    ),
    Rule {
        calls: calls![SYS_socket],
        when: &[
            &[Is(0, UNIX)],
            &[Is(0, INET), Is(2, 0)],
            &[Is(0, INET), Is(2, TCP)],
            &[Is(0, INET), Is(2, UDP)],
            &[Is(0, INET), Is(2, PING)],
            &[Is(0, INET6), Is(2, 0)],
            &[Is(0, INET6), Is(2, TCP)],
            &[Is(0, INET6), Is(2, UDP)],
            &[Is(0, INET6), Is(2, PING6)],
            &[Is(0, NETLINK), Is(2, ROUTES)],
        ],
        why: "TCP, UDP, ping, and interfaces and routes of netlink, for `getifaddrs`; other families (vsock is in no namespace) and protocols \
              only make the kernel load drivers; stricter than Docker",
    },
    Rule { calls: calls![SYS_socketpair], when: &[&[Is(0, UNIX)]], why: "pairs of sockets; stricter than Docker" },
    allow(
        calls![
            SYS_shmget,
            SYS_shmat,
            SYS_shmctl,
            SYS_shmdt,
            SYS_semget,
            SYS_semop,
            SYS_semtimedop,
            SYS_semctl,
            SYS_msgget,
            SYS_msgsnd,
            SYS_msgrcv,
            SYS_msgctl,
            SYS_mq_open,
            SYS_mq_unlink,
            SYS_mq_timedsend,
            SYS_mq_timedreceive,
            SYS_mq_notify,
            SYS_mq_getsetattr,
        ],
        "messages and shared memory, within the IPC namespace",
    ),
    Rule {
        calls: calls![SYS_personality],
        when: &[&[Is(0, 0)], &[Is(0, 8)], &[Is(0, 0x20000)], &[Is(0, 0x20008)], &[Is(0, u32::MAX)]],
        why: "asking for the personality, and those of plain Linux; others switch off protections of memory",
    },
    #[cfg(target_arch = "x86_64")]
    allow(
        calls![
            SYS_open,
            SYS_creat,
            SYS_access,
            SYS_stat,
            SYS_lstat,
            SYS_readlink,
            SYS_getdents,
            SYS_mkdir,
            SYS_rmdir,
            SYS_mknod,
            SYS_link,
            SYS_symlink,
            SYS_unlink,
            SYS_rename,
            SYS_chmod,
            SYS_chown,
            SYS_lchown,
            SYS_utime,
            SYS_utimes,
            SYS_futimesat,
            SYS_dup2,
            SYS_pipe,
            SYS_fork,
            SYS_vfork,
            SYS_getpgrp,
            SYS_pause,
            SYS_alarm,
            SYS_time,
            SYS_poll,
            SYS_select,
            SYS_epoll_create,
            SYS_epoll_wait,
            SYS_eventfd,
            SYS_signalfd,
            SYS_inotify_init,
            SYS_arch_prctl,
        ],
        "older forms of the calls above, which this processor still has",
    ),
];

/// Calls that are refused whatever [`ALLOWED`] says, with the error that programs expect.
pub(super) const REFUSED: &[Refusal] = &[
    refuse(Errno::EPERM, calls![SYS_keyctl, SYS_add_key, SYS_request_key], "keyrings are in no namespace"),
    refuse(
        Errno::EPERM,
        calls![SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register],
        "io_uring has had more faults than any other part of the kernel, and its operations pass this filter",
    ),
    refuse(Errno::EPERM, calls![SYS_userfaultfd], "stops the kernel in the middle of a copy, which exploits need"),
    refuse(
        Errno::ENOSYS,
        calls![SYS_clone3],
        "its flags are in memory, where no filter sees them; libraries take `clone` then",
    ),
    refuse(Errno::EPERM, calls![SYS_bpf, SYS_perf_event_open], "programs and counters inside of the kernel"),
    refuse(
        Errno::EPERM,
        calls![SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_process_madvise, SYS_kcmp, SYS_pidfd_getfd],
        "taking part in other processes; stricter than Docker",
    ),
    refuse(
        Errno::EPERM,
        calls![
            SYS_unshare,
            SYS_setns,
            SYS_mount,
            SYS_umount2,
            SYS_pivot_root,
            SYS_chroot,
            SYS_fsopen,
            SYS_fsconfig,
            SYS_fsmount,
            SYS_fspick,
            SYS_open_tree,
            SYS_move_mount,
            SYS_mount_setattr,
            SYS_sethostname,
            SYS_setdomainname,
        ],
        "namespaces and mounts are the isolation itself",
    ),
    refuse(
        Errno::EPERM,
        calls![
            SYS_open_by_handle_at,
            SYS_quotactl,
            SYS_quotactl_fd,
            SYS_fanotify_init,
            SYS_fanotify_mark,
            SYS_swapon,
            SYS_swapoff,
        ],
        "file systems past their names",
    ),
    refuse(
        Errno::EPERM,
        calls![
            SYS_init_module,
            SYS_finit_module,
            SYS_delete_module,
            SYS_kexec_load,
            SYS_reboot,
            SYS_acct,
            SYS_syslog,
            SYS_vhangup,
            SYS_clock_settime,
            SYS_settimeofday,
            SYS_lookup_dcookie,
            SYS_nfsservctl,
        ],
        "the machine as a whole",
    ),
    refuse(
        Errno::EPERM,
        calls![SYS_mbind, SYS_get_mempolicy, SYS_set_mempolicy, SYS_migrate_pages, SYS_move_pages],
        "placement of memory, which Docker refuses without a capability, too",
    ),
    #[cfg(target_arch = "x86_64")]
    refuse(
        Errno::EPERM,
        calls![
            SYS_kexec_file_load,
            SYS_iopl,
            SYS_ioperm,
            SYS_modify_ldt,
            SYS_uselib,
            SYS_ustat,
            SYS_sysfs,
            SYS__sysctl
        ],
        "the machine as a whole, where this processor has more of it",
    ),
    Refusal {
        rule: Rule {
            calls: calls![SYS_ioctl],
            when: &[&[Is(1, TYPE_INTO_TERMINAL)], &[Is(1, CONSOLE)], &[Is(1, SET_LINE_DISCIPLINE)]],
            why: "typing into a terminal that others read, and drivers that only a terminal can load",
        },
        errno: Errno::EPERM,
    },
];

/// Refused in addition where memory is not counted by a control group: memory that belongs to no process.
pub(super) const UNCOUNTED: &[Refusal] =
    &[refuse(Errno::ENOSYS, calls![SYS_memfd_create, SYS_shmget], "memory that is found in no process's account")];

/// The calls that build a sandbox of bubblewrap's: allowed in addition, and first, to worker processes, and in a container in which autoheal
/// itself runs. Programs that bubblewrap starts there get the policy above as everywhere.
pub(super) const BUILDING: &[Rule] = &[
    allow(calls![SYS_clone, SYS_unshare], "namespaces, which an ordinary user makes in one of users"),
    allow(calls![SYS_mount, SYS_umount2, SYS_pivot_root], "what is seen in them"),
    allow(calls![SYS_chroot], "the browser's own sandbox"),
    allow(calls![SYS_sethostname], "the name of the machine in them"),
    Rule {
        calls: calls![SYS_keyctl],
        when: &[&[Is(0, JOIN_SESSION_KEYRING)]],
        why: "a session keyring of its own for each command, and nothing else of keyrings",
    },
];

/// The operation of `keyctl` that leaves a session keyring for another.
const JOIN_SESSION_KEYRING: u32 = 1;
