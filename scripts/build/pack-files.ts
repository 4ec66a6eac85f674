import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedFiles } from '../../src/engines/runtime/embedded-files.ts'
import { fileHash, type RuntimeFile } from './runtime-files.ts'

/** Level at which 77 MB of libraries become 18 MB. Higher levels save a few percent more and take minutes. */
const compressionLevel = 12

/**
 * Compresses each distinct content once into `folder`, by hash and kept between builds. Returns the table, whose
 * `source` is still a path on this disk.
 */
export function packFiles(files: readonly RuntimeFile[], folder: string): EmbeddedFiles {
  mkdirSync(folder, { recursive: true })
  const hasher = new Bun.CryptoHasher('sha256')
  const used = new Set<string>()
  const packed = files.map(({ path, source }) => {
    const hash = fileHash(source)
    hasher.update(`${path}\n${hash}\n`)
    const name = `${hash}.zst`
    used.add(name)
    compress(source, join(folder, name))
    return { path, source: join(folder, name), sizeBytes: statSync(source).size, sha256: hash }
  })
  for (const name of readdirSync(folder)) if (!used.has(name)) rmSync(join(folder, name))
  return { contentHash: hasher.digest('hex').slice(0, 16), files: packed }
}

function compress(source: string, target: string): void {
  if (existsSync(target)) return
  writeFileSync(`${target}.tmp`, Bun.zstdCompressSync(readFileSync(source), { level: compressionLevel }))
  renameSync(`${target}.tmp`, target)
}
