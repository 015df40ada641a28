// Conversion of tensors between `TensorProto` and the parts of ONNX Runtime's JavaScript tensors.
import protobuf from "protobufjs/light.js";

import { failed, refused } from "./errors.js";

const numbers = (id, type) => ({ id, type, rule: "repeated", options: { packed: true } });
const FIELDS = {
  dims: { id: 1, type: "int64", rule: "repeated" },
  dataType: { id: 2, type: "int32" },
  floatData: numbers(4, "float"),
  int32Data: numbers(5, "int32"),
  stringData: { id: 6, type: "bytes", rule: "repeated" },
  int64Data: numbers(7, "int64"),
  name: { id: 8, type: "string" },
  rawData: { id: 9, type: "bytes" },
  doubleData: numbers(10, "double"),
  uint64Data: numbers(11, "uint64"),
  dataLocation: { id: 14, type: "int32" },
};
const TensorProto = protobuf.Root.fromJSON({ nested: { TensorProto: { fields: FIELDS } } }).lookupType("TensorProto");

// Name in `tensor(…)`; number in TensorProto.DataType; name in ONNX Runtime; array class; bits; typed field.
const ROWS = [
  ["float", 1, "float32", Float32Array, 32, "floatData"],
  ["uint8", 2, "uint8", Uint8Array, 8, "int32Data"],
  ["int8", 3, "int8", Int8Array, 8, "int32Data"],
  ["uint16", 4, "uint16", Uint16Array, 16, "int32Data"],
  ["int16", 5, "int16", Int16Array, 16, "int32Data"],
  ["int32", 6, "int32", Int32Array, 32, "int32Data"],
  ["int64", 7, "int64", BigInt64Array, 64, "int64Data"],
  ["string", 8, "string", Array, 0, "stringData"],
  ["bool", 9, "bool", Uint8Array, 8, "int32Data"],
  ["float16", 10, "float16", Uint16Array, 16, "int32Data"],
  ["double", 11, "float64", Float64Array, 64, "doubleData"],
  ["uint32", 12, "uint32", Uint32Array, 32, "uint64Data"],
  ["uint64", 13, "uint64", BigUint64Array, 64, "uint64Data"],
  ["uint4", 21, "uint4", Uint8Array, 4, "int32Data"],
  ["int4", 22, "int4", Uint8Array, 4, "int32Data"],
];
const TYPES = ROWS.map(([name, number, ort, array, bits, field]) => ({ name, number, ort, array, bits, field }));

/** Decodes a tensor of this type: its name in ONNX Runtime, its extents and its elements. */
export function decode(name, typeText, blob) {
  const element = /^tensor\((\w+)\)$/.exec(typeText)?.[1];
  const type = TYPES.find((row) => row.name === element);
  if (!type) throw failed("unsupported", `values of type ${typeText}, which JavaScript tensors do not have`);
  const bad = (problem) => refused("malformed", `value \`${name}\`: ${problem}`);
  let proto;
  try {
    proto = TensorProto.decode(blob);
  } catch (error) {
    throw bad(`the bytes are not a TensorProto: ${error.message}`);
  }
  const dims = proto.dims.map(Number);
  const count = dims.reduce((product, extent) => product * extent, 1);
  if (proto.dataType !== type.number || proto.dataLocation) throw bad(`element type ${proto.dataType}`);
  if (!Number.isSafeInteger(count) || dims.some((extent) => extent < 0)) throw bad(`the shape ${dims}`);
  const data = elements(type, proto, Math.ceil((count * type.bits) / 8));
  if (data === null || (type.bits === 0 && data.length !== count)) throw bad(`the elements do not match the shape ${dims}`);
  return { type: type.ort, dims, data };
}

function elements(type, proto, bytes) {
  if (type.name === "string") return proto.stringData.map((text) => Buffer.from(text).toString("utf8"));
  const big = type.array === BigInt64Array || type.array === BigUint64Array;
  const stored = proto[type.field].map((one) => (big ? BigInt(one.toString()) : Number(one)));
  const raw = stored.length > 0 ? type.array.from(stored) : proto.rawData;
  if (raw.byteLength !== bytes) return null;
  return new type.array(Uint8Array.from(new Uint8Array(raw.buffer, raw.byteOffset, bytes)).buffer);
}

/** Encodes a tensor of the runtime: the text of its type, and its blob. */
export function encode(name, tensor) {
  const type = TYPES.find((row) => row.ort === tensor.type);
  if (!type) throw failed("unsupported", `output \`${name}\` of type ${tensor.type}`);
  const proto = { name, dims: tensor.dims, dataType: type.number };
  if (type.name === "string") proto.stringData = tensor.data.map((text) => Buffer.from(text));
  else proto.rawData = new Uint8Array(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength);
  return { type: `tensor(${type.name})`, blob: TensorProto.encode(proto).finish() };
}
