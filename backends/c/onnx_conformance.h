/* A library for workers of onnx-conformance in C (docs/protocol.md): include this file, fill an `oc_backend` and call
 * `oc_serve`.
 *
 * Values are dense tensors of all element types except string. For strings, sequences, maps, optionals and sparse
 * tensors the library answers `unsupported`. It needs POSIX, a little-endian machine, and cJSON (`cc … -lcjson -pthread`). */
#ifndef ONNX_CONFORMANCE_H
#define ONNX_CONFORMANCE_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "onnx_conformance_tensor.h"

enum { OC_MAX_RUNS = 40000, OC_MAX_HEADER = 1 << 20 };

/* A runtime. A function that fails calls `oc_fail` and returns false (NULL). Only `load` and `run` are timed. */
typedef struct {
    const char *name, *version;
    bool (*start)(int threads, oc_error *error);                          /* once, before all others */
    void *(*load)(const void *model, size_t size, oc_error *error);
    void (*clear)(void *session);                                         /* before each run: drop inputs and outputs */
    bool (*feed)(void *session, const oc_tensor *input, oc_error *error); /* each input, before each run */
    bool (*run)(void *session, oc_error *error);
    bool (*give)(void *session, oc_outputs *outputs, oc_error *error);    /* calls `oc_give` for each output */
    void (*unload)(void *session);
} oc_backend;

/* A worker: its sessions, the current request and its answer. */
typedef struct {
    const oc_backend *backend;
    int threads;
    void **sessions;
    size_t count, left;
    const cJSON *request;
    const unsigned char *payload;
    cJSON *answer;
    oc_bytes blobs;
    oc_error error;
} oc_worker;

static double oc_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* Malformed requests and unknown sessions are refused; their kinds are the reasons of `refused`. */
static bool oc_malformed(oc_worker *w, const char *name) {
    return oc_fail(&w->error, "malformed", "field `%s` is missing, wrong or too large", name);
}

static bool oc_count(oc_worker *w, const cJSON *object, const char *name, double most, size_t *count) {
    double number = cJSON_GetNumberValue(cJSON_GetObjectItemCaseSensitive(object, name));
    bool good = number >= 0 && number <= most && number == (double)(uint64_t)number;
    *count = good ? (size_t)number : 0;
    return good || oc_malformed(w, name);
}

static bool oc_take(oc_worker *w, const cJSON *object, const char *name, const unsigned char **blob, size_t *size) {
    if (!oc_count(w, object, name, (double)w->left, size)) return false;
    *blob = w->payload, w->payload += *size, w->left -= *size;
    return true;
}

static bool oc_find(oc_worker *w, void ***session) {
    size_t number;
    if (!oc_count(w, w->request, "session", 1.8e19, &number)) return false; /* any number of 64 bits: an unknown one is no fault of form */
    if (number == 0 || number > w->count || !w->sessions[number - 1])
        return oc_fail(&w->error, "unknown_session", "session %zu is not loaded", number);
    *session = &w->sessions[number - 1];
    return true;
}

static bool oc_feed_one(oc_worker *w, const cJSON *entry, void *session) {
    oc_tensor tensor = {.name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "name")), .data = ""};
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(entry, "type")), *problem;
    const unsigned char *blob;
    size_t size;
    if (!tensor.name || !type) return oc_malformed(w, "inputs");
    if (!oc_take(w, entry, "bytes", &blob, &size)) return false;
    for (int number = 1; number < OC_TYPES; number++) {
        char text[64];
        snprintf(text, sizeof text, "tensor(%s)", OC_NAMES[number]);
        if (!strcmp(type, text)) tensor.type = number;
    }
    if (tensor.type == 0 || tensor.type == OC_STRING) return oc_fail(&w->error, "unsupported", "values of type %s", type);
    if ((problem = oc_decode(blob, size, &tensor))) return oc_fail(&w->error, "malformed", "value `%s`: %s", tensor.name, problem);
    return w->backend->feed(session, &tensor, &w->error);
}

/* Feeds a set of inputs, runs once, and appends the time to `times`. */
static bool oc_run(oc_worker *w, void *session, const cJSON *set, cJSON *times) {
    const cJSON *entry;
    if (!cJSON_IsArray(set)) return oc_malformed(w, "inputs");
    w->backend->clear(session);
    cJSON_ArrayForEach(entry, set) if (!oc_feed_one(w, entry, session)) return false;
    double start = oc_now();
    bool ran = w->backend->run(session, &w->error);
    return cJSON_AddItemToArray(times, cJSON_CreateNumber(oc_now() - start)) && ran;
}

static bool oc_give_all(oc_worker *w, void *session, const char *field) {
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(w->request, "outputs");
    oc_outputs outputs = {cJSON_IsArray(wanted) ? wanted : NULL, cJSON_AddArrayToObject(w->answer, field), &w->blobs};
    return w->backend->give(session, &outputs, &w->error);
}

/* Runs `count` times and cycles through the sets. With `keep`, the answer has the outputs of the first and last run. */
static bool oc_runs(oc_worker *w, void *session, const char *times, size_t count, bool keep) {
    const cJSON *sets = cJSON_GetObjectItemCaseSensitive(w->request, "sets"), *set = NULL;
    cJSON *list = cJSON_AddArrayToObject(w->answer, times);
    const unsigned char *payload = w->payload;
    size_t left = w->left;
    for (size_t index = 0; index < count; index++) {
        set = set ? set->next : NULL;
        if (!set) set = sets->child, w->payload = payload, w->left = left;
        if (!oc_run(w, session, set, list)) return false;
        if (keep && index == 0 && !oc_give_all(w, session, "first")) return false;
        if (keep && index == count - 1 && !oc_give_all(w, session, "last")) return false;
    }
    w->payload = payload, w->left = left;
    return true;
}

static bool oc_do_hello(oc_worker *w) {
    const cJSON *version;
    bool spoken = false;
    cJSON_ArrayForEach(version, cJSON_GetObjectItemCaseSensitive(w->request, "versions")) spoken |= version->valuedouble == 1;
    if (!spoken) return oc_fail(&w->error, "version", "no common protocol version: supported [1]");
    cJSON_AddNumberToObject(w->answer, "version", 1);
    cJSON *backend = cJSON_AddObjectToObject(w->answer, "backend");
    cJSON_AddStringToObject(backend, "name", w->backend->name);
    cJSON_AddStringToObject(backend, "version", w->backend->version);
    char threads[16];
    snprintf(threads, sizeof threads, "%d", w->threads);
    return cJSON_AddStringToObject(cJSON_AddObjectToObject(backend, "options"), "threads", threads);
}

static bool oc_do_capabilities(oc_worker *w) {
    /* Without `threads` here, `bench` lists the worker in a separate table. */
    return cJSON_AddStringToObject(cJSON_AddObjectToObject(w->answer, "options"), "threads", "number of threads");
}

static bool oc_do_load(oc_worker *w) {
    const cJSON *folder = cJSON_GetObjectItemCaseSensitive(w->request, "folder"), *files = cJSON_GetObjectItemCaseSensitive(w->request, "files");
    const unsigned char *model;
    size_t size;
    if (!oc_take(w, w->request, "model", &model, &size)) return false;
    if (cJSON_IsString(folder) || cJSON_GetArraySize(files)) return oc_fail(&w->error, "unsupported", "external data");
    if (w->left) return oc_malformed(w, "model");
    double start = oc_now();
    void *session = w->backend->load(model, size, &w->error);
    cJSON_AddNumberToObject(w->answer, "nanoseconds", oc_now() - start);
    if (!session) return false;
    w->sessions = oc_resize(w->sessions, (w->count + 1) * sizeof *w->sessions);
    w->sessions[w->count++] = session;
    return cJSON_AddNumberToObject(w->answer, "session", (double)w->count);
}

static bool oc_do_run(oc_worker *w) {
    void **session;
    cJSON *times = cJSON_CreateArray();
    bool good = oc_find(w, &session) && oc_run(w, *session, cJSON_GetObjectItemCaseSensitive(w->request, "inputs"), times);
    good = good && (w->left == 0 || oc_malformed(w, "inputs")) && oc_give_all(w, *session, "outputs");
    cJSON_AddNumberToObject(w->answer, "nanoseconds", times->child ? times->child->valuedouble : 0);
    cJSON_Delete(times);
    return good;
}

static bool oc_do_bench(oc_worker *w) {
    void **session;
    size_t warmup, iterations;
    if (!oc_find(w, &session) || !oc_count(w, w->request, "warmup", OC_MAX_RUNS, &warmup)) return false;
    if (!oc_count(w, w->request, "iterations", (double)(OC_MAX_RUNS - warmup), &iterations)) return false;
    if (!iterations) return oc_malformed(w, "iterations");
    if (!cJSON_GetArraySize(cJSON_GetObjectItemCaseSensitive(w->request, "sets"))) return oc_malformed(w, "sets");
    return oc_runs(w, *session, "warmup_nanoseconds", warmup, false) && oc_runs(w, *session, "nanoseconds", iterations, true);
}

static bool oc_do_unload(oc_worker *w) {
    void **session;
    if (!oc_find(w, &session)) return false;
    w->backend->unload(*session);
    *session = NULL;
    return true;
}

static const struct {
    const char *request, *answer;
    bool (*perform)(oc_worker *w);
} OC_REQUESTS[] = {{"hello", "hello", oc_do_hello}, {"capabilities", "capabilities", oc_do_capabilities},
                   {"load", "loaded", oc_do_load},  {"run", "ran", oc_do_run},
                   {"bench", "benched", oc_do_bench}, {"unload", "unloaded", oc_do_unload},
                   {"shutdown", "bye", NULL}};

/* Replaces the answer by one that reports the error. */
static void oc_decline(oc_worker *w, const cJSON *id) {
    static const char *const reasons[] = {"malformed", "unknown_message", "unknown_session", "version", "too_long"};
    bool refused = false;
    for (size_t index = 0; index < sizeof reasons / sizeof *reasons; index++) refused |= !strcmp(w->error.kind, reasons[index]);
    cJSON_Delete(w->answer);
    w->answer = cJSON_CreateObject();
    w->blobs.size = 0;
    cJSON_AddNumberToObject(w->answer, "id", id->valuedouble);
    cJSON_AddStringToObject(w->answer, "answer", refused ? "refused" : "failed");
    cJSON *to = refused ? w->answer : cJSON_AddObjectToObject(w->answer, "error");
    cJSON_AddStringToObject(to, refused ? "reason" : "kind", w->error.kind);
    cJSON_AddStringToObject(to, "message", w->error.message);
    if (!strcmp(w->error.kind, "option")) cJSON_AddStringToObject(to, "option", "threads");
}

/* Answers the request. If `broken` has a kind, it is the answer to every request. */
static void oc_answer(oc_worker *w, const cJSON *id, const char *name, const oc_error *broken) {
    bool known = false, good = false;
    w->answer = cJSON_CreateObject();
    w->blobs.size = 0;
    cJSON_AddNumberToObject(w->answer, "id", id->valuedouble);
    w->error = *broken;
    for (size_t index = 0; index < sizeof OC_REQUESTS / sizeof *OC_REQUESTS && !broken->kind && !known; index++) {
        if (strcmp(name, OC_REQUESTS[index].request)) continue;
        known = true;
        cJSON_AddStringToObject(w->answer, "answer", OC_REQUESTS[index].answer);
        good = !OC_REQUESTS[index].perform || OC_REQUESTS[index].perform(w);
    }
    if (!known && !broken->kind) oc_fail(&w->error, "unknown_message", "message `%s` is unknown", name);
    if (good && w->blobs.size > OC_MAX_PAYLOAD) good = oc_fail(&w->error, "too_long", "%zu bytes of outputs", w->blobs.size);
    if (!good) oc_decline(w, id);
}

/* Reads exactly `count` bytes and appends a NUL; memory grows with the bytes received. */
static bool oc_read(FILE *source, oc_bytes *bytes, uint64_t count) {
    static unsigned char chunk[1 << 16];
    for (bytes->size = 0; bytes->size < count;) {
        size_t wanted = count - bytes->size < sizeof chunk ? (size_t)(count - bytes->size) : sizeof chunk;
        size_t got = fread(chunk, 1, wanted, source);
        oc_put(bytes, chunk, got);
        if (got < wanted) return false;
    }
    oc_put(bytes, "", 1);
    return true;
}

static void oc_write(FILE *sink, const cJSON *header, const oc_bytes *blobs) {
    char *text = cJSON_PrintUnformatted(header);
    unsigned char prelude[24] = "\x89ONXW\r\n\x1a\1";
    uint32_t length = (uint32_t)strlen(text);
    uint64_t payload = blobs->size;
    memcpy(prelude + 12, &length, 4);
    memcpy(prelude + 16, &payload, 8);
    fwrite(prelude, 1, sizeof prelude, sink);
    fwrite(text, 1, length, sink);
    if (blobs->size) fwrite(blobs->data, 1, blobs->size, sink);
    fflush(sink);
    free(text);
}

/* Opens the descriptor in an environment variable, or else a copy of `standard`, which becomes a copy of `instead`. */
static FILE *oc_channel(const char *variable, int standard, int instead, const char *mode) {
    const char *name = getenv(variable);
    int descriptor = name ? atoi(name) : dup(standard);
    if (!name) dup2(instead, standard);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
    return fdopen(descriptor, mode);
}

/* Ends the process ten seconds after the other side of the channel was closed, also during a run. */
static void *oc_watch(void *source) {
    struct pollfd channel = {.fd = fileno(source)};
    while (poll(&channel, 1, -1) < 0 && errno == EINTR) {}
    if (!(channel.revents & POLLHUP)) return NULL;
    sleep(10);
    _exit(4);
}

/* Serves the backend until `shutdown` or the end of the channel; returns the exit code of the process. */
static int oc_serve(const oc_backend *backend, int argc, char **argv) {
    oc_worker w = {.backend = backend, .threads = 1};
    oc_error broken = {0};
    oc_bytes prelude = {0}, header = {0}, payload = {0};
    for (int index = 1; index < argc; index += 2)
        if (strcmp(argv[index], "--opt") || index + 1 == argc || sscanf(argv[index + 1], "threads=%d", &w.threads) != 1 || w.threads < 1)
            oc_fail(&broken, "option", "unknown argument `%s`; the only option is --opt threads=N", argv[argc - 1]);
    FILE *source = oc_channel("ONNX_CONFORMANCE_FD_IN", 0, open("/dev/null", O_RDONLY), "rb");
    FILE *sink = oc_channel("ONNX_CONFORMANCE_FD_OUT", 1, 2, "wb");
    if (!source || !sink) return 2;
    pthread_t watch;
    if (!pthread_create(&watch, NULL, oc_watch, source)) pthread_detach(watch);
    if (!broken.kind) backend->start(w.threads, &broken);
    for (bool last = false; !last;) {
        uint32_t lengths[2];
        uint64_t blobs;
        if (!oc_read(source, &prelude, 24)) return prelude.size ? 3 : 0;
        memcpy(lengths, prelude.data + 8, 8);
        memcpy(&blobs, prelude.data + 16, 8);
        if (memcmp(prelude.data, "\x89ONXW\r\n\x1a", 8) || lengths[0] != 1 || lengths[1] > OC_MAX_HEADER || blobs > OC_MAX_PAYLOAD) return 3;
        if (!oc_read(source, &header, lengths[1]) || !oc_read(source, &payload, blobs)) return 3;
        cJSON *request = cJSON_Parse((const char *)header.data);
        const cJSON *id = cJSON_GetObjectItemCaseSensitive(request, "id");
        const char *name = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(request, "request"));
        if (!cJSON_IsNumber(id) || id->valuedouble < 0 || !name) return 3;
        w.request = request, w.payload = payload.data, w.left = (size_t)blobs;
        oc_answer(&w, id, name, &broken);
        oc_write(sink, w.answer, &w.blobs);
        last = !strcmp(name, "shutdown");
        cJSON_Delete(w.answer);
        cJSON_Delete(request);
    }
    return 0;
}

#endif
