import { type GgufMetadata, type GgufValue, valueTypeCodes } from './value.ts'

export interface GgufTensorInfo {
  readonly name: string
  readonly dimensions: readonly number[]
  /** Offsets in the file of the first dimension and of the data offset, each 64 bit. */
  readonly dimensionsPosition: number
  readonly offsetPosition: number
}

export interface GgufHeader {
  readonly metadata: GgufMetadata
  readonly tensors: readonly GgufTensorInfo[]
}

/**
 * Reads the header of a GGUF file made by a trusted program (llama.cpp's vocabulary files, our own fixtures). Throws if
 * the file is not GGUF v3 or uses a value type that neither has.
 */
export function readGguf(bytes: Uint8Array): GgufHeader {
  const reader = new Reader(bytes)
  if (reader.uint32() !== 0x46554747) throw new Error('not a GGUF file')
  const version = reader.uint32()
  if (version !== 3) throw new Error(`GGUF version ${version} is not supported, only 3`)
  const tensorCount = reader.uint64()
  const metadataCount = reader.uint64()
  const metadata = new Map<string, GgufValue>()
  for (let index = 0; index < metadataCount; index++) {
    const key = reader.string()
    metadata.set(key, readValue(reader, key))
  }
  const tensors: GgufTensorInfo[] = []
  for (let index = 0; index < tensorCount; index++) tensors.push(readTensorInfo(reader))
  return { metadata, tensors }
}

function readValue(reader: Reader, key: string): GgufValue {
  const code = reader.uint32()
  if (code === valueTypeCodes.uint32) return { type: 'uint32', value: reader.uint32() }
  if (code === valueTypeCodes.int32) return { type: 'int32', value: reader.int32() }
  if (code === valueTypeCodes.float32) return { type: 'float32', value: reader.float32() }
  if (code === valueTypeCodes.bool) return { type: 'bool', value: reader.uint8() !== 0 }
  if (code === valueTypeCodes.string) return { type: 'string', value: reader.string() }
  if (code === valueTypeCodes.array) return readArray(reader, key)
  throw new Error(`${key}: value type ${code} is not supported`)
}

function readArray(reader: Reader, key: string): GgufValue {
  const code = reader.uint32()
  const length = reader.uint64()
  if (code === valueTypeCodes.string) return { type: 'strings', values: Array.from({ length }, () => reader.string()) }
  if (code === valueTypeCodes.int32)
    return { type: 'int32s', values: Int32Array.from({ length }, () => reader.int32()) }
  if (code === valueTypeCodes.float32) {
    return { type: 'float32s', values: Float32Array.from({ length }, () => reader.float32()) }
  }
  throw new Error(`${key}: array of value type ${code} is not supported`)
}

function readTensorInfo(reader: Reader): GgufTensorInfo {
  const name = reader.string()
  const dimensionCount = reader.uint32()
  const dimensionsPosition = reader.position
  const dimensions = Array.from({ length: dimensionCount }, () => reader.uint64())
  reader.uint32()
  const offsetPosition = reader.position
  reader.uint64()
  return { name, dimensions, dimensionsPosition, offsetPosition }
}

class Reader {
  position = 0
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #decoder = new TextDecoder()

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1))
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true)
  }

  int32(): number {
    return this.#view.getInt32(this.#advance(4), true)
  }

  float32(): number {
    return this.#view.getFloat32(this.#advance(4), true)
  }

  uint64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8), true))
  }

  string(): string {
    const length = this.uint64()
    const start = this.#advance(length)
    return this.#decoder.decode(this.#bytes.subarray(start, start + length))
  }

  #advance(sizeBytes: number): number {
    const position = this.position
    this.position += sizeBytes
    return position
  }
}
