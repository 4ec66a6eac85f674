/** `lock.json` in a model's folder: which files belong to the model, what they contain, where they came from. */

/** Files are hashed in pieces of this size, so that a damaged one is repaired by its pieces. */
export const chunkBytes = 64 * 1024 * 1024

export interface LockedFile {
  readonly role: string
  /** Path below the model's folder. */
  readonly name: string
  readonly bytes: number
  readonly sha256: string
  /** Of each 64 MiB, the last one shorter. */
  readonly chunkSha256: readonly string[]
  /** Where it came from, without secrets: `hf:org/repo/path`, an address, a path. */
  readonly source: string
  readonly commit?: string | undefined
  /** When the whole content was last compared with `sha256`, milliseconds UTC. */
  readonly verifiedAtMs: number
  /** The file's state at that time: a difference means that somebody changed it. */
  readonly stat: { readonly mtimeMs: number; readonly inode: number }
}

export interface ModelLock {
  readonly format: 1
  readonly modelId: string
  readonly license?: string | undefined
  readonly files: readonly LockedFile[]
}

/** Beside the files that it lists. */
export const lockName = 'lock.json'
