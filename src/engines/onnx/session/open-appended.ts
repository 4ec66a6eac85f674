import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { type OnnxSession, openSession, type SessionOptions } from './onnx-runtime.ts'

/** Returns bytes that belong behind the content of a model, undefined where nothing does. */
export type Append = (content: Uint8Array) => Uint8Array | undefined

/** Bytes that can be appended. */
const roomBytes = 65_536

/**
 * Opens a model with more nodes than its file has. Where that fails for whatever reason, opens the file as it is, or throws what ONNX
 * Runtime says of it: whoever asks looks at the outputs for what was appended.
 */
export function openAppended(options: SessionOptions & { readonly modelPath: string }, append: Append): OnnxSession {
  try {
    const content = appendTo(options.modelPath, append)
    const weightsFolder = dirname(options.modelPath)
    if (content !== undefined) return openSession({ ...options, modelPath: content, weightsFolder })
  } catch {
    // The file alone shows whether it is at fault.
  }
  return openSession(options)
}

/** Reads a file into memory once. */
function appendTo(path: string, append: Append): Uint8Array | undefined {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = new Uint8Array(size + roomBytes)
    for (let at = 0; at < size; ) {
      const count = readSync(file, bytes, at, size - at, at)
      if (count === 0) throw new Error(`${path} became shorter while it was read`)
      at += count
    }
    const appended = append(bytes.subarray(0, size))
    if (appended === undefined) return undefined
    bytes.set(appended, size)
    return bytes.subarray(0, size + appended.length)
  } finally {
    closeSync(file)
  }
}
