# Mounts, calls of the kernel, limits, and how all attempts are run. Continues `attempts.py`: both are run as one text.


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
