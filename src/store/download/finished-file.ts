/** Complete downloads: files already in place, and putting a new one there. */

import { readFileSync, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { readGgufHeader } from '../../catalog/gguf-file.ts'
import { FileError } from '../../catalog/stat-file.ts'
import { jsonIn } from '../../core/json.ts'
import type { Disk } from '../disk.ts'
import { renameDurably } from '../durable.ts'
import { type FileSums, hashFile } from '../hash-file.ts'
import { readOnnxGraph } from '../import/onnx-graph.ts'
import { ContentError, contentProblem, type Promised } from './check-content.ts'
import { discardPart, partPath } from './part-file.ts'
import type { ProgressReporter } from './progress-reporter.ts'

export interface FinishedFile {
  readonly target: string
  readonly disk: Disk
  readonly signal: AbortSignal
  readonly report: ProgressReporter
}

/** Returns the checksums of the file in place; undefined if there is none or it differs from the promise. */
export async function existingFile(
  { target, disk, signal, report }: FinishedFile,
  promised: Promised,
): Promise<FileSums | undefined> {
  const found = await stat(target).catch(() => undefined)
  if (found === undefined || !found.isFile() || found.size !== (promised.bytes ?? found.size)) return undefined
  report.begin('verify', 0, found.size)
  const sums = await hashFile(target, { signal, onBytes: (bytes) => report.set(bytes) })
  if ((await contentProblem(target, sums, promised)) !== undefined) return undefined
  await discardPart(target, disk)
  return sums
}

/** Returns whether the file was put in place since a time. */
export async function isNewerThan(target: string, timeMs: number): Promise<boolean> {
  return stat(target).then(
    ({ ctimeMs }) => ctimeMs >= timeMs,
    () => false,
  )
}

/**
 * Gives a complete part, flushed and hashed, its name. Throws ContentError, and removes the part, if its format is
 * wrong.
 */
export async function placePart({ target, disk }: FinishedFile, name: string): Promise<void> {
  try {
    checkStructure(partPath(target), name)
  } catch (error) {
    await discardPart(target, disk)
    throw error instanceof FileError ? new ContentError(`${name} ${error.message}`) : error
  }
  await renameDurably(partPath(target), target, disk)
  await discardPart(target, disk)
}

/** Checks by file ending. Each throws FileError. Other files are accepted unchecked. */
const checks: Readonly<Record<string, (path: string) => unknown>> = {
  '.gguf': readGgufHeader,
  '.onnx': readOnnxGraph,
  '.json': readJson,
}

const jsonLimitBytes = 512 * 1024 * 1024

/** Throws FileError that completes "<file> …". `name` is the future name of the file at `path`. */
function checkStructure(path: string, name: string): void {
  const ending = name.slice(name.lastIndexOf('.')).toLowerCase()
  if (Object.hasOwn(checks, ending)) checks[ending]?.(path)
}

function readJson(path: string): void {
  if (statSync(path).size > jsonLimitBytes) throw new FileError(`has more than ${jsonLimitBytes} bytes of JSON`)
  if (jsonIn(readFileSync(path, 'utf8')) === undefined) throw new FileError('is not JSON')
}
