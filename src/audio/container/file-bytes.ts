import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Bytes of a file, readable at any offset. */
export interface FileBytes {
  readonly sizeBytes: number
  /** Returns `length` bytes from `offset`, or fewer if the file ends before. */
  read(offset: number, length: number): DataView
}

/** Opens a file for reading at any offset. Throws the system's error if it cannot be opened or read. */
export function openFileBytes(path: string): FileBytes & Disposable {
  const descriptor = openSync(path, 'r')
  return {
    sizeBytes: fstatSync(descriptor).size,
    read: (offset, length) => {
      const bytes = new Uint8Array(length)
      return new DataView(bytes.buffer, 0, readSync(descriptor, bytes, 0, length, offset))
    },
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** Returns one character per byte; fewer if the bytes end before. */
export function latinText(view: DataView, offset: number, length: number): string {
  const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength)
  return Buffer.from(bytes.subarray(offset, offset + length)).toString('latin1')
}
