/** Metadata of a model's file, which ONNX Runtime's binding does not expose. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { readField, readFields } from './protobuf.ts'

/** Field number of `metadata_props` in ONNX's `ModelProto`, each a message with a key (1) and a value (2). */
const metadataField = 14
/** Most bytes of a tag and a length. */
const headBytes = 20
/** Most bytes of an entry: a name and a line of text. */
const entryLimitBytes = 65_536

/** Reads the entries and skips the graph, however large. Throws if the file is missing or no ONNX model. */
export function readModelMetadata(path: string): ReadonlyMap<string, string> {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const metadata = new Map<string, string>()
    const read = (at: number, length: number) => {
      const bytes = Buffer.alloc(Math.min(length, size - at))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, at))
    }
    for (let at = 0; at < size; ) {
      const { number, start, end } = readField(read(at, headBytes), 0)
      const length = end - start
      if (number === metadataField && length <= entryLimitBytes) {
        const { key, value } = readEntry(read(at + start, length))
        metadata.set(key, value)
      }
      at += end
    }
    return metadata
  } finally {
    closeSync(file)
  }
}

function readEntry(bytes: Buffer): { readonly key: string; readonly value: string } {
  const texts = new Map<number, string>()
  for (const { number, start, end } of readFields(bytes)) texts.set(number, bytes.toString('utf8', start, end))
  return { key: texts.get(1) ?? '', value: texts.get(2) ?? '' }
}
