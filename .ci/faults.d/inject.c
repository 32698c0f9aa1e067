/* Runs a program and makes one of its system calls fail, once: `inject LOG PROGRAM DIRECTORY KIND NUMBER HOW COMMAND...`.
 * Counted are calls of processes that run PROGRAM, on files in DIRECTORY, over all threads, by kind: write (also its results on
 * standard output), sync, rename, open, truncate, map, mkdir, remove; with kind syncdir every sync of a directory, not only one,
 * fails. HOW is an error such as EIO; `half` does half of a write; `torn` does half and lets the next write fail for lack of
 * space. LOG gets the number of calls of each kind, and the call that failed. Needs Linux 5.9: a seccomp filter sends the calls
 * here, where they fail, or go on to the kernel. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum kind { WRITE, SYNC, RENAME, OPEN, TRUNCATE, MAP, MKDIR, REMOVE, SYNC_DIRECTORY, KINDS };
static const char *const names[KINDS] = {"write", "sync", "rename", "open", "truncate", "map", "mkdir", "remove", "syncdir"};

/* System calls: their kind, the argument with a descriptor (-1: the working directory), and that with a path (-1: none). */
static const struct call {
    int number, kind, descriptor, path;
} calls[] = {
    {SYS_write, WRITE, 0, -1},
    {SYS_writev, WRITE, 0, -1},
    {SYS_pwrite64, WRITE, 0, -1},
    {SYS_pwritev, WRITE, 0, -1},
    {SYS_fsync, SYNC, 0, -1},
    {SYS_fdatasync, SYNC, 0, -1},
    {SYS_openat, OPEN, 0, 1},
    {SYS_ftruncate, TRUNCATE, 0, -1},
    {SYS_mmap, MAP, 4, -1},
    {SYS_mkdirat, MKDIR, 0, 1},
    {SYS_unlinkat, REMOVE, 0, 1},
    {SYS_renameat2, RENAME, 0, 1},
    {SYS_renameat, RENAME, 0, 1},
#ifdef SYS_rename
    {SYS_rename, RENAME, -1, 0},
    {SYS_mkdir, MKDIR, -1, 0},
    {SYS_unlink, REMOVE, -1, 0},
    {SYS_rmdir, REMOVE, -1, 0},
    {SYS_open, OPEN, -1, 0},
#endif
};
enum { CALLS = sizeof calls / sizeof *calls };

static const struct {
    const char *name;
    int number;
} errors[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"EMFILE", EMFILE}, {"EINVAL", EINVAL}, {"ENOMEM", ENOMEM}, {"half", 0}, {"torn", 0}};

static void fail(const char *what) {
    fprintf(stderr, "inject: %s: %s\n", what, strerror(errno));
    exit(125);
}

/* Installs the filter, which the command inherits; returns where its calls arrive. */
static int install(void) {
    struct sock_filter filter[CALLS + 8];
    int length = 0;
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    /* Memory without a file is not asked about. */
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[4]));
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, CALLS + 1, CALLS + 2);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int call = 0; call < CALLS; call++)
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)calls[call].number, CALLS - call, 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF);
    struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) fail("prctl");
    int listener = (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0) fail("seccomp");
    return listener;
}

/* Sends or receives a descriptor. */
static int pass(int socket, int descriptor) {
    char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
    struct iovec vector = {&byte, 1};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET, header->cmsg_type = SCM_RIGHTS, header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    if (descriptor >= 0) return (int)sendmsg(socket, &message, 0);
    if (recvmsg(socket, &message, 0) != 1) return -1;
    memcpy(&descriptor, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof descriptor);
    return descriptor;
}

static int is_below(const char *path, const char *directory) {
    size_t length = strlen(directory);
    return !strncmp(path, directory, length) && (path[length] == '/' || !path[length]);
}

/* The file that a call of a thread is about, in `file`; 0 where it cannot be told. */
static int find_file(const struct seccomp_notif *asked, const struct call *call, char *file) {
    char link[64];
    ssize_t length = 0;
    char path[4096] = "";
    if (call->path >= 0) {
        struct iovec here = {path, sizeof path - 1}, there = {(void *)asked->data.args[call->path], sizeof path - 1};
        /* The text may end before a page that is not there. */
        size_t room = 4096 - (asked->data.args[call->path] & 4095);
        here.iov_len = there.iov_len = room < sizeof path - 1 ? room : sizeof path - 1;
        length = process_vm_readv((pid_t)asked->pid, &here, 1, &there, 1, 0);
        if (length < 0) return 0;
    }
    if (path[0] == '/') return snprintf(file, 8192, "%s", path) > 0;
    int descriptor = call->descriptor < 0 ? AT_FDCWD : (int)asked->data.args[call->descriptor];
    if (descriptor == AT_FDCWD) snprintf(link, sizeof link, "/proc/%d/cwd", (int)asked->pid);
    else snprintf(link, sizeof link, "/proc/%d/fd/%d", (int)asked->pid, descriptor);
    length = readlink(link, file, 4095);
    if (length < 0) return 0;
    file[length] = 0;
    if (path[0]) snprintf(file + length, 8192 - (size_t)length, "/%s", path);
    return 1;
}

/* Does half of a write in the thread's place; how much it wrote, or 0 if that cannot be. */
static int64_t write_half(const struct seccomp_notif *asked) {
    char status[64], line[256];
    int group = (int)asked->pid;
    snprintf(status, sizeof status, "/proc/%d/status", (int)asked->pid);
    FILE *file = fopen(status, "r");
    while (file && fgets(line, sizeof line, file)) sscanf(line, "Tgid: %d", &group);
    if (file) fclose(file);
    struct iovec there = {(void *)asked->data.args[1], (size_t)asked->data.args[2]};
    int number = asked->data.nr;
    if (number == SYS_writev || number == SYS_pwritev) {
        struct iovec here = {&there, sizeof there}, list = {(void *)asked->data.args[1], sizeof there};
        if (process_vm_readv((pid_t)asked->pid, &here, 1, &list, 1, 0) != sizeof there) return 0;
    }
    there.iov_len /= 2;
    if (!there.iov_len) return 0;
    char *bytes = malloc(there.iov_len);
    struct iovec here = {bytes, there.iov_len};
    int process = (int)syscall(SYS_pidfd_open, group, 0);
    int descriptor = (int)syscall(SYS_pidfd_getfd, process, (int)asked->data.args[0], 0);
    int64_t written = 0;
    if (descriptor >= 0 && process_vm_readv((pid_t)asked->pid, &here, 1, &there, 1, 0) == (ssize_t)there.iov_len) {
        int has_offset = number == SYS_pwrite64 || number == SYS_pwritev;
        written = has_offset ? pwrite(descriptor, bytes, there.iov_len, (off_t)asked->data.args[3]) : write(descriptor, bytes, there.iov_len);
    }
    close(descriptor), close(process), free(bytes);
    return written > 0 ? written : 0;
}

int main(int count, char **arguments) {
    if (count < 8) {
        fprintf(stderr, "inject LOG PROGRAM DIRECTORY KIND NUMBER HOW COMMAND...\n");
        return 125;
    }
    const char *how = arguments[6], *directory = arguments[3];
    int kind = -1, error = -1, tears = !strcmp(how, "torn"), is_torn = 0;
    long number = atol(arguments[5]), counts[KINDS] = {0};
    for (int one = 0; one < KINDS; one++) kind = strcmp(names[one], arguments[4]) ? kind : one;
    for (size_t one = 0; one < sizeof errors / sizeof *errors; one++) error = strcmp(errors[one].name, how) ? error : errors[one].number;
    errno = EINVAL;
    if (kind < 0 || error < 0) fail("kind or error");
    struct stat program, other;
    if (stat(arguments[2], &program)) fail(arguments[2]);
    FILE *log = fopen(arguments[1], "w");
    if (!log) fail(arguments[1]);
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) fail("socketpair");
    pid_t child = fork();
    if (!child) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (pass(pair[1], install()) != 1) _exit(125);
        execvp(arguments[7], arguments + 7);
        _exit(127);
    }
    close(pair[1]);
    int listener = pass(pair[0], -1);
    if (child < 0 || listener < 0) fail("no filter");
    struct pollfd waits = {.fd = listener, .events = POLLIN};
    /* Once all who inherited the filter are gone, it hangs up. */
    while (poll(&waits, 1, -1) >= 0 && !(waits.revents & POLLHUP)) {
        struct seccomp_notif asked = {0};
        if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked)) continue;
        struct seccomp_notif_resp answer = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
        const struct call *call = calls;
        while (call->number != asked.data.nr) call++;
        char file[8192], link[64];
        snprintf(link, sizeof link, "/proc/%d/exe", (int)asked.pid);
        int is_output = call->kind == WRITE && asked.data.args[0] == 1;
        int is_error = call->kind == WRITE && asked.data.args[0] == 2;
        int is_counted = !stat(link, &other) && other.st_ino == program.st_ino && other.st_dev == program.st_dev && !is_error &&
                         find_file(&asked, call, file) && (is_output || is_below(file, directory));
        if (is_counted) {
            int is_directory = call->kind == SYNC && !stat(file, &other) && S_ISDIR(other.st_mode);
            counts[call->kind]++;
            counts[SYNC_DIRECTORY] += is_directory;
            if (call->kind == WRITE && is_torn) {
                is_torn = 0;
                answer.flags = 0, answer.error = -ENOSPC;
            } else if ((kind == (int)call->kind && counts[kind] == number) || (kind == SYNC_DIRECTORY && is_directory && number)) {
                if (error) answer.error = -error;
                else answer.val = call->kind == WRITE ? write_half(&asked) : 0;
                if (answer.error || answer.val) {
                    answer.flags = 0;
                    is_torn = tears;
                    fprintf(log, "hit %s %ld %s %s\n", names[kind], counts[kind], how, file);
                }
            }
        }
        ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
    int status;
    if (waitpid(child, &status, 0) != child) fail("wait");
    for (int one = 0; one < KINDS; one++) fprintf(log, "count %s %ld\n", names[one], counts[one]);
    fclose(log);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
