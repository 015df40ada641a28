/* A worker for tests. It returns its inputs as the outputs y0, y1, …; the model `bad` is unsupported. With
 * the variable ECHO_HANGS a run does not end. */
#include "onnx_conformance.h"

typedef struct { size_t count; oc_tensor values[8]; } session_t;

static bool start(int threads, oc_error *error) { return threads < 64 || oc_fail(error, "missing", "no %d threads", threads); }

static void *load(const void *model, size_t size, oc_error *error) {
    if (size == 3 && !memcmp(model, "bad", 3)) { oc_fail(error, "unsupported", "bad models: \xff \"quoted\""); return NULL; }
    return memset(oc_resize(NULL, sizeof(session_t)), 0, sizeof(session_t));
}

static void clear(void *session) {
    session_t *echo = session;
    while (echo->count) {
        free((void *)echo->values[--echo->count].name);
        free((void *)echo->values[echo->count].data);
    }
}

static bool feed(void *session, const oc_tensor *input, oc_error *error) {
    session_t *echo = session;
    if (echo->count == 8) return oc_fail(error, "run", "more than 8 inputs");
    oc_tensor *value = &echo->values[echo->count++];
    *value = *input;
    value->name = strdup(input->name);
    value->data = memcpy(oc_resize(NULL, input->size), input->data, input->size);
    return true;
}

static bool run(void *session, oc_error *error) {
    if (getenv("ECHO_HANGS")) pause();
    return session || oc_fail(error, "run", "no session");
}

static bool give(void *session, oc_outputs *outputs, oc_error *error) {
    session_t *echo = session;
    for (size_t index = 0; index < echo->count; index++)
        if (!oc_give(outputs, &echo->values[index], error)) return false;
    return true;
}

static void unload(void *session) {
    clear(session);
    free(session);
}

static const oc_backend backend = {"echo", "1", start, load, clear, feed, run, give, unload};

int main(int argc, char **argv) { return oc_serve(&backend, argc, argv); }
