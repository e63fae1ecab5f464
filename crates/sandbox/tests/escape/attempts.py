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
