/* Tensors of onnx_conformance.h: element types, `TensorProto`, and errors. */
#ifndef ONNX_CONFORMANCE_TENSOR_H
#define ONNX_CONFORMANCE_TENSOR_H

#include <cjson/cJSON.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OC_MAX_RANK = 32, OC_TYPES = 29, OC_STRING = 8 };
#define OC_MAX_PAYLOAD ((uint64_t)2 << 30)

/* A tensor; `type` is the number in TensorProto.DataType, `data` its elements as in raw_data, of any alignment. */
typedef struct {
    const char *name;
    int type;
    size_t rank, size;
    int64_t dims[OC_MAX_RANK];
    const void *data;
} oc_tensor;

/* Why a request fails: a kind of the protocol ("unsupported", "load", "run", "missing") and a message. */
typedef struct {
    const char *kind;
    char message[4096];
} oc_error;

typedef struct {
    unsigned char *data;
    size_t size, room;
} oc_bytes;

/* The outputs of a run: their entries in the header, and their blobs. If `wanted` is NULL, all are sent. */
typedef struct {
    const cJSON *wanted;
    cJSON *entries;
    oc_bytes *blobs;
} oc_outputs;

static const char *const OC_NAMES[OC_TYPES] = {
    "", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool", "float16", "double", "uint32",
    "uint64", "complex64", "complex128", "bfloat16", "float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz",
    "uint4", "int4", "float4e2m1", "float8e8m0", "uint2", "int2", "float6e2m3", "float6e3m2"};
static const unsigned char OC_BITS[OC_TYPES] = {0,  32, 8,   8,  16, 16, 32, 64, 0, 8, 16, 64, 32, 64, 64,
                                                128, 16, 8, 8, 8, 8, 4, 4, 4, 8, 2, 2, 6, 6};

static bool oc_fail(oc_error *error, const char *kind, const char *format, ...) {
    va_list list;
    va_start(list, format);
    error->kind = kind;
    vsnprintf(error->message, sizeof error->message, format, list);
    va_end(list);
    for (char *at = error->message; *at; at++) *at = *at & 0x80 ? '?' : *at;
    return false;
}

static void *oc_resize(void *memory, size_t size) {
    void *grown = realloc(memory, size ? size : 1);
    if (grown) return grown;
    /* The harness recognizes this message. */
    fprintf(stderr, "memory allocation of %zu bytes failed\n", size);
    abort();
}

static void oc_put(oc_bytes *bytes, const void *data, size_t size) {
    if (bytes->room - bytes->size < size) bytes->data = oc_resize(bytes->data, bytes->room = 2 * (bytes->size + size));
    if (size) memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

static void oc_put_varint(oc_bytes *bytes, uint64_t value) {
    for (; value >= 0x80; value >>= 7) oc_put(bytes, &(unsigned char){(unsigned char)value | 0x80}, 1);
    oc_put(bytes, &(unsigned char){(unsigned char)value}, 1);
}

static bool oc_varint(const unsigned char **at, const unsigned char *end, uint64_t *value) {
    *value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        *value |= (uint64_t)(**at & 0x7f) << shift;
        if (!(*(*at)++ & 0x80)) return true;
    }
    return false;
}

/* The size of a tensor's elements in bytes; false if it exceeds the size of a payload. */
static bool oc_size(const oc_tensor *tensor, size_t *size) {
    uint64_t count = 1;
    for (size_t axis = 0; axis < tensor->rank; axis++) {
        if (tensor->dims[axis] < 0) return false;
        if (tensor->dims[axis] == 0) count = 0;
        if (count > OC_MAX_PAYLOAD * 8 / (uint64_t)(tensor->dims[axis] ? tensor->dims[axis] : 1)) return false;
        count *= (uint64_t)tensor->dims[axis];
    }
    *size = (size_t)((count * OC_BITS[tensor->type] + 7) / 8);
    return true;
}

/* Decodes a TensorProto with raw_data. Returns NULL, or the error. */
static const char *oc_decode(const unsigned char *at, size_t length, oc_tensor *tensor) {
    const unsigned char *end = at + length;
    uint64_t tag, value, type = 0;
    size_t size;
    for (const unsigned char *stop; at < end; at = stop) {
        if (!oc_varint(&at, end, &tag)) return "a field is truncated";
        int wire = tag & 7;
        value = wire == 1 ? 8 : 4;
        if ((wire == 0 || wire == 2) && !oc_varint(&at, end, &value)) return "a field is truncated";
        if (wire == 3 || wire == 4 || wire > 5 || (wire && value > (uint64_t)(end - at))) return "a field is truncated";
        stop = wire ? at + value : at;
        if (tag == 16) type = value;
        if (tag == 112 && value) return "external data is not allowed";
        if (tag == 74) tensor->data = at, tensor->size = (size_t)value;
        while (tag >> 3 == 1 && (wire == 0 || at < stop)) {
            if (wire && !oc_varint(&at, stop, &value)) return "the shape is truncated";
            if (tensor->rank == OC_MAX_RANK) return "the rank is above 32";
            tensor->dims[tensor->rank++] = (int64_t)value;
            if (wire == 0) break;
        }
    }
    if (type != (uint64_t)tensor->type) return "the element type is not that of the header";
    if (!oc_size(tensor, &size)) return "the shape is invalid";
    return size == tensor->size ? NULL : "the size of raw_data does not match the shape";
}

/* Adds an output. Copies `data`; computes `size` from type and shape. */
static bool oc_give(oc_outputs *outputs, const oc_tensor *tensor, oc_error *error) {
    size_t before = outputs->blobs->size, size;
    char type[64];
    bool wanted = !outputs->wanted;
    const cJSON *name;
    cJSON_ArrayForEach(name, outputs->wanted) wanted |= cJSON_IsString(name) && !strcmp(name->valuestring, tensor->name);
    if (!wanted) return true;
    if (tensor->type < 1 || tensor->type >= OC_TYPES || tensor->type == OC_STRING)
        return oc_fail(error, "unsupported", "output `%s` of element type %d", tensor->name, tensor->type);
    if (!oc_size(tensor, &size)) return oc_fail(error, "run", "output `%s` has an invalid shape", tensor->name);
    for (size_t axis = 0; axis < tensor->rank; axis++) {
        oc_put(outputs->blobs, "\x08", 1);
        oc_put_varint(outputs->blobs, (uint64_t)tensor->dims[axis]);
    }
    oc_put(outputs->blobs, "\x10", 1);
    oc_put_varint(outputs->blobs, (uint64_t)tensor->type);
    oc_put(outputs->blobs, "\x4a", 1);
    oc_put_varint(outputs->blobs, size);
    oc_put(outputs->blobs, tensor->data, size);
    snprintf(type, sizeof type, "tensor(%s)", OC_NAMES[tensor->type]);
    cJSON *entry = cJSON_CreateObject();
    cJSON_AddStringToObject(entry, "name", tensor->name);
    cJSON_AddStringToObject(entry, "type", type);
    cJSON_AddNumberToObject(entry, "bytes", (double)(outputs->blobs->size - before));
    return cJSON_AddItemToArray(outputs->entries, entry);
}

#endif
