import { readdirSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../core/error-text.ts'
import type { ModelManifest } from '../core/model.ts'
import type { LoadedManifest, ManifestProblem } from './join-manifests.ts'
import { type ManifestAuthor, ManifestError, parseManifest } from './parse-manifest.ts'
import { FileError, readRegularFile, statFile, unreadable } from './stat-file.ts'
import { withKeyFileOf } from './upstream-of.ts'

export interface ReadManifests {
  readonly manifests: readonly LoadedManifest[]
  readonly problems: readonly ManifestProblem[]
}

/** Largest manifest; real ones have a few kB. */
const maximumBytes = 1024 * 1024

/** Returns the folder of the operator's own manifests. */
export function operatorFolder(dataDir: string): string {
  return join(dataDir, 'models.d')
}

/** Returns the path of an import's manifest. The id is URL-encoded so that no two ids share a file. */
export function importedManifestPath(dataDir: string, id: string): string {
  return join(operatorFolder(dataDir), `${encodeURIComponent(id)}.toml`)
}

/** Reads the `*.toml` of a folder, again whenever the folder or one of its files has changed. */
export class OperatorManifests {
  readonly #folder: string
  #fingerprint: string | undefined
  #files: readonly string[] = []

  constructor(folder: string) {
    this.#folder = folder
  }

  /**
   * Returns all manifests by file name; undefined if nothing has changed since the last call. Never throws or waits:
   * unreadable files are problems.
   */
  readIfChanged(): ReadManifests | undefined {
    const before = this.#fingerprint
    // The folder's time changes when a file is added or removed, a file's own time when it is edited in place.
    if (before !== undefined && before === this.#takeFingerprint()) return undefined
    const manifests: LoadedManifest[] = []
    const problems: ManifestProblem[] = []
    try {
      this.#files = listTomlFiles(this.#folder)
    } catch (error) {
      this.#files = []
      problems.push({ file: this.#folder, reason: unreadable(error).message })
    }
    this.#fingerprint = this.#takeFingerprint()
    for (const file of this.#files) {
      try {
        manifests.push(readManifest(file, 'operator'))
      } catch (error) {
        problems.push({ file, reason: reasonOf(error) })
      }
    }
    return { manifests, problems }
  }

  /** Returns the times of changes to content and permissions. */
  #takeFingerprint(): string {
    return [this.#folder, ...this.#files]
      .map((path) => {
        const found = statFile(path)
        if (found instanceof FileError) return found.message
        return found === undefined ? '-' : `${found.ctimeMs}:${found.size}:${found.ino}`
      })
      .join(' ')
  }
}

function listTomlFiles(folder: string): string[] {
  if (statFile(folder) === undefined) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.toml') && !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name))
}

/** Reads a manifest of imported files, or returns the problem with it. */
export function readManifestFile(file: string): { readonly manifest: ModelManifest } | { readonly problem: string } {
  try {
    return { manifest: readManifest(file, 'anyone').manifest }
  } catch (error) {
    return { problem: reasonOf(error) }
  }
}

function readManifest(file: string, author: ManifestAuthor): LoadedManifest {
  const { text, changedMs } = readRegularFile(file, (descriptor, { mtimeMs }) => ({
    text: readText(descriptor),
    changedMs: mtimeMs,
  }))
  const content: unknown = Bun.TOML.parse(text)
  return {
    file,
    isShipped: false,
    manifest: withKeyFileOf(parseManifest(file, content, author), file),
    addedAtMs: changedMs,
  }
}

function readText(descriptor: number): string {
  const bytes = new Uint8Array(maximumBytes + 1)
  let filled = 0
  for (;;) {
    const count = readSync(descriptor, bytes, filled, bytes.length - filled, filled)
    filled += count
    if (filled > maximumBytes) throw new FileError(`is larger than ${maximumBytes / 1024} kB`)
    if (count === 0) break
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, filled))
  } catch {
    throw new FileError('is not text in UTF-8')
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof ManifestError) return error.problem
  return errorText(error)
}
