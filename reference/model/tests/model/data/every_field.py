"""Writes model.bin and sequence.bin: messages in which every field of every ONNX message is set.

Run it with the `onnx` package of the release that `src/proto` implements. messages.rs reads the files.
"""

import itertools
import pathlib

import onnx
import onnx.onnx_data_pb2
from google.protobuf.descriptor import FieldDescriptor

counter = itertools.count(1)


def scalar(field):
    """Returns a value that no other field has."""
    number = next(counter)
    if field.type == FieldDescriptor.TYPE_STRING:
        return f"{field.name} {number}"
    if field.type == FieldDescriptor.TYPE_BYTES:
        return f"{field.name} {number}".encode() + b"\xff"
    if field.type == FieldDescriptor.TYPE_ENUM:
        return field.enum_type.values[-1].number
    return number


def fill(message, around=(), chosen=None):
    """Sets every field: of a oneof only the chosen one, and of a message nested in its own type only scalar fields."""
    for field in message.DESCRIPTOR.fields:
        if field.containing_oneof and chosen not in (None, field.name):
            continue
        if field.message_type is None:
            if field.is_repeated:
                getattr(message, field.name).extend([scalar(field), scalar(field)])
            else:
                setattr(message, field.name, scalar(field))
        elif message.DESCRIPTOR.full_name not in around:
            inside = (*around, message.DESCRIPTOR.full_name)
            alternatives = [choice.name for oneof in field.message_type.oneofs for choice in oneof.fields] or [None]
            if field.is_repeated:
                for alternative in alternatives:
                    fill(getattr(message, field.name).add(), inside, alternative)
            else:
                getattr(message, field.name).SetInParent()
                fill(getattr(message, field.name), inside, alternatives[0])


for name, message in [("model", onnx.ModelProto()), ("sequence", onnx.onnx_data_pb2.SequenceProto())]:
    fill(message)
    folder = pathlib.Path(__file__).parent
    (folder / f"{name}.bin").write_bytes(message.SerializeToString(deterministic=True))
