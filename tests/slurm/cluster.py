"""A Slurm cluster of this machine alone: munged, slurmctld and slurmd with all their files in one folder."""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import time

CPUS = 2
START_SECONDS = 30
STOP_SECONDS = 15
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "scancel", "scontrol", "squeue", "sinfo")

CONFIGURATION = """
ClusterName=private
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={daemon_port}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
# A requeued job starts after cred_expire seconds; the least is 5.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,bf_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
NodeName=node NodeHostname={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"""


class Unavailable(Exception):
    """Slurm is not installed, or does not start here."""


def program(name):
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")


def user_name():
    try:
        return pwd.getpwuid(os.getuid()).pw_name
    except KeyError as error:
        raise Unavailable(f"user {os.getuid()} has no name") from error


def free_ports(count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def end_with_parent():
    """A daemon gets SIGTERM when the test dies, even if by SIGKILL."""
    parent_death_signal = 1  # PR_SET_PDEATHSIG
    ctypes.CDLL(None).prctl(parent_death_signal, signal.SIGTERM)


class Cluster:
    """One node of CPUS processors. The folder is the caller's, to be removed after stop()."""

    def __init__(self, folder):
        self.folder = folder
        self.daemons = []
        # Without what a job of another cluster has set.
        inherited = {name: value for name, value in os.environ.items()
                     if not name.startswith(("SLURM_", "SBATCH_", "PMI", "OMPI_"))}
        self.environment = dict(inherited, SLURM_CONF=self.file("slurm.conf"))

    def file(self, name):
        return os.path.join(self.folder, name)

    def start(self):
        missing = [name for name in PROGRAMS if program(name) is None]
        if missing:
            raise Unavailable(f"not installed: {', '.join(missing)} (apt-slurm.txt)")
        try:
            self.start_daemons()
        except (OSError, subprocess.SubprocessError) as error:
            self.stop()
            raise Unavailable(str(error)) from error
        except BaseException:
            self.stop()
            raise

    def start_daemons(self):
        self.write_files()
        self.daemon("munged", "--foreground", "--force", "--key-file", self.file("munge.key"), "--socket",
                    self.file("munge.socket"), "--pid-file", self.file("munged.pid"), "--seed-file",
                    self.file("munged.seed"), "--log-file", self.file("munged.log"))
        self.wait_for("munged", lambda: os.path.exists(self.file("munge.socket")))
        self.daemon("slurmctld", "-D", "-f", self.file("slurm.conf"))
        self.daemon("slurmd", "-D", "-f", self.file("slurm.conf"), "-N", "node")
        self.wait_for("the node", lambda: self.call("sinfo", "-h", "-o", "%T").stdout.strip() == "idle")

    def write_files(self):
        for name in ("state", "spool"):
            os.mkdir(self.file(name), 0o700)
        controller_port, daemon_port = free_ports(2)
        with open(self.file("slurm.conf"), "w", encoding="utf-8") as file:
            file.write(CONFIGURATION.format(
                host=socket.gethostname().split(".")[0], controller_port=controller_port, daemon_port=daemon_port,
                user=user_name(), folder=self.folder, cpus=CPUS))
        key = os.open(self.file("munge.key"), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        os.write(key, os.urandom(128))
        os.close(key)

    def daemon(self, name, *arguments):
        with open(self.file(name + ".out"), "wb") as output:
            self.daemons.append(subprocess.Popen(
                [program(name), *arguments], stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                env=self.environment, preexec_fn=end_with_parent))

    def wait_for(self, what, is_there):
        end = time.monotonic() + START_SECONDS
        while not is_there():
            ended = [daemon.args[0] for daemon in self.daemons if daemon.poll() is not None]
            if ended or time.monotonic() > end:
                raise Unavailable(f"{what} did not start: {self.last_words()}")
            time.sleep(0.1)

    def last_words(self):
        words = []
        for daemon in self.daemons:
            name = os.path.basename(daemon.args[0])
            with open(self.file(name + ".out"), encoding="utf-8", errors="replace") as output:
                words += [f"{name}: {line.strip()}" for line in output.readlines()[-3:]]
        return "; ".join(words)

    def call(self, *command, **options):
        """A command of Slurm's, to its end."""
        return subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60,
                              check=False, **options)

    def stop(self):
        if len(self.daemons) > 1:
            self.call("scancel", "--full", "--user", user_name())
            end = time.monotonic() + STOP_SECONDS
            while self.call("squeue", "-h").stdout.strip() and time.monotonic() < end:
                time.sleep(0.1)
        for daemon in reversed(self.daemons):
            daemon.terminate()
        for daemon in self.daemons:
            try:
                daemon.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []
