/** Whether a whole file is of the kind that its name says, before it gets its name. */
import { openSync, closeSync, readFileSync, statSync, readSync } from 'node:fs'
import { parseGgufHeader } from '../../catalog/gguf-header.ts'
import { FileError } from '../../catalog/stat-file.ts'

const jsonLimitBytes = 512 * 1024 * 1024

/** By the end of the name; other files are taken as they are. */
const checks: readonly (readonly [ending: string, check: (path: string) => void])[] = [
  ['.gguf', checkGguf],
  ['.json', checkJson],
  ['.onnx', checkOnnx],
]

/** Throws FileError, completing "<file> …". `name`: what the file at `path` will be called. */
export function checkStructure(path: string, name: string): void {
  checks.find(([ending]) => name.toLowerCase().endsWith(ending))?.[1](path)
}

function checkGguf(path: string): void {
  withFile(path, (sizeBytes, read) => parseGgufHeader({ sizeBytes, read }))
}

function checkJson(path: string): void {
  if (statSync(path).size > jsonLimitBytes) throw new FileError(`has more than ${jsonLimitBytes} bytes of JSON`)
  try {
    JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new FileError('is not JSON')
  }
}

/** Field of the graph in an ONNX model. */
const graphField = 7

/** The fields of the outermost message must end exactly with the file, and one must be a graph. */
function checkOnnx(path: string): void {
  withFile(path, (sizeBytes, read) => {
    let hasGraph = false
    let offset = 0
    const number = () => {
      let value = 0
      for (let shift = 0; shift < 64; shift += 7) {
        if (offset >= sizeBytes) throw new FileError('is no ONNX model, or is cut short')
        const byte = read(offset++, 1)[0] ?? 0
        value += (byte & 127) * 2 ** shift
        if (byte < 128) return value
      }
      throw new FileError('is no ONNX model')
    }
    while (offset < sizeBytes) {
      const key = number()
      const [field, kind] = [Math.floor(key / 8), key % 8]
      if (kind === 0) number()
      else if (kind === 2) offset += number()
      else throw new FileError('is no ONNX model')
      if (offset > sizeBytes) throw new FileError('is cut short')
      hasGraph ||= field === graphField
    }
    if (!hasGraph) throw new FileError('is no ONNX model: it has no graph')
  })
}

function withFile(
  path: string,
  check: (sizeBytes: number, read: (offset: number, length: number) => Uint8Array) => void,
) {
  const file = openSync(path, 'r')
  try {
    check(statSync(path).size, (offset, length) => {
      const bytes = new Uint8Array(length)
      let filled = 0
      while (filled < length) {
        const count = readSync(file, bytes, filled, length - filled, offset + filled)
        if (count === 0) throw new FileError('became shorter while it was read')
        filled += count
      }
      return bytes
    })
  } finally {
    closeSync(file)
  }
}
