import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { FileError } from '../../catalog/stat-file.ts'
import { piecesOf } from '../hash-file.ts'
import { dropFromCache } from '../libc.ts'
import { licensePath, partPath } from './layout.ts'
import type { BundleManifest } from './manifest.ts'
import { openOnMedium } from './medium.ts'

export interface BundleReport {
  /** Files that are on none of the disks. */
  readonly missing: readonly string[]
  /** Files that differ from the manifest, each with the reason. */
  readonly bad: readonly { readonly path: string; readonly reason: string }[]
  readonly checkedBytes: number
}

interface ListedFile {
  readonly path: string
  readonly sha256: string
  readonly bytes: number
}

export interface VerifyOptions {
  readonly signal?: AbortSignal | undefined
  readonly onBytes?: ((doneBytes: number, totalBytes: number) => void) | undefined
}

/** Returns every file of a bundle besides its manifest and signature. */
export function listedFiles({ blobs, licenses }: BundleManifest): ListedFile[] {
  return [
    ...licenses.map(({ name, sha256, bytes }) => ({ path: licensePath(name), sha256, bytes })),
    ...blobs.flatMap((blob) =>
      blob.parts.map((part, index) => ({ path: partPath(blob.sha256, index), sha256: part.sha256, bytes: part.bytes })),
    ),
  ]
}

/**
 * Reads every file of a bundle, which may lie on several disks, in little memory. The manifest must have been checked
 * before.
 */
export async function verifyBundle(
  roots: readonly string[],
  manifest: BundleManifest,
  { signal, onBytes }: VerifyOptions = {},
): Promise<BundleReport> {
  const files = listedFiles(manifest)
  const totalBytes = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const missing: string[] = []
  const bad: BundleReport['bad'][number][] = []
  let checkedBytes = 0
  for (const file of files) {
    let isFound = false
    for (const root of roots) {
      const problem = await problemOf(root, file, signal)
      if (problem === 'is missing') continue
      isFound = true
      checkedBytes += file.bytes
      if (problem !== undefined) bad.push({ path: file.path, reason: problem })
      onBytes?.(checkedBytes, totalBytes)
    }
    if (!isFound) missing.push(file.path)
  }
  return { missing, bad, checkedBytes }
}

async function problemOf(root: string, wanted: ListedFile, signal?: AbortSignal): Promise<string | undefined> {
  try {
    await using file = await openOnMedium(root, wanted.path)
    if (file === undefined) return 'is missing'
    return await contentProblem(file, wanted, signal)
  } catch (error) {
    if (error instanceof FileError) return error.message
    // Media report unreadable sectors by their own error codes.
    if (error instanceof Error && 'code' in error) return `cannot be read (${error.code})`
    throw error
  }
}

async function contentProblem(file: FileHandle, { bytes, sha256 }: ListedFile, signal?: AbortSignal) {
  const { size } = await file.stat()
  if (size !== bytes) return `has ${size} bytes, not ${bytes}`
  // Cached pages do not show the state of the disk.
  dropFromCache(file.fd, 0, size)
  const hash = createHash('sha256')
  let readBytes = 0
  for await (const piece of piecesOf(file, signal)) {
    hash.update(piece)
    readBytes += piece.length
    // The file may grow while it is read.
    if (readBytes > bytes) return `has more than ${bytes} bytes`
  }
  return hash.digest('hex') === sha256 ? undefined : 'is damaged: its content has another sum'
}
