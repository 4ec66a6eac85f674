/** Whether a whole file is of the kind that its name says, before it gets its name. */
import { readFileSync, statSync } from 'node:fs'
import { readGgufHeader } from '../../catalog/gguf-file.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { readOnnxGraph } from '../import/onnx-graph.ts'

/** Each throws FileError. Files whose name ends otherwise are taken as they are. */
const checks: Readonly<Record<string, (path: string) => unknown>> = {
  '.gguf': readGgufHeader,
  '.onnx': readOnnxGraph,
  '.json': readJson,
}

const jsonLimitBytes = 512 * 1024 * 1024

/** Throws FileError, completing "<file> …". `name`: what the file at `path` will be called. */
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
