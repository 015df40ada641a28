/* A worker over the C interface of ONNX Runtime. It loads the library `ORT_DYLIB_PATH`, or else `libonnxruntime.so`.
 * The header comes from a package (README.md); the library must have its version or a newer one. */
#include <dlfcn.h>
#include <onnxruntime_c_api.h>

#include "onnx_conformance.h"

/* Up to this one, element types of ONNX Runtime have the numbers of TensorProto.DataType. */
enum { LAST_COMMON_TYPE = 22 };

static const OrtApi *ort;
static OrtEnv *env;
static OrtSessionOptions *options;
static OrtMemoryInfo *memory;
static OrtAllocator *allocator;
static oc_backend backend;

/* A model with the inputs and outputs of the current run. */
typedef struct {
    OrtSession *session;
    size_t inputs, outputs, fed;
    char **input_names, **output_names;
    const char **feeds;
    OrtValue **values, **found;
    void **copies;
} model_t;

/* Whether a call succeeded. ONNX Runtime's code "not implemented" becomes `unsupported`. */
static bool check(OrtStatus *status, const char *stage, oc_error *error) {
    if (!status) return true;
    bool typed = ort->GetErrorCode(status) == ORT_NOT_IMPLEMENTED;
    oc_fail(error, typed ? "unsupported" : stage, "%s", ort->GetErrorMessage(status));
    ort->ReleaseStatus(status);
    return false;
}

static bool start(int threads, oc_error *error) {
    const char *path = getenv("ORT_DYLIB_PATH");
    void *library = dlopen(path ? path : "libonnxruntime.so", RTLD_NOW);
    if (!library) return oc_fail(error, "missing", "%s; set ORT_DYLIB_PATH to the library", dlerror());
    const OrtApiBase *(*base)(void);
    *(void **)&base = dlsym(library, "OrtGetApiBase");
    if (!base) return oc_fail(error, "missing", "%s is not ONNX Runtime", path);
    ort = base()->GetApi(ORT_API_VERSION);
    backend.version = base()->GetVersionString();
    if (!ort) return oc_fail(error, "missing", "ONNX Runtime %s lacks interface version %d", backend.version, ORT_API_VERSION);
    return check(ort->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "worker", &env), "missing", error) &&
           check(ort->CreateSessionOptions(&options), "missing", error) &&
           check(ort->SetIntraOpNumThreads(options, threads), "missing", error) &&
           check(ort->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &memory), "missing", error) &&
           check(ort->GetAllocatorWithDefaultOptions(&allocator), "missing", error);
}

static void clear(void *session) {
    model_t *model = session;
    for (size_t index = 0; index < model->fed; index++) {
        ort->ReleaseValue(model->values[index]);
        free(model->copies[index]);
    }
    for (size_t index = 0; index < model->outputs; index++) {
        if (model->found[index]) ort->ReleaseValue(model->found[index]);
        model->found[index] = NULL;
    }
    model->fed = 0;
}

static void unload(void *session) {
    model_t *model = session;
    clear(model);
    for (size_t index = 0; index < model->inputs; index++) allocator->Free(allocator, model->input_names[index]);
    for (size_t index = 0; index < model->outputs; index++) allocator->Free(allocator, model->output_names[index]);
    ort->ReleaseSession(model->session);
    free(model->input_names), free(model->output_names), free(model->feeds);
    free(model->values), free(model->found), free(model->copies), free(model);
}

static void *zeros(size_t count) { return memset(oc_resize(NULL, count * sizeof(void *)), 0, count * sizeof(void *)); }

static bool read_names(model_t *model, oc_error *error) {
    size_t inputs, outputs;
    if (!check(ort->SessionGetInputCount(model->session, &inputs), "load", error)) return false;
    if (!check(ort->SessionGetOutputCount(model->session, &outputs), "load", error)) return false;
    model->input_names = zeros(inputs), model->feeds = zeros(inputs), model->values = zeros(inputs);
    model->copies = zeros(inputs), model->output_names = zeros(outputs), model->found = zeros(outputs);
    for (; model->inputs < inputs; model->inputs++) {
        char **name = &model->input_names[model->inputs];
        if (!check(ort->SessionGetInputName(model->session, model->inputs, allocator, name), "load", error)) return false;
    }
    for (; model->outputs < outputs; model->outputs++) {
        char **name = &model->output_names[model->outputs];
        if (!check(ort->SessionGetOutputName(model->session, model->outputs, allocator, name), "load", error)) return false;
    }
    return true;
}

static void *load(const void *data, size_t size, oc_error *error) {
    model_t *model = memset(oc_resize(NULL, sizeof *model), 0, sizeof *model);
    if (!check(ort->CreateSessionFromArray(env, data, size, options, &model->session), "load", error)) {
        free(model);
        return NULL;
    }
    if (read_names(model, error)) return model;
    unload(model);
    return NULL;
}

/* Makes a value from an input. Its bytes are copied, because ONNX Runtime requires alignment and keeps the pointer. */
static bool feed(void *session, const oc_tensor *input, oc_error *error) {
    model_t *model = session;
    size_t at = model->fed, known = 0;
    while (known < model->inputs && strcmp(model->input_names[known], input->name)) known++;
    if (known == model->inputs || at == model->inputs) return oc_fail(error, "run", "the model has no input `%s`", input->name);
    if (input->type > LAST_COMMON_TYPE) return oc_fail(error, "unsupported", "element type %s", OC_NAMES[input->type]);
    model->copies[at] = memcpy(oc_resize(NULL, input->size), input->data, input->size);
    OrtStatus *status = ort->CreateTensorWithDataAsOrtValue(memory, model->copies[at], input->size, input->dims, input->rank,
                                                            (ONNXTensorElementDataType)input->type, &model->values[at]);
    if (!check(status, "run", error)) {
        free(model->copies[at]);
        return false;
    }
    model->feeds[model->fed++] = model->input_names[known];
    return true;
}

static bool run(void *session, oc_error *error) {
    model_t *model = session;
    OrtStatus *status = ort->Run(model->session, NULL, model->feeds, (const OrtValue *const *)model->values, model->fed,
                                 (const char *const *)model->output_names, model->outputs, model->found);
    return check(status, "run", error);
}

/* Describes an output that is a tensor of a common element type. */
static bool describe(OrtValue *value, oc_tensor *tensor, oc_error *error) {
    OrtTensorTypeAndShapeInfo *info;
    ONNXTensorElementDataType type;
    int is_tensor = 0;
    void *data = NULL;
    if (!value || !check(ort->IsTensor(value, &is_tensor), "run", error) || !is_tensor)
        return oc_fail(error, "unsupported", "output `%s` is not a tensor", tensor->name);
    if (!check(ort->GetTensorTypeAndShape(value, &info), "run", error)) return false;
    bool good = check(ort->GetTensorElementType(info, &type), "run", error) &&
                check(ort->GetDimensionsCount(info, &tensor->rank), "run", error) &&
                (tensor->rank <= OC_MAX_RANK || oc_fail(error, "unsupported", "a rank of %zu", tensor->rank)) &&
                check(ort->GetDimensions(info, tensor->dims, tensor->rank), "run", error);
    ort->ReleaseTensorTypeAndShapeInfo(info);
    if (!good) return false;
    if ((int)type > LAST_COMMON_TYPE || (int)type == OC_STRING)
        return oc_fail(error, "unsupported", "output `%s` of ONNX Runtime's element type %d", tensor->name, (int)type);
    tensor->type = (int)type;
    if (!check(ort->GetTensorMutableData(value, &data), "run", error)) return false;
    tensor->data = data;
    return true;
}

static bool give(void *session, oc_outputs *outputs, oc_error *error) {
    model_t *model = session;
    for (size_t index = 0; index < model->outputs; index++) {
        oc_tensor tensor = {.name = model->output_names[index]};
        if (!describe(model->found[index], &tensor, error) || !oc_give(outputs, &tensor, error)) return false;
    }
    return true;
}

static oc_backend backend = {"onnxruntime-c", "", start, load, clear, feed, run, give, unload};

int main(int argc, char **argv) { return oc_serve(&backend, argc, argv); }
