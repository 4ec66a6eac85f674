/** A file that the executable carries, zstd-compressed. */
export interface EmbeddedFile {
  /** Path inside the runtime folder, which has the layout of a checkout. */
  readonly path: string
  /** Path of the compressed bytes inside the executable. Files of equal content share one. */
  readonly source: string
  readonly sizeBytes: number
  /** Checksum of the content, in hexadecimal digits. */
  readonly sha256: string
}

export interface EmbeddedFiles {
  /** Changes with any path or content. */
  readonly contentHash: string
  readonly files: readonly EmbeddedFile[]
}

/** Returns the embedded files; undefined in development. `scripts/build.ts` replaces this module by a generated one. */
export function embeddedFiles(): EmbeddedFiles | undefined {
  return undefined
}
