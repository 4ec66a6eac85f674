/** Check of a complete file's format before it gets its name. */
import { readFileSync, statSync } from 'node:fs'
import { readGgufHeader } from '../../catalog/gguf-file.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { readOnnxGraph } from '../import/onnx-graph.ts'

/** Checks by file ending. Each throws FileError. Other files are accepted unchecked. */
const checks: Readonly<Record<string, (path: string) => unknown>> = {
  '.gguf': readGgufHeader,
  '.onnx': readOnnxGraph,
  '.json': readJson,
}

const jsonLimitBytes = 512 * 1024 * 1024

/** Throws FileError that completes "<file> …". `name` is the future name of the file at `path`. */
export function checkStructure(path: string, name: string): void {
  const ending = name.slice(name.lastIndexOf('.')).toLowerCase()
  if (Object.hasOwn(checks, ending)) checks[ending]?.(path)
}

function readJson(path: string): void {
  if (statSync(path).size > jsonLimitBytes) throw new FileError(`has more than ${jsonLimitBytes} bytes of JSON`)
  try {
    JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    throw new FileError('is not JSON')
  }
}
