"""Attempts to get out of a sandbox, each in a process of its own, with what refused it.

Run inside as `python3 attempts.py OUTSIDE`, where OUTSIDE is a JSON object about the host:
`secret` (a file with the text `text`), `tree` (the folder of the workspace), `port` (a listener on the loopback), `abstract` (a listener
on an abstract socket), `pid` (a process), `key` (the name of a key in the session keyring of whoever started the sandbox).

Prints a JSON list of {"name", "tries", "refused", "by"}: `by` is the error that the kernel gave, the signal that ended the attempt, or what
was found instead; `refused` is null for an attempt that has no meaning on this machine. Nothing here does harm when it succeeds.
"""

import ctypes
import errno
import fcntl
import json
import mmap
import os
import platform
import resource
import signal
import socket
import struct
import sys
import time

ATTEMPTS = []
OUTSIDE = {}
LIBC = ctypes.CDLL(None, use_errno=True)
ARM = platform.machine() == "aarch64"

# The numbers of system calls: (x86_64, aarch64).
CALLS = {
    "acct": (163, 89), "add_key": (248, 217), "bpf": (321, 280), "capset": (126, 91), "chroot": (161, 51), "clock_settime": (227, 112),
    "clone": (56, 220), "clone3": (435, 435), "delete_module": (176, 106), "finit_module": (313, 273), "fsopen": (430, 430),
    "init_module": (175, 105), "io_uring_setup": (425, 425), "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104),
    "keyctl": (250, 219), "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429), "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "perf_event_open": (298, 241), "personality": (135, 92),
    "pidfd_getfd": (438, 438), "pidfd_open": (434, 434), "pivot_root": (155, 41), "prctl": (157, 167), "process_vm_readv": (310, 270),
    "ptrace": (101, 117), "quotactl": (179, 60), "reboot": (169, 142), "request_key": (249, 218), "setdomainname": (171, 162),
    "sethostname": (170, 161), "setns": (308, 268), "settimeofday": (164, 170), "swapoff": (168, 225), "swapon": (167, 224),
    "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97), "userfaultfd": (323, 282), "iopl": (172, None),
    "ioperm": (173, None), "modify_ldt": (154, None), "process_madvise": (440, 440), "fanotify_init": (300, 262), "memfd_secret": (447, 447),
}

CLONE = {"mount": 0x20000, "cgroup": 0x2000000, "uts": 0x4000000, "ipc": 0x8000000, "user": 0x10000000, "pid": 0x20000000,
         "network": 0x40000000}


class Refused(Exception):
    """The attempt failed without an error of the kernel."""


class Meaningless(Exception):
    """There is no such attempt on this machine."""


def attempt(name, tries):
    def keep(function):
        ATTEMPTS.append((name, tries, function))
        return function
    return keep


def call(name, *arguments):
    """Makes a system call; an error is raised."""
    number = CALLS[name][ARM]
    if number is None:
        raise Meaningless(f"{platform.machine()} has no {name}")
    ctypes.set_errno(0)
    passed = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    got = LIBC.syscall(ctypes.c_long(number), *passed)
    if got == -1:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return got


def every(names, tries, make):
    """A row of the table for each name."""
    for name in names:
        attempt(make.__name__.replace("_", " ").strip() + " " + name, tries)(lambda name=name: make(name))


def read(path, most=1 << 16):
    with open(path, "rb", buffering=0) as file:
        return file.read(most) or b""


def has_secret(data):
    if OUTSIDE["text"].encode() in data:
        return "the secret was read"
    raise Refused("not the host's file")


# Files of the host.

@attempt("file of the host", "open a file of the host by its path")
def _():
    return has_secret(read(OUTSIDE["secret"]))


@attempt("link to the host", "read a file of the host by a link in the workspace")
def _():
    os.symlink(OUTSIDE["secret"], "a-link")
    try:
        return has_secret(read("a-link"))
    finally:
        os.unlink("a-link")


@attempt("hard link to the host", "give a file of the host a second name")
def _():
    os.link(OUTSIDE["secret"], "a-name")


@attempt("beside the workspace", "list the folder that holds the workspace on the host")
def _():
    names = os.listdir(os.path.dirname(OUTSIDE["tree"]))
    if os.path.basename(OUTSIDE["tree"]) in names:
        return f"{len(names)} names"
    raise Refused("another folder")


@attempt("root of the first process", "reach the host by /proc/1/root")
def _():
    return has_secret(read("/proc/1/root" + OUTSIDE["secret"]))


@attempt("folder of the first process", "reach the host by /proc/1/cwd")
def _():
    return has_secret(read("/proc/1/cwd/../../../.." + OUTSIDE["secret"]))


@attempt("words of the first process", "read where the workspace lies on the host from /proc/1/cmdline")
def _():
    if OUTSIDE["tree"].encode() in read("/proc/1/cmdline"):
        return "the path was read"
    raise Refused("no path in it")


@attempt("program of the first process", "write over the program that started the sandbox")
def _():
    os.close(os.open("/proc/1/exe", os.O_WRONLY))
    return "opened for writing"


@attempt("own program", "write over the interpreter by /proc/self/exe")
def _():
    os.close(os.open("/proc/self/exe", os.O_WRONLY))
    return "opened for writing"


@attempt("open files that were left", "use files that the sandbox left open")
def _():
    # The pipe to the parent, and the folder that is being listed.
    known = {0, 1, 2, REPORT}
    left = []
    for name in os.listdir("/proc/self/fd"):
        try:
            target = os.readlink(f"/proc/self/fd/{name}")
        except OSError:
            continue
        if int(name) not in known and not target.endswith("/fd"):
            left.append(target)
    if left:
        return str(left)
    raise Refused("none is left")


@attempt("open files of the first process", "open what the first process has open")
def _():
    found = [os.readlink(f"/proc/1/fd/{name}") for name in os.listdir("/proc/1/fd")]
    found = [target for target in found if target.startswith("/") and target != "/dev/null"]
    if found:
        return str(found)
    raise Refused("pipes only")


@attempt("write /", "make a file in the root folder")
def _():
    return os.open("/escaped", os.O_CREAT | os.O_WRONLY)


@attempt("write /usr/bin", "make a program of the system")
def _():
    return os.open("/usr/bin/escaped", os.O_CREAT | os.O_WRONLY)


@attempt("write /etc/passwd", "change the list of users")
def _():
    return os.open("/etc/passwd", os.O_WRONLY)


@attempt("move the workspace", "rename the mounted folder")
def _():
    os.rename(os.getcwd(), os.getcwd() + "-moved")
    return "moved"


@attempt("file by handle", "open a file by its number, past all mounts")
def _():
    handle = struct.pack("II", 8, 1) + struct.pack("II", 2, 0)
    return call("open_by_handle_at", os.open("/", os.O_RDONLY), handle, os.O_RDONLY)


@attempt("chroot", "leave by a second root folder")
def _():
    os.makedirs("a-root", exist_ok=True)
    return call("chroot", b"a-root")


@attempt("another user", "become another user")
def _():
    os.setuid(os.getuid() + 1)
    return f"user {os.getuid()}"


@attempt("give a file away", "make another user the owner of a file")
def _():
    open("a-file", "w").close()
    os.chown("a-file", 1, 1)
    return "given away"


@attempt("powers in a file", "give a program capabilities")
def _():
    open("a-program", "w").close()
    os.setxattr("a-program", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 21, 0, 0, 0))
    return "given"


@attempt("file that cannot be removed", "make a file immutable")
def _():
    with open("a-file", "w") as file:
        flags = struct.pack("l", 0x10)
        fcntl.ioctl(file, 0x40086602, flags)
        fcntl.ioctl(file, 0x40086602, struct.pack("l", 0))
    return "immutable"


@attempt("programs with powers of their owner", "run a program of the system as its owner, root")
def _():
    status = read("/proc/self/status").decode()
    if "NoNewPrivs:\t1" in status:
        raise Refused("no_new_privs")
    return "programs get the powers of their owner"


@attempt("file without limit", "write a file that is larger than any limit")
def _():
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if limit == resource.RLIM_INFINITY:
        return "no limit"
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with open("a-file", "wb") as file:
        os.pwrite(file.fileno(), b"x", limit)
    return "written"


# Devices.

def device(name):
    return os.open("/dev/" + name, os.O_RDWR)


every(["mem", "kmsg", "kvm", "fuse", "loop-control", "vhost-vsock", "net/tun", "sda", "vda", "nvme0n1"], "open a device of the machine", device)


def make_device(name):
    kind, number = {"block": (0o060600, os.stat("/").st_dev), "memory": (0o020600, os.makedev(1, 1)), "kvm": (0o020600, os.makedev(10, 232))}[name]
    os.mknod("a-device", kind, number)
    try:
        return f"opened {os.open('a-device', os.O_RDONLY)}"
    finally:
        os.unlink("a-device")


every(["block", "memory", "kvm"], "make a device and open it", make_device)

# Sockets and the network.


@attempt("loopback of the host", "connect to a port of the host's loopback")
def _():
    socket.create_connection(("127.0.0.1", OUTSIDE["port"]), timeout=2)
    return "connected"


@attempt("abstract socket of the host", "connect to an abstract socket of the host")
def _():
    socket.socket(socket.AF_UNIX).connect("\0" + OUTSIDE["abstract"])
    return "connected"


def connect_to(path):
    socket.socket(socket.AF_UNIX).connect(path)
    return "connected"


every(["/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock", "/run/dbus/system_bus_socket", "/run/systemd/private"],
      "connect to a service of the host", connect_to)


@attempt("internet", "connect to an address of the internet")
def _():
    socket.create_connection(("1.1.1.1", 443), timeout=2)
    return "connected"


@attempt("metadata service", "send a datagram to the metadata service of a cloud")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("169.254.169.254", 80))
    return "sent"


@attempt("vsock", "make a socket to the hypervisor")
def _():
    socket.socket(40, socket.SOCK_STREAM)
    return "made"


@attempt("packets", "make a socket that sees all packets")
def _():
    socket.socket(17, socket.SOCK_RAW, 3)
    return "made"


@attempt("raw addresses", "make a socket that writes its own headers")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    return "made"


def netlink(name):
    socket.socket(16, socket.SOCK_RAW, {"audit": 9, "netfilter": 12, "kobject": 15, "crypto": 21}[name])
    return "made"


every(["audit", "netfilter", "kobject", "crypto"], "talk to a part of the kernel by netlink", netlink)


def family(name):
    socket.socket({"alg": 38, "bluetooth": 31, "tipc": 30, "can": 29, "rds": 21, "smc": 43, "xdp": 44}[name], socket.SOCK_SEQPACKET if name == "alg" else socket.SOCK_STREAM)
    return "made"


every(["alg", "bluetooth", "tipc", "can", "rds", "smc", "xdp"], "have the kernel load a rare family of sockets", family)


@attempt("protocol of a module", "have the kernel load a protocol")
def _():
    socket.socket(socket.AF_INET, socket.SOCK_STREAM, 132)
    return "made"


# Keyrings.

@attempt("key of the host", "read a key of the session that started the sandbox")
def _():
    key = call("request_key", b"user", OUTSIDE["key"].encode(), None, 0)
    text = ctypes.create_string_buffer(64)
    call("keyctl", 11, key, text, 64, 0)
    return has_secret(text.value)


@attempt("clear the session's keys", "forget all keys of the session")
def _():
    # The ring's number only: emptying it would harm the host.
    return f"ring {call('keyctl', 0, -3, 0, 0, 0)}"


@attempt("leave a key", "leave a key for the next repository")
def _():
    return f"key {call('add_key', b'user', b'autoheal-escape', b'left', 4, -4)}"


# Other processes.

@attempt("signal to the host", "send a signal to a process of the host")
def _():
    os.kill(OUTSIDE["pid"], 0)
    return "sent"


@attempt("trace the host", "attach to a process of the host")
def _():
    return call("ptrace", 0x4206, OUTSIDE["pid"], 0, 0)


@attempt("trace the first process", "attach to the first process of the sandbox")
def _():
    return call("ptrace", 0x4206, 1, 0, 0)


@attempt("memory of the first process", "read the memory of the first process of the sandbox")
def _():
    buffer = ctypes.create_string_buffer(8)
    vector = struct.pack("PL", ctypes.addressof(buffer), 8)
    remote = struct.pack("PL", 0x1000, 8)
    try:
        return call("process_vm_readv", 1, vector, 1, remote, 1, 0)
    except OSError as error:
        if error.errno == errno.EFAULT:
            return "it was looked for"
        raise


@attempt("file of another process", "take an open file of the first process")
def _():
    return call("pidfd_getfd", call("pidfd_open", 1, 0), 0, 0)


@attempt("limits of the host", "change the limits of a process of the host")
def _():
    resource.prlimit(OUTSIDE["pid"], resource.RLIMIT_NOFILE, (64, 64))
    return "changed"


@attempt("priority of the host", "change the priority of a process of the host")
def _():
    os.setpriority(os.PRIO_PROCESS, OUTSIDE["pid"], 19)
    return "changed"


@attempt("see the host", "see a process of the host in /proc")
def _():
    words = read(f"/proc/{OUTSIDE['pid']}/cmdline")
    return f"seen: {words!r}"


# Namespaces and mounts.

def unshare_(name):
    return call("unshare", CLONE[name])


every(CLONE, "make a namespace", unshare_)


@attempt("clone a user namespace", "make a namespace with a new process")
def _():
    pid = call("clone", CLONE["user"] | signal.SIGCHLD, 0, 0, 0, 0)
    if pid == 0:
        os._exit(0)
    return f"process {pid}"


@attempt("clone3 a user namespace", "make a namespace with a new process, its flags in memory")
def _():
    arguments = struct.pack("QQQQQQQQ", CLONE["user"], 0, 0, 0, signal.SIGCHLD, 0, 0, 0)
    pid = call("clone3", arguments, 64)
    if pid == 0:
        os._exit(0)
    return f"process {pid}"


def join_(name):
    return call("setns", os.open(f"/proc/1/ns/{name}", os.O_RDONLY), 0)


every(["user", "mnt", "pid", "net"], "join a namespace of the first process", join_)


@attempt("mount memory", "mount a folder in memory")
def _():
    os.makedirs("a-mount", exist_ok=True)
    return call("mount", b"tmpfs", b"a-mount", b"tmpfs", 0, None)


@attempt("mount processes", "mount another /proc, without what is hidden")
def _():
    os.makedirs("a-mount", exist_ok=True)
    return call("mount", b"proc", b"a-mount", b"proc", 0, None)


@attempt("mount the disk", "mount the disk of the host")
def _():
    os.makedirs("a-mount", exist_ok=True)
    return call("mount", b"/dev/vda", b"a-mount", b"ext4", 0, None)


@attempt("mount again", "make the system writable")
def _():
    return call("mount", b"none", b"/usr", None, 0x1000 | 32, None)


@attempt("take a mask off", "unmount what hides a part of /proc")
def _():
    return call("umount2", b"/proc/kcore", 2)


@attempt("pivot_root", "make another folder the root")
def _():
    return call("pivot_root", b".", b".")


@attempt("fsopen", "mount by the newer calls: open a file system")
def _():
    return call("fsopen", b"tmpfs", 0)


@attempt("open_tree", "mount by the newer calls: copy a tree")
def _():
    return call("open_tree", -100, b"/", 1)


@attempt("move_mount", "mount by the newer calls: move a mount")
def _():
    return call("move_mount", -100, b"/tmp", -100, b"/workspace", 0)


@attempt("mount_setattr", "mount by the newer calls: make the system writable")
def _():
    return call("mount_setattr", -100, b"/usr", 0, struct.pack("QQQQ", 0, 1, 0, 0), 32)


# The kernel and the machine.

def write_proc(name):
    # Opened only: writing there would change the machine.
    os.close(os.open("/proc/" + name, os.O_WRONLY))
    return "opened for writing"


every(["sys/kernel/core_pattern", "sys/kernel/modprobe", "sys/kernel/hostname", "sys/vm/overcommit_memory", "sysrq-trigger",
       "irq/default_smp_affinity"], "change the machine by /proc", write_proc)


def write_sys(name):
    os.close(os.open("/sys/" + name, os.O_WRONLY))
    return "opened for writing"


every(["kernel/uevent_helper", "kernel/mm/ksm/run", "power/state", "module/kernel/parameters/panic"], "change the machine by /sys", write_sys)


def look_into(name):
    data = read("/proc/" + name, 4096)
    if name in ("iomem", "ioports", "kallsyms") and all(line.lstrip().startswith(b"0000") for line in data.splitlines()[:10]):
        raise Refused("addresses are hidden")
    if data:
        return f"{len(data)} bytes"
    raise Refused("empty")


every(["config.gz", "iomem", "ioports", "kallsyms", "kcore", "keys", "kmsg", "kpagecgroup", "kpagecount", "kpageflags", "modules", "pagetypeinfo",
       "slabinfo", "timer_list", "vmallocinfo", "cmdline", "interrupts", "zoneinfo"], "look into the kernel by /proc", look_into)


def cgroup(name):
    for folder, _, files in os.walk("/sys/fs/cgroup"):
        if name in files:
            os.close(os.open(os.path.join(folder, name), os.O_WRONLY))
            return "opened for writing"
    raise Refused("not there")


every(["release_agent", "notify_on_release", "cgroup.procs", "memory.max", "memory.limit_in_bytes", "pids.max", "devices.allow"],
      "leave the control group, or lift its limits", cgroup)


@attempt("mount control groups", "mount the control groups and set a release agent")
def _():
    os.makedirs("a-mount", exist_ok=True)
    return call("mount", b"cgroup", b"a-mount", b"cgroup", 0, b"memory")


@attempt("debugging of the kernel", "look into debugfs")
def _():
    names = os.listdir("/sys/kernel/debug") + os.listdir("/sys/kernel/tracing")
    if names:
        return str(names[:3])
    raise Refused("empty")


@attempt("io_uring", "make a ring of operations")
def _():
    return call("io_uring_setup", 1, ctypes.create_string_buffer(120))


@attempt("userfaultfd", "handle page faults of the kernel")
def _():
    return call("userfaultfd", 0)


@attempt("bpf", "load a program into the kernel")
def _():
    return call("bpf", 0, struct.pack("IIIIIIII", 2, 4, 8, 1, 0, 0, 0, 0).ljust(128, b"\0"), 128)


@attempt("perf", "open a counter of the kernel")
def _():
    return call("perf_event_open", struct.pack("IIQ", 1, 112, 0).ljust(112, b"\0"), 0, -1, -1, 0)


@attempt("fanotify", "watch a whole file system")
def _():
    return call("fanotify_init", 0, 0)


@attempt("kernel log", "read the log of the kernel")
def _():
    text = ctypes.create_string_buffer(4096)
    return f"{call('syslog', 3, text, 4096)} bytes"


@attempt("module", "load a module")
def _():
    return call("init_module", b"x", 0, b"")


@attempt("module from a file", "load a module from a file")
def _():
    open("a-module", "w").close()
    return call("finit_module", os.open("a-module", os.O_RDONLY), b"", 0)


@attempt("remove a module", "remove a module")
def _():
    return call("delete_module", b"autoheal_no_such_module", 0o4000)


@attempt("kexec", "load another kernel")
def _():
    return call("kexec_load", 0, 0, 0, 0)


@attempt("kexec from a file", "load another kernel from a file")
def _():
    return call("kexec_file_load", -1, -1, 0, 0, 0)


@attempt("reboot", "stop the machine")
def _():
    # With a wrong magic number: whoever may gets EINVAL.
    try:
        return call("reboot", 0, 0, 0, 0)
    except OSError as error:
        if error.errno == errno.EINVAL:
            return "only the magic number was wrong"
        raise


@attempt("clock", "set the clock")
def _():
    time.clock_settime(time.CLOCK_REALTIME, time.clock_gettime(time.CLOCK_REALTIME))
    return "set"


@attempt("name of the machine", "set the name of the machine")
def _():
    return call("sethostname", b"escaped", 7)


@attempt("swap", "use a file as memory")
def _():
    open("a-swap", "w").close()
    return call("swapon", b"a-swap", 0)


@attempt("no swap", "take swap away from the machine")
def _():
    return call("swapoff", b"/dev/autoheal-no-such-disk")


@attempt("quotas", "change quotas of a file system")
def _():
    return call("quotactl", 0x80000100, b"/dev/vda", 0, 0)


@attempt("accounting", "write the log of all processes")
def _():
    open("a-log", "w").close()
    return call("acct", b"a-log")


def personality(name):
    return call("personality", {"without randomness": 0x40000, "executable data": 0x400000}[name])


every(["without randomness", "executable data"], "switch off protections of memory", personality)


@attempt("ports", "reach the ports of devices")
def _():
    return call("ioperm", 0x80, 1, 1)


@attempt("all ports", "reach all ports of devices")
def _():
    return call("iopl", 3)


@attempt("segments", "change the table of segments")
def _():
    return call("modify_ldt", 1, struct.pack("IIII", 0, 0, 0xfffff, 0x51), 16)


@attempt("32-bit calls", "make a call of the 32-bit interface")
def _():
    if platform.machine() != "x86_64":
        raise Meaningless("no 32-bit interface")
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(memory)))
    got = function()
    if got == os.getpid():
        return "answered"
    raise OSError(-got, os.strerror(-got))


@attempt("x32 calls", "make a call of the x32 interface")
def _():
    if platform.machine() != "x86_64":
        raise Meaningless("no x32 interface")
    got = LIBC.syscall(ctypes.c_long(0x40000000 | 39))
    if got == -1:
        raise OSError(ctypes.get_errno(), "x32")
    return "answered"


# Terminals.

def terminal():
    ours, theirs = os.openpty()
    os.setsid()
    fcntl.ioctl(theirs, 0x540e, 0)
    return theirs


@attempt("terminal", "open the terminal of whoever started the sandbox")
def _():
    return os.open("/dev/tty", os.O_RDWR)


@attempt("type into a terminal", "put characters into the input of a terminal")
def _():
    fcntl.ioctl(terminal(), 0x5412, b"x")
    return "typed"


@attempt("type with high bits", "the same, with bits in the request that the kernel ignores")
def _():
    got = LIBC.ioctl(terminal(), ctypes.c_ulong(0x5412 | 1 << 32), b"x")
    if got == -1:
        raise OSError(ctypes.get_errno(), "ioctl")
    return "typed"


@attempt("paste into a console", "paste into a console")
def _():
    fcntl.ioctl(terminal(), 0x541c, b"\x03")
    return "pasted"


@attempt("line discipline", "have the kernel load a driver by a terminal")
def _():
    fcntl.ioctl(terminal(), 0x5423, struct.pack("i", 21))
    return "loaded"


# Limits and powers.

def raise_limit(name):
    number = getattr(resource, "RLIMIT_" + name)
    soft, hard = resource.getrlimit(number)
    if hard == resource.RLIM_INFINITY:
        raise Meaningless("there is none")
    try:
        resource.setrlimit(number, (hard, hard + 1))
    except ValueError:
        raise PermissionError(errno.EPERM, "not allowed to raise a limit")
    return "raised"


every(["FSIZE", "CORE", "NOFILE", "NPROC", "DATA", "MEMLOCK"], "raise a limit", raise_limit)


@attempt("before all others", "run before everything else on the machine")
def _():
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    return "before all others"


@attempt("higher priority", "take a higher priority")
def _():
    os.setpriority(os.PRIO_PROCESS, 0, -5)
    return "higher"


@attempt("last to be ended", "be spared when memory runs out")
def _():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")
    return "spared"


@attempt("take powers", "take all capabilities")
def _():
    return call("capset", struct.pack("II", 0x20080522, 0), struct.pack("IIIIII", *[0xffffffff, 0xffffffff, 0] * 2))


@attempt("pass powers on", "pass a capability on to programs")
def _():
    return call("prctl", 47, 2, 21, 0, 0)


@attempt("privileges again", "take back that programs get no privileges")
def _():
    return call("prctl", 38, 0, 0, 0, 0)


REPORT = -1


def run(function):
    """Makes the attempt in a process of its own; returns (refused, by)."""
    global REPORT
    ours, REPORT = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1, 2):
            os.dup2(null, number)
        os.close(null)
        signal.alarm(10)
        try:
            result = (False, f"it works: {function()}")
        except Refused as refused:
            result = (True, str(refused))
        except Meaningless as meaningless:
            result = (None, str(meaningless))
        except OSError as error:
            result = (True, errno.errorcode.get(error.errno, str(error.errno)) if error.errno else str(error))
        except BaseException as error:
            # A fault of this program is nobody's refusal.
            result = (False, f"{type(error).__name__}: {error}")
        os.write(REPORT, json.dumps(result).encode())
        os._exit(0)
    os.close(REPORT)
    with os.fdopen(ours, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(pid, 0)
    if said:
        return json.loads(said)
    if os.WIFSIGNALED(status):
        return True, signal.Signals(os.WTERMSIG(status)).name
    return False, "it left without a word"


def main():
    OUTSIDE.update(json.loads(sys.argv[1]))
    table = []
    for name, tries, function in ATTEMPTS:
        refused, by = run(function)
        table.append({"name": name, "tries": tries, "refused": refused, "by": by})
    print(json.dumps(table))


main()
