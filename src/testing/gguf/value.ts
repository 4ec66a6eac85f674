/** One metadata value of a GGUF file, for the types that tokenizers and model headers use. */
export type GgufValue =
  | { readonly type: 'uint32' | 'int32' | 'float32'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'strings'; readonly values: readonly string[] }
  | { readonly type: 'int32s'; readonly values: Int32Array }
  | { readonly type: 'float32s'; readonly values: Float32Array }

export type GgufMetadata = ReadonlyMap<string, GgufValue>

/** Type numbers of the format's values. */
export const valueTypeCodes = { uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9 } as const

/** Type numbers of the tensors written here. */
export const tensorTypeCodes = { f32: 0, q4_0: 2, q8_0: 8 } as const

export type TensorType = keyof typeof tensorTypeCodes

/** Alignment of tensor data and of each tensor in bytes (the format's default). */
export const alignmentBytes = 32

/** Returns `sizeBytes` rounded up to the alignment. */
export function align(sizeBytes: number): number {
  return Math.ceil(sizeBytes / alignmentBytes) * alignmentBytes
}
