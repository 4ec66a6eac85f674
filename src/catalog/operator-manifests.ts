import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { LoadedManifest } from './join-manifests.ts'
import { ManifestError, parseManifest } from './parse-manifest.ts'

export interface ReadManifests {
  readonly manifests: readonly LoadedManifest[]
  readonly problems: readonly string[]
}

/** The folder of the operator's own manifests. */
export function operatorFolder(dataDir: string): string {
  return join(dataDir, 'models.d')
}

/** Reads `<data>/models.d/*.toml`, again whenever the folder or one of its files has changed. */
export class OperatorManifests {
  readonly #folder: string
  #fingerprint: string | undefined
  #files: readonly string[] = []

  constructor(dataDir: string) {
    this.#folder = operatorFolder(dataDir)
  }

  /** All manifests in order of their file names, or undefined when nothing has changed since the last call. */
  readIfChanged(): ReadManifests | undefined {
    const before = this.#fingerprint
    // The folder's time shows files that came or went, their own times the ones edited in place.
    if (before !== undefined && before === this.#takeFingerprint()) return undefined
    this.#files = listTomlFiles(this.#folder)
    this.#fingerprint = this.#takeFingerprint()
    const manifests: LoadedManifest[] = []
    const problems: string[] = []
    for (const file of this.#files) {
      try {
        manifests.push(readManifest(file))
      } catch (error) {
        problems.push(error instanceof Error ? error.message : String(error))
      }
    }
    return { manifests, problems }
  }

  #takeFingerprint(): string {
    return [this.#folder, ...this.#files]
      .map((path) => {
        const found = statSync(path, { throwIfNoEntry: false })
        return found === undefined ? '-' : `${found.mtimeMs}:${found.size}:${found.ino}`
      })
      .join(' ')
  }
}

function listTomlFiles(folder: string): string[] {
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) return []
  return readdirSync(folder)
    .filter((name) => name.endsWith('.toml') && !name.startsWith('.'))
    .sort()
    .map((name) => join(folder, name))
}

function readManifest(file: string): LoadedManifest {
  let content: unknown
  try {
    content = Bun.TOML.parse(readFileSync(file, 'utf8'))
  } catch (error) {
    throw new ManifestError(file, error instanceof Error ? error.message : String(error))
  }
  return { file, isShipped: false, manifest: parseManifest(file, content), addedAtMs: statSync(file).mtimeMs }
}
