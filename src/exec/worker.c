/* worker.c - threads that run posted jobs in order, and how to wait politely.
 *
 * A worker's queue has a fixed number of places, so that posting allocates nothing; posting to a full one waits. */
#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include "exec/exec.h"

enum { PLACES = 1024 };

struct eg_worker_thread {
    pthread_t       thread;
    pthread_mutex_t lock;
    pthread_cond_t  work, room;
    char            name[16];
    bool            closing;
    int64_t         posted, taken;
    struct {
        eg_job_fn fn;
        void     *argument;
    } jobs[PLACES];
};

static void *serve(void *argument)
{
    eg_worker_thread *w = argument;

    pthread_setname_np(pthread_self(), w->name);
    prctl(PR_SET_TIMERSLACK, 1000UL, 0UL, 0UL, 0UL); /* ns: short sleeps stay short */
    pthread_mutex_lock(&w->lock);
    for (;;) {
        while (w->taken == w->posted && !w->closing) pthread_cond_wait(&w->work, &w->lock);
        if (w->taken == w->posted) break;
        const eg_job_fn fn = w->jobs[w->taken % PLACES].fn;
        void *const     job = w->jobs[w->taken % PLACES].argument;
        w->taken++;
        pthread_cond_signal(&w->room);
        pthread_mutex_unlock(&w->lock);
        fn(job);
        pthread_mutex_lock(&w->lock);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

eagle_status eg_worker_open(const char *name, eg_worker_thread **out)
{
    eg_worker_thread *w = eg_alloc(1, sizeof *w);
    int               code;

    if (w == NULL) return EAGLE_ERR_MEMORY;
    snprintf(w->name, sizeof w->name, "eagle-%s", name);
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->work, NULL);
    pthread_cond_init(&w->room, NULL);
    code = pthread_create(&w->thread, NULL, serve, w);
    if (code != 0) {
        eg_free(w);
        return eg_fail(EAGLE_ERR_ENVIRONMENT, EG_NOWHERE, "raise the limit of threads: ulimit -u",
                       "the %s thread could not be started: %s", name, strerror(code));
    }
    *out = w;
    return EAGLE_OK;
}

void eg_worker_close(eg_worker_thread *w)
{
    if (w == NULL) return;
    pthread_mutex_lock(&w->lock);
    w->closing = true;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
    pthread_join(w->thread, NULL);
    pthread_cond_destroy(&w->work);
    pthread_cond_destroy(&w->room);
    pthread_mutex_destroy(&w->lock);
    eg_free(w);
}

void eg_worker_post(eg_worker_thread *w, eg_job_fn fn, void *argument)
{
    pthread_mutex_lock(&w->lock);
    while (w->posted - w->taken == PLACES) pthread_cond_wait(&w->room, &w->lock);
    w->jobs[w->posted % PLACES].fn = fn;
    w->jobs[w->posted % PLACES].argument = argument;
    w->posted++;
    pthread_cond_signal(&w->work);
    pthread_mutex_unlock(&w->lock);
}

/* Spins for a moment where cores are free, then yields, then sleeps for 50 us at a time. Where cores are scarce the
 * thread that is waited for needs the core: yield at once. */
void eg_pause(const eagle_ctx *ctx, eg_patience *p)
{
    const struct timespec nap = { 0, 50000 };
    const bool            scarce = ctx == NULL || ctx->scarce; /* NULL: the engine did not open */

    if (p->turns++ == 0) p->since = eg_seconds();
    if (!scarce && p->turns < 1000) {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
        return;
    }
    if (eg_seconds() - p->since < (scarce ? 200e-6 : 2e-3))
        sched_yield();
    else
        nanosleep(&nap, NULL);
}
