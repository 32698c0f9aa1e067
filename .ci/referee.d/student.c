/* A student's engine for EinStein, speaking the protocol of the courses in Taiwan (TCGA): it goes where the goal is nearest.

   student [good|exit|hang|flood|cheat|talk FILE]: told to, it misbehaves at its fifth question, unless FILE is there already;
   it makes the file before it does. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct square {
    int column, row;
};

static struct square parse(const char *name) {
    struct square square = {name[0] - 'A', name[1] - '1'};
    if (name[0] == '0') square.column = -1;
    return square;
}

static int distance(struct square from, struct square goal) {
    int columns = abs(goal.column - from.column), rows = abs(goal.row - from.row);
    return columns > rows ? columns : rows;
}

/* Whether a stone (from 0) may be moved: the die's, or if that is gone the next lower and the next higher one. */
static int movable(const struct square *own, int stone, int die) {
    if (own[stone].column < 0) return 0;
    int step = stone < die - 1 ? 1 : -1;
    for (int between = stone; between != die - 1;) {
        between += step;
        if (own[between].column >= 0) return 0;
    }
    return 1;
}

static void answer(char side, int die, char names[12][8]) {
    struct square own[6], from = {0, 0}, to = {0, 0};
    int forward = side == 'R' ? 1 : -1, least = 9;
    struct square goal = {side == 'R' ? 4 : 0, side == 'R' ? 4 : 0};
    for (int stone = 0; stone < 6; stone++) own[stone] = parse(names[stone + (side == 'R' ? 6 : 0)]);
    for (int stone = 0; stone < 6; stone++) {
        if (!movable(own, stone, die)) continue;
        for (int step = 3; step >= 1; step--) {
            struct square next = {own[stone].column + (step & 1) * forward, own[stone].row + (step >> 1) * forward};
            if (next.column < 0 || next.column > 4 || next.row < 0 || next.row > 4) continue;
            if (distance(next, goal) < least) {
                least = distance(next, goal);
                from = own[stone];
                to = next;
            }
        }
    }
    printf("%c%d %c%d\n", 'A' + from.column, from.row + 1, 'A' + to.column, to.row + 1);
}

static void misbehave(const char *how) {
    if (!strcmp(how, "exit")) exit(3);
    if (!strcmp(how, "hang")) {
        if (!fork()) execlp("setsid", "setsid", "sleep", "4321.5", (char *)NULL);
        sleep(4321);
    }
    if (!strcmp(how, "flood"))
        for (;;) puts("A1 B2");
    if (!strcmp(how, "cheat")) puts("A5 A4");
}

int main(int count, char **arguments) {
    const char *how = count > 1 ? arguments[1] : "good";
    const char *file = count > 2 ? arguments[2] : "";
    char line[256], names[12][8], side;
    int die, asked = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (fgets(line, sizeof line, stdin)) {
        if (!strncmp(line, "exit", 4)) break;
        if (sscanf(line, "get %c %d %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s %7s", &side, &die, names[0], names[1], names[2],
                   names[3], names[4], names[5], names[6], names[7], names[8], names[9], names[10], names[11]) != 14) {
            puts("student");
        } else if (++asked >= 5 && strcmp(how, "good") && open(file, O_CREAT | O_EXCL, 0600) >= 0) {
            misbehave(how);
            if (!strcmp(how, "talk")) {
                answer(side, die, names);
                puts("I am winning");
            }
        } else {
            answer(side, die, names);
        }
    }
    return 0;
}
