import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { dirname } from 'node:path'
import { applyEdit, type GraphEdit } from './graph-edit.ts'
import { type OnnxSession, openSession, type SessionOptions } from './onnx-runtime.ts'

/** Returns the edit of a model's content. Undefined for none. */
type Edit = (content: Uint8Array) => GraphEdit | undefined

/** Most bytes that can be appended. */
const roomBytes = 2 ** 20

/**
 * Opens a model with its edited graph. If that fails for any reason, opens the file unchanged, or throws ONNX
 * Runtime's error. The session's outputs show which of the two was opened.
 */
export function openEdited(options: SessionOptions & { readonly modelPath: string }, edit: Edit): OnnxSession {
  let edited: EditedModel | undefined
  try {
    edited = readEdited(options.modelPath, edit)
    if (edited !== undefined) {
      const { content, remark } = edited
      const weightsFolder = dirname(options.modelPath)
      return { ...openSession({ ...options, modelPath: content, weightsFolder }), remark }
    }
  } catch {
    // Opening the unchanged file shows whether the file is at fault.
  } finally {
    edited?.content.buffer.transfer(0) // frees the copy early; ONNX Runtime has its own
  }
  return openSession(options)
}

interface EditedModel extends Pick<GraphEdit, 'remark'> {
  readonly content: Uint8Array<ArrayBuffer>
}

/** Reads a file and applies the edit. Undefined if there is none. */
function readEdited(path: string, edit: Edit): EditedModel | undefined {
  const file = openSync(path, 'r')
  try {
    const { size } = fstatSync(file)
    const bytes = new Uint8Array(size + roomBytes)
    for (let at = 0; at < size; ) {
      const count = readSync(file, bytes, at, size - at, at)
      if (count === 0) throw new Error(`${path} became shorter while it was read`)
      at += count
    }
    const change = edit(bytes.subarray(0, size))
    return change === undefined ? undefined : { content: applyEdit(bytes, size, change), remark: change.remark }
  } finally {
    closeSync(file)
  }
}
