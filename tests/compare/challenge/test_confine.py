"""Programs that are broken or hostile, run for real in every way that works here."""

from __future__ import annotations

import json
import os
import re
import selectors
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import pytest

from candidly.compare.challenge import _cgroup, _watch
from candidly.compare.challenge.confine import WAYS, CannotStart, Limits, run_confined, ways

from needs import program

ISOLATING = [name for name in WAYS if name != "limits alone"]
MIB = 1 << 20


def works(name: str):
    missing = name not in ways()
    return pytest.param(
        name, marks=pytest.mark.skipif(missing, reason=f"{name} does not work here")
    )


each_way = pytest.mark.parametrize("way", [works(name) for name in WAYS])
each_isolating_way = pytest.mark.parametrize("way", [works(name) for name in ISOLATING])


def run(script: str, way: str, *, wanted=(), readable=None, network=False, **limits):
    """A script of the shell, run confined; where things are is in $out, $tmp and so on."""

    def command(places):
        lines = [f"{name}='{path}'" for name, path in places.items() if name.isidentifier()]
        return ["sh", "-c", "\n".join([*lines, script])]

    return run_confined(
        command,
        readable=readable or {},
        wanted=wanted,
        limits=Limits(**{"seconds": 10.0, **limits}),
        network=network,
        way=way,
    )


def python(code: str) -> str:
    """The line of a script that runs code with no more than the standard library."""
    return f"python -I -S - <<'END'\n{code}\nEND"


def running(word: str) -> list[str]:
    """Numbers of this machine's processes that have a word among their arguments."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if word.encode() in path.read_bytes().split(b"\0"):
                found.append(path.parent.name)
    return found


def soon(condition, within: float = 5.0) -> bool:
    """Whether a condition comes true in time."""
    until = time.monotonic() + within
    while not condition() and time.monotonic() < until:
        time.sleep(0.02)
    return condition()


@pytest.fixture
def marker() -> str:
    """A number of seconds that no other process sleeps."""
    return f"{600 + os.getpid() / 1e7:.7f}{time.monotonic_ns() % 1000:03d}"


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """A folder that a program is handed, in one that it is not."""
    folder = tmp_path / "given"
    folder.mkdir()
    folder.chmod(0o777)  # so that nothing but the way keeps a program from writing there
    return folder


# what a run is


@each_way
def test_what_a_program_leaves_is_read(way, submission, monkeypatch):
    monkeypatch.setenv("CANDIDLY_TEST_SECRET", "of this process alone")
    (submission / "data").write_text("given\n")
    ended = run(
        "cat $given/data > $out/answer; cat; pwd; env; ls /proc/self/fd > /dev/stderr; exit 3",
        way,
        readable={"given": submission},
        wanted=["answer", "nothing"],
    )
    assert (ended.how, ended.code) == ("ended", 3)
    assert ended.files == {"answer": b"given\n"}
    assert ended.refused == {}
    home, *lines = ended.log.decode().splitlines()
    assert {f"HOME={home}", f"TMPDIR={home}", "OMP_NUM_THREADS=1"} <= set(lines)
    assert b"SECRET" not in ended.log
    assert lines[-4:] == ["0", "1", "2", "3"]  # 3 is the folder that ls reads
    assert ended.printed == len(ended.log)
    assert ended.peak_memory > MIB


@each_way
def test_a_program_has_candidly_and_no_privileges(way):
    ended = run(
        "grep -e Cap -e NoNewPrivs /proc/self/status; id -u\n"
        "python -c 'import candidly, numpy; print(candidly.__file__)'",
        way,
    )
    *status, user, where = ended.log.decode().splitlines()
    words = dict(line.split(":\t") for line in status)
    assert words.pop("NoNewPrivs") == "1"
    assert set(words.values()) == {"0" * 16}
    assert Path(where) == Path(_watch.__file__).parents[2] / "__init__.py"
    if way in ISOLATING:
        assert user == "65534"


def test_a_program_that_is_not_there_ends_with_127():
    ended = run_confined(lambda places: ["/no/such"], readable={}, wanted=(), limits=Limits(5))
    assert (ended.how, ended.code) == ("ended", 127)
    assert b"No such file or directory: '/no/such'" in ended.log


@each_way
def test_a_signal_that_ends_a_program_is_its_status(way):
    assert run("kill -SEGV $$", way).code == 128 + signal.SIGSEGV


# time


@each_way
def test_what_ends_late_while_nobody_looks_has_not_ended_in_time(way, monkeypatch):
    kind = selectors.DefaultSelector
    select = kind.select

    def starved(*args):
        time.sleep(1.2)  # as beside a program that takes all there is of the processors
        return select(*args)

    monkeypatch.setattr(kind, "select", starved)
    ended = run("sleep 0.8; echo 3 > $out/said", way, wanted=["said"], seconds=0.5)
    assert ended.how == "time"


@each_way
def test_ignored_signals_do_not_prolong_a_run(way, marker):
    ended = run(
        "trap '' TERM INT HUP QUIT; echo best > $out/answer\n"
        f"(setsid sleep {marker} &) ; exec >&- 2>&-; sleep {marker}; sleep {marker}",
        way,
        wanted=["answer"],
        seconds=0.3,
    )
    assert (ended.how, ended.code) == ("time", None)
    assert 0.3 <= ended.seconds < 1.5
    assert ended.files == {"answer": b"best\n"}
    assert not running(marker)


@each_way
def test_what_a_program_leaves_running_ends_with_it(way, marker):
    daemon = f"import os\nif not os.fork(): os.setsid(); os.execvp('sleep', ['sleep', '{marker}'])"
    ended = run(f"{python(daemon)}\nnohup setsid sleep {marker} & sleep 0.1; exit 4", way)
    assert (ended.how, ended.code) == ("ended", 4)
    assert ended.seconds < 5
    assert not running(marker)


@pytest.mark.slow
@each_way
def test_the_process_above_is_no_way_out(way, marker):
    ended = run(f"kill -STOP $PPID; kill -9 $PPID; sleep {marker}", way, seconds=0.2)
    if way in ISOLATING:  # it is the init of its namespace, which its processes cannot end
        assert ended.how == "time"
    assert not running(marker)
    ended = run(f"setsid sleep {marker} & kill -STOP $PPID; sleep {marker}", way, seconds=0.2)
    assert ended.how == "time"
    assert not running(marker)


@each_way
def test_nothing_is_left_when_this_process_is_killed(way, marker, tmp_path):
    code = f"""
from candidly.compare.challenge.confine import Limits, run_confined
run_confined(
    lambda places: ["sh", "-c", "setsid sleep {marker} & sleep {marker}"],
    readable={{}}, wanted=(), limits=Limits(60), way={way!r},
)
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    parent = subprocess.Popen([sys.executable, "-c", code], env=environment)
    began = soon(lambda: len(running(marker)) >= 2, 20)
    parent.kill()
    parent.wait()
    assert began
    assert soon(lambda: not running(marker))
    assert soon(lambda: not list(tmp_path.iterdir()))


# memory, processes, what is written and printed


@each_way
def test_memory_is_that_of_all_processes_together(way):
    script = python(
        "import os, time\n"
        "for _ in range(4):\n"
        "    if not os.fork(): kept = b'x' * (40 << 20); time.sleep(9); os._exit(0)\n"
        "time.sleep(9)"
    )
    ended = run(script, way, memory_bytes=120 * MIB)
    assert (ended.how, ended.code) == ("memory", None)
    assert ended.peak_memory > 120 * MIB
    assert ended.seconds < 5


@pytest.mark.slow
@each_way
def test_memory_that_processes_share_counts_once(way):
    script = python(
        "import os, time\n"
        "kept = b'x' * (60 << 20)\n"
        "for _ in range(4):\n"
        "    if not os.fork(): time.sleep(0.3); os._exit(0)\n"
        "time.sleep(0.3)"
    )
    ended = run(script, way, memory_bytes=160 * MIB)
    assert (ended.how, ended.code) == ("ended", 0)
    assert 60 * MIB < ended.peak_memory < 120 * MIB
    assert ended.peak_processes in (5, 6)


@pytest.mark.slow
@each_isolating_way
def test_folders_in_memory_count_as_memory(way):
    ended = run("head -c 30000000 /dev/zero > $tmp/a; sleep 9", way, memory_bytes=20 * MIB)
    assert ended.how == "memory"
    files = python("import os\nfor i in range(10**6): os.mkdir('/tmp/%d' % i)")
    ended = run(files, way, memory_bytes=20 * MIB)
    assert ended.how == "memory"


@each_way
def test_processes_are_counted_and_threads_not(way):
    ended = run("for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; wait", way, processes=8)
    assert (ended.how, ended.code) == ("processes", None)
    assert 8 < ended.peak_processes < 15
    threads = python(
        "import threading, time\n"
        "for _ in range(20): threading.Thread(target=time.sleep, args=(0.2,)).start()"
    )
    ended = run(threads, way, processes=8)
    assert (ended.how, ended.code) == ("ended", 0)


@pytest.mark.slow
@each_isolating_way
def test_forks_without_end(way):
    bomb = "import os\nwhile True:\n    try: os.fork()\n    except OSError: pass"
    ended = run(python(bomb), way, processes=32)
    assert ended.how == "processes"
    assert ended.seconds < 5


@each_isolating_way
def test_no_folder_takes_more_than_its_size(way):
    ended = run(
        "for f in $out $tmp /dev/shm; do head -c 20000000 /dev/zero > $f/full; done\n"
        "ls -l $out/full $tmp/full /dev/shm/full; exit 0",
        way,
        wanted=["full"],
        output_bytes=MIB,
        scratch_bytes=2 * MIB,
    )
    assert (ended.how, ended.code) == ("ended", 0)
    assert ended.log.count(b"No space left on device") == 3
    assert len(ended.files["full"]) == MIB


def test_limits_alone_see_what_is_written():
    script = "mkdir $tmp/a; head -c 20000000 /dev/zero > $tmp/a/b; sleep 9"
    ended = run(script, "limits alone", output_bytes=MIB, scratch_bytes=MIB)
    assert ended.how == "output"


@pytest.mark.slow
@each_way
def test_of_what_is_printed_the_first_and_the_last_is_kept(way):
    script = "echo first; head -c 100000000 /dev/zero; head -c 100000000 /dev/zero >&2; echo last"
    ended = run(script, way, log_bytes=1000)
    assert (ended.how, ended.code) == ("ended", 0)
    assert ended.printed == 200_000_000 + 11
    assert ended.log.startswith(b"first\n\0")
    assert ended.log.endswith(b"\0last\n")
    assert b"[... 199999011 bytes left out ...]" in ended.log
    assert len(ended.log) < 1100


def test_a_program_that_prints_without_end_is_stopped_in_time():
    ended = run("yes", ways()[0], seconds=0.3)
    assert ended.how == "time"
    assert ended.seconds < 1.5


@pytest.mark.parametrize("blocks", [[b""], [b"abc"], [b"abcdefghij"], [b"abcdefghijk"], [b"a"] * 9])
def test_the_log_is_what_was_printed_cut_in_the_middle(blocks):
    log = _watch.Log(7)
    for block in blocks:
        log.add(block)
    whole = b"".join(blocks)
    short = whole[:3] + b"\n[... %d bytes left out ...]\n" % (len(whole) - 7) + whole[-4:]
    assert log.text() == (whole if len(whole) <= 7 else short)


# answers that are none


@each_way
def test_only_regular_files_of_limited_size_are_read(way):
    names = "link own pipe folder sparse device empty nothing socket"
    ended = run(
        "cd $out; ln -s /etc/shadow link; ln -s $0 own; mkfifo pipe; mkdir folder\n"
        "truncate -s 1T sparse; echo > empty; mknod device c 1 3; true > nothing\n"
        + python("import socket; socket.socket(socket.AF_UNIX).bind('socket')"),
        way,
        wanted=[*names.split(), "../tmp", "..", "/etc/passwd"],
    )
    assert ended.how == "ended"
    assert ended.files == {"empty": b"\n", "nothing": b""}
    assert ended.refused == {
        "link": "a symbolic link, not a regular file",
        "own": "a symbolic link, not a regular file",
        "pipe": "a named pipe, not a regular file",
        "folder": "a folder, not a regular file",
        "socket": "a socket, not a regular file",
        "sparse": f"{1 << 40} bytes, and at most {64 << 20} are allowed",
        "../tmp": "not the name of a file in the output folder",
        "..": "not the name of a file in the output folder",
        "/etc/passwd": "not the name of a file in the output folder",
    }


def test_a_device_is_not_read():
    folder = os.open("/dev", os.O_RDONLY)
    files, refused = _watch.collect(folder, ["zero"], 10)
    os.close(folder)
    assert files == {}
    assert refused == {"zero": "a device, not a regular file"}


# the rest of the machine


@each_way
def test_nothing_else_of_the_machine_is_seen(way, submission, tmp_path):
    secret = tmp_path / "truth.npy"
    secret.write_text("the-truth")
    secret.chmod(0o644)
    ended = run(
        f"cat {secret} /..{secret} {submission}/../truth.npy $given/../truth.npy\n"
        "ls -d /../*/etc/hostname /../*/var && echo behind the root\n"
        f"for p in /proc/[0-9]*; do cat $p/root{secret} $p/cwd{secret}; done\n"
        f"ln -s {secret} $out/answer; cat $out/answer\n"
        "grep -l . /home/* /root/.[a-z]* /etc/shadow /var/*/*; ls /home /var /mnt /opt /srv\n"
        f"echo; echo processes: /proc/[0-9]*; kill -9 {os.getpid()}",
        way,
        readable={"given": submission},
        wanted=["answer"],
    ) if way in ISOLATING else run(f"cat {secret}", way)  # fmt: skip
    said = ended.log.decode()
    assert ended.files == {}
    if way not in ISOLATING:
        assert said == "the-truth"  # as its table says
        return
    assert "the-truth" not in said
    assert "\nbehind the root" not in said
    assert "/etc/shadow: No such file" in said
    assert "cannot access '/var': No such file" in said
    processes = next(line for line in said.splitlines() if line.startswith("processes:"))
    assert len(processes.split()) <= 4  # init, the shell and no other


@each_isolating_way
def test_nothing_can_be_written_elsewhere(way, submission):
    places = "/ /dev /etc /usr/bin /root /proc/sys/kernel /sys/devices/system/cpu $given"
    ended = run(
        f"for folder in {places} {sys.prefix} {Path(_watch.__file__).parent}; do\n"
        "    (echo x > $folder/written) && echo wrote in $folder\n"
        "done\n"
        "echo 1 > /proc/sys/kernel/ns_last_pid && echo wrote in proc\n"
        "unshare -Urm true && echo unshared; mount -t tmpfs none /tmp && echo mounted\n"
        "mknod $out/d b 8 0 && echo made; chown 0 $out && echo given; hostname x && echo named",
        way,
        readable={"given": submission},
    )
    said = ended.log.decode()
    assert "Read-only file system" in said
    assert not re.search("^(wrote|unshared|mounted|made|given|named)", said, re.MULTILINE)
    assert list(submission.iterdir()) == []


REFUSED_CALLS = """
import ctypes, errno, os
libc = ctypes.CDLL(None, use_errno=True)
def answer(call):
    ctypes.set_errno(0)
    return "done" if call() >= 0 else errno.errorcode[ctypes.get_errno()]
print(
    answer(lambda: libc.unshare(0x10000000)),
    answer(lambda: libc.memfd_create(b"x", 0)),
    answer(lambda: libc.shmget(0, 4096, 0o1600)),
    answer(lambda: libc.ptrace(0, 0, 0, 0)),
    answer(lambda: libc.syscall({clone}, 0x10000011, 0, 0, 0, 0)),
    answer(lambda: libc.syscall(435, 0, 0)),
    answer(lambda: libc.getpid()),
)
"""


@each_way
def test_calls_that_pass_by_the_limits_are_refused(way):
    code = REFUSED_CALLS.format(clone={"x86_64": 56, "aarch64": 220}[os.uname().machine])
    said = run(python(code), way).log.decode().split()
    assert said == ["EPERM"] * 5 + ["ENOSYS", "done"]


@each_way
@pytest.mark.parametrize("network", [False, True])
def test_the_network(way, network):
    name = f"candidly-test-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as local:
        local.bind(f"\0{name}")
        local.listen()
        code = (
            "import socket\n"
            "for kind, address in [\n"
            f"    (socket.AF_INET, ('127.0.0.1', {server.getsockname()[1]})),\n"
            f"    (socket.AF_UNIX, '\\0{name}'),\n"
            "]:\n"
            "    try: socket.socket(kind).connect(address)\n"
            "    except OSError as error: print(type(error).__name__)\n"
            "    else: print('connected')\n"
        )
        ended = run(python(code), way, network=network)
    reached = ended.log.decode().split() == ["connected"] * 2
    assert reached == (network or way not in ISOLATING), ended.log


# another user


AS_ANOTHER = """
import json, sys
from pathlib import Path
from candidly.compare.challenge.confine import Limits, run_confined, ways

def run(script, **limits):
    given = {"given": Path(sys.argv[2])}
    ended = run_confined(
        lambda places: ["sh", "-c", script], readable=given, wanted=["answer", "link"],
        limits=Limits(**{"seconds": 10, **limits}), way=sys.argv[1],
    )
    return [ended.how, ended.code, sorted(ended.files), ended.refused, ended.log.decode()]

assert sys.argv[1] in ways()
print(json.dumps([
    run("id -u; grep CapBnd /proc/self/status; cat /given/../truth; touch /x /dev/x /given/x; "
        "kill -9 1; echo a > /out/answer; ln -s /etc/passwd /out/link; ls -d /proc/[0-9]*"),
    run("trap '' TERM; echo best > /out/answer; setsid sleep MARKER & sleep MARKER", seconds=0.3),
    run("head -c 30000000 /dev/zero > /tmp/x; sleep 9", memory_bytes=20 << 20),
    run("for i in 1 2 3 4 5 6 7 8 9; do sleep 9 & done; wait", processes=8),
]))
"""
# shows a folder that root alone may enter, without the rest of that
OPENED = """
mount -t tmpfs none /mnt && mkdir /mnt/kept && mount --rbind "$1" /mnt/kept
mount -t tmpfs -o mode=755 none "$2" && mkdir -p "$1" && mount --rbind /mnt/kept "$1"
"""


@pytest.mark.slow
@each_isolating_way
@pytest.mark.skipif(
    os.geteuid() != 0 or program("setpriv") is None, reason="root becomes another user here"
)
def test_a_user_without_privileges_can_confine(way, marker):
    # not below pytest's folders, which nobody else may enter
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        given = Path(folder, "given")
        given.mkdir()
        given.chmod(0o777)
        Path(folder, "truth").write_text("truth")
        closed = [p for p in Path(sys.base_prefix).parents if not p.stat().st_mode & stat.S_IXOTH]
        opened = OPENED if closed else ""
        unshare = ["unshare", "-m", "sh", "-ec", f'{opened}shift 2; exec "$@"', "sh"]
        folders = [sys.base_prefix, str(closed[-1]) if closed else ""]
        user = ["setpriv", "--reuid=1000", "--regid=1000", "--clear-groups"]
        program = [sys.executable, "-c", AS_ANOTHER.replace("MARKER", marker), way, str(given)]
        done = subprocess.run(
            [*unshare, *folders, *user, *program],
            capture_output=True,
            text=True,
            env={**os.environ, "PYTHONPATH": str(Path(_watch.__file__).parents[3])},
        )
    assert done.returncode == 0, done.stderr
    whole, time_out, memory, processes = json.loads(done.stdout)
    how, _, files, refused, said = whole
    assert (how, files) == ("ended", ["answer"])
    assert refused == {"link": "a symbolic link, not a regular file"}
    assert said.startswith("65534\nCapBnd:\t0000000000000000\n")
    assert "/given/../truth: No such file" in said
    assert said.count("Read-only file system") == 3
    assert 2 <= len(re.findall("^/proc/[0-9]+$", said, re.MULTILINE)) <= 3
    assert time_out[:3] == ["time", None, ["answer"]]
    assert memory[0] == "memory"
    assert processes[0] == "processes"
    assert not running(marker)


# doors


def test_what_cannot_be_shown_is_said(tmp_path):
    with pytest.raises(CannotStart, match="nowhere cannot be shown to a program: No such file"):
        run("true", ways()[0], readable={"data": tmp_path / "nowhere"})
    for name in ("usr", "out", "a/b", ".."):
        with pytest.raises(ValueError, match="cannot be the name of what a program is handed"):
            run("true", ways()[0], readable={name: tmp_path})


@pytest.mark.skipif(os.geteuid() != 0, reason="is about root")
def test_root_is_told_what_its_programs_cannot_read(tmp_path):
    tmp_path.chmod(0o700)
    with pytest.raises(CannotStart, match=r"another user than root: chmod -R o\+rX"):
        run("true", ways()[0], readable={"data": tmp_path})


TRIED = {  # what works here if these commands do
    "bubblewrap": ["bwrap", "--unshare-pid", "--ro-bind", "/", "/", "--proc", "/proc", "true"],
    "unshare": ["unshare", "--map-current-user", "--pid", "--fork", "--mount-proc", "true"],
    "limits alone": ["true"],
}


@pytest.mark.parametrize("way", WAYS)
def test_a_way_that_the_system_allows_works(way):
    with suppress(FileNotFoundError):
        if subprocess.run(TRIED[way], capture_output=True).returncode == 0:
            assert way in ways()


def test_a_way_that_does_not_work_is_left_out():
    script = "from candidly.compare.challenge.confine import ways; print(*ways(), sep=';')"
    environment = {**os.environ, "PATH": "/nowhere"}
    done = subprocess.run(
        [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=True
    )
    found = done.stdout.strip().split(";")
    assert "bubblewrap" not in found
    assert found == [name for name in ways() if name != "bubblewrap"]


# limits alone


@pytest.mark.skipif("limits alone" not in ways(), reason="it does not work here")
def test_with_limits_alone_it_writes_on_copies(tmp_path):
    """What one run does to what it is handed, no other sees, whatever the files' owner is."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "labels.txt").write_text("cat")
    (tmp_path / "linked.txt").hardlink_to(data / "labels.txt")
    tmp_path.chmod(0o755)
    data.chmod(0o777)
    (data / "labels.txt").chmod(0o666)
    script = (
        'echo dog > "$data/labels.txt"; cat "$data/labels.txt" > "$out/seen"; echo x > "$data/y"'
    )
    ended = run(script, "limits alone", readable={"data": data}, wanted=["seen"])
    assert ended.files["seen"] == b"dog\n"
    assert (data / "labels.txt").read_text() == (tmp_path / "linked.txt").read_text() == "cat"
    assert not (data / "y").exists()


def test_no_submission_runs_as_root(tmp_path, monkeypatch):
    from candidly.compare.challenge._run import _check_user

    monkeypatch.setattr(os, "geteuid", lambda: 0)
    tmp_path.chmod(0o700)
    with pytest.raises(RuntimeError, match="submissions would run as root"):
        _check_user("limits alone", tmp_path)
    _check_user("bubblewrap", tmp_path)
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    _check_user("limits alone", tmp_path)


@each_way
def test_open_files_are_few(way):
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NOFILE))"
    assert run(python(code), way).log.decode().split() == ["(512,", "512)"]


SOCKETS = """
import os, socket, time
for _ in range(15):
    if not os.fork():
        break
held = []
try:
    while True:
        pair = socket.socketpair()
        held.append(pair)
        for one in pair:
            one.setblocking(False)
            one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 22)
            try:
                while True:
                    one.send(bytes(1 << 16))
            except BlockingIOError:
                pass
except OSError:
    time.sleep(20)
"""  # 16 processes, each with 250 pairs of sockets that nobody reads: the kernel's memory

bounded = pytest.mark.skipif(
    "memory" not in _cgroup.places(), reason="this machine lets us make no control groups"
)


@bounded
@each_way
def test_what_sockets_hold_in_the_kernel_is_bounded(way):
    ended = run(python(SOCKETS), way, memory_bytes=300 * MIB, seconds=30.0)
    assert ended.how == "memory"


@bounded
@each_way
def test_no_group_is_left(way, marker):
    run(f"sleep 0.2; : {marker}", way)
    owner = f"{_cgroup.PREFIX}{os.getpid()}-*"
    assert [folder for above in _cgroup.places().values() for folder in above.glob(owner)] == []


@bounded
def test_groups_of_a_killed_process_are_removed(tmp_path):
    code = """
import os, signal, time
from candidly.compare.challenge._cgroup import grouped
with grouped(os.getpid(), 1 << 30, 100):
    os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.Popen([sys.executable, "-c", code])
    assert done.wait() == -signal.SIGKILL
    above = _cgroup.places()["memory"]
    assert [*above.glob(f"{_cgroup.PREFIX}{done.pid}-*")]
    run("true", ways()[0])
    assert not [*above.glob(f"{_cgroup.PREFIX}{done.pid}-*")]
