/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load as a model for Spin: who loads, who waits, what is current, and what a fork means.
 *
 * Every step that another thread can see is a step here, and says which function it stands for.
 * Process 0 is the program and process 1 its child. A wait for another thread's load may end at any
 * time by taking the turn over, so PATIENCE is any time at all. Attempts succeed, fail, find no
 * memory, fork, or never come back, in every order.
 *
 *   LOADERS=n   threads that load, 1 to 3       INSTALL   a thread that installs and puts back
 *   SOURCES     they may want different ones    INIT      a thread in cushim_init()
 *   FORK        a thread that forks             FORK_IN_LOAD   loads that fork
 *
 * What is not modelled: a thread that initialises by the table and not by cushim_init() between the
 * fork's handler and the fork; a fork that has begun before the first load begins.
 *
 * BREAK_... are faults, one each, that the search must find: see turn_test.py.
 */
#ifndef LOADERS
#define LOADERS 2
#endif

/* Values of turn_word; whoever loads is process * 4 + thread. turn.c: is_loading(), holder_of() */
#define UNTRIED 0
#define LOADED 1
#define FORKED 2
#define FAILED(request) (3 + (request))
#define LOADING(who) (8 + (who))
#define COMMITTING(who) (24 + (who))
#define IS_FAILED(value) ((value) >= 3 && (value) <= 4)
#define IS_LOADING(value) ((value) >= 8)
#define IS_COMMITTING(value) ((value) >= 24)
#define HOLDER(value) ((value) & 7)
#define SELF(process, thread) ((process) * 4 + (thread))
/* turn.c: is_orphaned() */
#ifdef BREAK_ORPHANED
#define IS_ORPHANED(process, value) false
#else
#define IS_ORPHANED(process, value) (IS_LOADING(value) && HOLDER(value) / 4 != (process))
#endif

/* Tables. */
#define NONE 0
#define BOOT 1
#define ABSENT 2
#define DRIVER 3
#define INSTALLED 4
#define IS_OWN(process, table) \
    ((table) == BOOT || (table) == ABSENT || ((table) == DRIVER && driver[process]))

/* What the pages of the driver's table hold. */
#define EMPTY 0
#define HALF 1
#define FULL 2

/* What cuInit has come to. */
#define NOT_BEGUN 0
#define BEGUN 1
#define DONE 2

/* Where a child goes on that was forked within a load. */
#define AT_START 0
#define IN_ATTEMPT 1
#define BEFORE_COPY 2
#define BEFORE_PUBLISH 3
#define BEFORE_END 4

/* turn.c: mark_of() */
#define MARK(value, thread) ((value) * 8 + (thread))

byte word[2];         /* turn.c: turn_word */
byte own[2];          /* current.c: own_table */
bool driver[2];       /* current.c: driver_table */
byte current[2];      /* current.c: cushim__current */
byte absent_code[2];  /* absent.c: cushim__absent_code: 3, or 1 for a failure's */
byte pages[2];        /* load.c: what publish_driver() copies */
bool watching[2];     /* system_posix.c: cushim__watch_fork() */
bool noted[2];        /* turn.c: initialised_at_fork */
byte loader_at_fork;  /* turn.c: loader_at_fork */
byte initialising[2]; /* init.c */
bool init_noted[2];   /* init.c: init_process */
byte cuinit[2];       /* the driver's own state */

bool forked;          /* the one fork has happened */
bool refused;         /* its child must not use the driver */
byte started, ended;  /* threads */

/* What is for good is for good: loaded, but in a child; forked. */
#define SET_WORD(process, value) \
    atomic { \
        assert(word[process] != LOADED || (value) == LOADED || (process) == 1); \
        assert(word[process] != FORKED || (value) == FORKED); \
        word[process] = value \
    }

/* --- current.c --- */

/* cushim__withdraw(), which publishes the absent table and then stores it over any other; turn.c:
 * forbid() */
inline forbid(p)
{
    absent_code[p] = 3;
    own[p] = ABSENT;
#ifndef BREAK_WITHDRAW
    current[p] = ABSENT;
#endif
    SET_WORD(p, FORKED);
}

/* cushim__publish() */
inline publish(p, table)
{
    if
    :: table == DRIVER -> driver[p] = true
    :: else
    fi;
#ifdef BREAK_ORDER
    former = current[p];
    own[p] = table; /* atomic_exchange(&own_table, table) */
#else
    own[p] = table;
    former = current[p];
#endif
#ifdef BREAK_STORE
    assert(current[p] != INSTALLED);
    current[p] = table;
#else
    do
    :: !IS_OWN(p, former) -> break
    :: else ->
        atomic {
            if /* __atomic_compare_exchange_n() */
            :: current[p] == former -> current[p] = table; break
            :: else -> former = current[p]
            fi
        }
    od;
#endif
    former = NONE
}

/* --- a call through the table: boot.c, load.c: cushim__first_use(), cushim__boot_target() --- */

#define MAY_ANSWER(p, table) \
    assert((table) != NONE); \
    assert((table) != DRIVER || pages[p] == FULL); \
    assert(!((p) == 1 && refused) || (table) != DRIVER); \
    assert(!((p) == 1 && refused && (table) == ABSENT) || absent_code[p] == 3)

/* --- fork --- */

/* turn.c: was_loader() */
#ifdef BREAK_LOADER
#define WAS_LOADER(thread) (IS_LOADING(word[1]) && loader_at_fork != 0)
#else
#define WAS_LOADER(thread) (IS_LOADING(word[1]) && loader_at_fork == MARK(word[1], thread))
#endif
#ifdef BREAK_INITIALISING
#define WAS_INITIALISING false
#else
/* init.c: cushim__has_begun_to_initialise() */
#define WAS_INITIALISING (own[1] == DRIVER && (initialising[1] > 0 || init_noted[1]))
#endif

/* What fork() copies, and what must hold in the child. */
inline copy_process(t)
{
    word[1] = word[0];
    own[1] = own[0];
    driver[1] = driver[0];
    current[1] = current[0];
    absent_code[1] = absent_code[0];
    pages[1] = pages[0];
    watching[1] = watching[0];
    noted[1] = noted[0];
    initialising[1] = initialising[0];
    init_noted[1] = init_noted[0];
    cuinit[1] = cuinit[0];
    refused = cuinit[0] != NOT_BEGUN ||
              (IS_LOADING(word[0]) && HOLDER(word[0]) != SELF(0, t) && own[0] != DRIVER);
    forked = true
}

/* turn.c: in_child() */
inline in_child(t)
{
    if
    :: noted[1] || WAS_INITIALISING -> forbid(1)
    :: else ->
        if
        :: WAS_LOADER(t) ->
            word[1] = (IS_COMMITTING(word[1]) -> COMMITTING(SELF(1, t)) : LOADING(SELF(1, t)))
        :: else ->
            if
            :: own[1] == DRIVER -> /* finish_load() */
#ifndef BREAK_FINISH
                if
                :: IS_OWN(1, current[1]) -> current[1] = DRIVER
                :: else
                fi;
#endif
                word[1] = LOADED
            :: own[1] != DRIVER && IS_LOADING(word[1]) -> forbid(1)
            :: else
            fi
        fi
    fi
}

/* turn.c: before_fork(); then the fork, unless it has happened. A process that nobody watches has
 * no handlers. The child's first thread is the one that forked. */
inline fork_here(t, where)
{
    if
    :: !watching[0] ->
        atomic {
            if
            :: !watching[0] && !forked -> copy_process(t); started++; run caller(1, t, where)
            :: else
            fi
        }
    :: else ->
        seen = word[0];
        if
        :: !noted[0] &&
           (init_noted[0] ||
            (initialising[0] == 0 && own[0] == DRIVER && cuinit[0] == DONE)) -> noted[0] = true
        :: else
        fi;
        if
        :: IS_LOADING(seen) && HOLDER(seen) == SELF(0, t) -> loader_at_fork = MARK(seen, t)
        :: else ->
            atomic {
#ifdef BREAK_LOADER
                loader_at_fork = 0
#else
                if
                :: loader_at_fork == MARK(seen, t) -> loader_at_fork = 0
                :: else
                fi
#endif
            }
        fi;
        atomic {
            if
            :: !forked -> copy_process(t); in_child(t); started++; run caller(1, t, where)
            :: else
            fi
        }
    fi;
    seen = 0
}

#ifdef FORK_IN_LOAD
#define MAY_FORK(p, t, where) \
    if \
    :: (p) == 0 && !forked -> fork_here(t, where) \
    :: true \
    fi
#else
#define MAY_FORK(p, t, where) skip
#endif

/* --- load.c: load(); a thread that calls, loads, and calls again --- */

proctype caller(byte p; byte t; byte where)
{
    byte now, former, seen;
    bool waited, again, found, gave_up;
    bit request;

    if
    :: where == IN_ATTEMPT -> goto attempt
    :: where == BEFORE_COPY -> found = true; goto copy
    :: where == BEFORE_PUBLISH -> found = true; goto publishing
    :: where == BEFORE_END -> found = true; goto end_commit
    :: else
    fi;

    /* Through the table, or an explicit load of one of two sources. */
    if
    :: d_step { now = current[p]; MAY_ANSWER(p, now) };
        if
        :: now != BOOT -> goto finish
        :: now == BOOT && own[p] != BOOT -> goto ask
        :: else
        fi
    :: again = true;
#ifdef SOURCES
        if
        :: request = 0
        :: request = 1
        fi
#endif
    fi;

take: /* turn.c: cushim__turn_take() */
    waited = false;
look:
    now = word[p];
    if
    :: IS_ORPHANED(p, now) -> forbid(p); goto look
    :: !IS_ORPHANED(p, now) &&
       (now == UNTRIED || (IS_FAILED(now) && again && (!waited || now != FAILED(request)))) ->
        atomic {
            if
            :: word[p] == now -> SET_WORD(p, LOADING(SELF(p, t)))
            :: else -> goto look
            fi
        }
    :: IS_LOADING(now) && !IS_ORPHANED(p, now) ->
        waited = true; /* cushim__pause() */
        if
        :: word[p] != now -> goto look
#ifndef BREAK_TAKEOVER
#ifdef BREAK_PATIENCE
        :: true ->
#else
        :: !IS_COMMITTING(now) ->
#endif
            atomic {
                if
                :: word[p] == now -> SET_WORD(p, LOADING(SELF(p, t)))
                :: else -> goto look
                fi
            }
#endif
        fi
    :: else -> goto ask /* CUSHIM__TURN_DONE */
    fi;
    watching[p] = true; /* cushim__watch_fork() */

attempt: /* load.c: attempt_once() */
    MAY_FORK(p, t, IN_ATTEMPT);
    if
    :: found = true
    :: found = false
    :: goto finish /* the thread ends in the middle of it */
    :: atomic { /* turn.c: cushim__turn_give_up() */
            if
            :: word[p] == LOADING(SELF(p, t)) -> SET_WORD(p, UNTRIED)
            :: else
            fi
        };
        gave_up = true;
        goto ask
    fi;

commit: /* turn.c: cushim__turn_commit() */
    now = word[p];
#ifdef BREAK_COMMIT
    SET_WORD(p, COMMITTING(SELF(p, t)));
#else
#ifdef BREAK_HOLDER
    if
    :: now == LOADING(SELF(p, t)) ->
#else
    if
    :: IS_LOADING(now) && !IS_COMMITTING(now) && !IS_ORPHANED(p, now) ->
#endif
        atomic {
            if
            :: word[p] == now -> SET_WORD(p, COMMITTING(SELF(p, t)))
            :: else -> goto commit
            fi
        }
    :: else -> goto take
    fi;
#endif
#ifdef BREAK_CANCEL
    if
    :: goto finish
    :: true
    fi;
#endif
    MAY_FORK(p, t, BEFORE_COPY);
    if
    :: !found -> /* load.c: commit() of a failure; current.c: cushim__publish_absent() */
        absent_code[p] = 1;
        publish(p, ABSENT);
        goto end_commit
    :: else
    fi;

copy: /* load.c: publish_driver() */
    assert(pages[p] == EMPTY); /* nobody has written them */
#ifndef BREAK_COPY
    pages[p] = HALF;
    pages[p] = FULL;
#endif
    MAY_FORK(p, t, BEFORE_PUBLISH);
publishing:
#ifdef BREAK_LOADED
    SET_WORD(p, LOADED);
#endif
    publish(p, DRIVER);
#ifdef BREAK_COPY
    pages[p] = FULL;
#endif
    MAY_FORK(p, t, BEFORE_END);

end_commit: /* turn.c: leave_commit() */
#ifdef BREAK_END
    SET_WORD(p, (found -> LOADED : FAILED(request)));
#else
#ifndef BREAK_LOADED
    atomic {
        if
        :: word[p] == COMMITTING(SELF(p, t)) -> SET_WORD(p, (found -> LOADED : FAILED(request)))
        :: else -> assert(p == 1); forbid(p)
        fi
    };
#endif
#endif

ask: /* load.c: cushim__first_use() looks again, and so does outcome() */
    atomic {
        now = own[p];
        assert(now != BOOT || gave_up);
        MAY_ANSWER(p, now)
    };
    d_step { now = current[p]; MAY_ANSWER(p, now); now = 0 };
finish:
    ended++
}

/* --- current.c: cushim_table_install() --- */

#ifdef INSTALL
proctype installer()
{
    byte mine, turns;

    do
    :: turns < 2 -> turns++; current[0] = INSTALLED /* __atomic_exchange_n() */
    :: turns < 2 ->
        turns++;
        mine = own[0];
        current[0] = mine; /* shown(mine) */
#ifndef BREAK_INSTALL
        do
        :: mine == own[0] -> break
        :: else -> mine = own[0]; current[0] = mine
        od
#endif
    :: turns == 2 -> break
    od;
    ended++
}
#endif

/* --- init.c: cushim_init(), and a thread that forks --- */

#ifdef INIT
proctype initialiser()
{
    if
    :: own[0] == DRIVER ->
        initialising[0]++;
        cuinit[0] = BEGUN;
        cuinit[0] = DONE;
#ifdef BREAK_NOTE
        initialising[0]--;
        init_noted[0] = true
#else
        init_noted[0] = true; /* note_init() */
        initialising[0]--
#endif
    :: true
    fi;
    ended++
}
#endif

#ifdef FORK
proctype forker()
{
    byte seen;

    if
    :: !forked -> fork_here(2, AT_START)
    :: true
    fi;
    ended++
}
#endif

/* When all is over, what is current is what is the loader's own, or installed. */
proctype judge()
{
    ended == started ->
        assert(current[0] == INSTALLED || current[0] == own[0]);
        assert(!forked || current[1] == own[1]);
        assert(!(forked && refused) || own[1] != DRIVER)
}

init
{
    atomic {
        own[0] = BOOT;
        current[0] = BOOT;
        absent_code[0] = 3;
        started = LOADERS;
        run caller(0, 0, AT_START);
#if LOADERS > 1
        run caller(0, 1, AT_START);
#endif
#if LOADERS > 2
        run caller(0, 2, AT_START);
#endif
#ifdef INSTALL
        started++;
        run installer();
#endif
#ifdef FORK
        started++;
        run forker();
#endif
#ifdef INIT
        started++;
        run initialiser();
#endif
        run judge()
    }
}
