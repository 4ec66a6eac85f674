import { unreachable } from '../../core/unreachable.ts'
import { ByteWriter } from './byte-writer.ts'
import type { TensorPlan } from './tensor.ts'
import { tensorSizeBytes } from './tensor.ts'
import { align, alignmentBytes, type GgufMetadata, type GgufValue, tensorTypeCodes, valueTypeCodes } from './value.ts'

/** Returns a GGUF v3 file up to the tensor data: header, metadata, tensor table, padding. */
export function encodeHeader(metadata: GgufMetadata, tensors: readonly TensorPlan[]): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter()
  writer.raw(new TextEncoder().encode('GGUF'))
  writer.uint32(3)
  writer.uint64(tensors.length)
  writer.uint64(metadata.size)
  for (const [key, value] of metadata) {
    writer.string(key)
    encodeValue(writer, value)
  }
  let dataOffset = 0
  for (const tensor of tensors) {
    writer.string(tensor.name)
    writer.uint32(tensor.dimensions.length)
    for (const dimension of tensor.dimensions) writer.uint64(dimension)
    writer.uint32(tensorTypeCodes[tensor.type])
    writer.uint64(dataOffset)
    dataOffset += align(tensorSizeBytes(tensor))
  }
  writer.pad(alignmentBytes)
  return writer.finish()
}

function encodeValue(writer: ByteWriter, value: GgufValue): void {
  switch (value.type) {
    case 'uint32':
    case 'int32':
    case 'float32':
      writer.uint32(valueTypeCodes[value.type])
      writer[value.type](value.value)
      return
    case 'bool':
      writer.uint32(valueTypeCodes.bool)
      writer.uint8(value.value ? 1 : 0)
      return
    case 'string':
      writer.uint32(valueTypeCodes.string)
      writer.string(value.value)
      return
    case 'strings':
      startArray(writer, valueTypeCodes.string, value.values.length)
      for (const text of value.values) writer.string(text)
      return
    case 'int32s':
      startArray(writer, valueTypeCodes.int32, value.values.length)
      for (const number of value.values) writer.int32(number)
      return
    case 'float32s':
      startArray(writer, valueTypeCodes.float32, value.values.length)
      for (const number of value.values) writer.float32(number)
      return
    default:
      unreachable(value)
  }
}

function startArray(writer: ByteWriter, elementCode: number, length: number): void {
  writer.uint32(valueTypeCodes.array)
  writer.uint32(elementCode)
  writer.uint64(length)
}
