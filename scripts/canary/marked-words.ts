/** Words that requests contain and nothing else does, and the search for them in all bytes of files. */
import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'

const stem = 'qzxkanarie'
let made = 0

/** Returns the next marked word: letters and digits alone, so that no format quotes it. */
export function markedWord(): string {
  made++
  return `${stem}${made}`
}

/** Bytes by which the words are found: as UTF-8, as UTF-16, and as base64 at each offset of three bytes. */
const forms: readonly (readonly [name: string, bytes: Buffer])[] = [
  ['UTF-8', Buffer.from(stem)],
  ['UTF-16', Buffer.from(stem, 'utf16le')],
  ['UTF-16, big end first', Buffer.from(stem, 'utf16le').swap16()],
  ...[0, 1, 2].map((offset) => {
    const text = Buffer.from('\0'.repeat(offset) + stem).toString('base64')
    // The characters at the ends also depend on what stands beside the word.
    return ['base64', Buffer.from(text.slice(offset === 0 ? 0 : offset + 1, -4))] as const
  }),
]

const packed: readonly (readonly [magic: number[], unpack: (bytes: Buffer) => Buffer])[] = [
  [[0x1f, 0x8b], gunzipSync],
  [[0x28, 0xb5, 0x2f, 0xfd], zstdDecompressSync],
  [[0x78, 0x9c], inflateSync],
]

/** Returns how the words stand in these bytes; empty if they do not. Compressed bytes are searched unpacked as well. */
export function formsIn(bytes: Buffer): string[] {
  const found = forms.flatMap(([name, form]) => (bytes.includes(form) ? [name] : []))
  const unpack = packed.find(([magic]) => magic.every((byte, at) => bytes[at] === byte))?.[1]
  if (unpack === undefined) return found
  try {
    return [...found, ...formsIn(unpack(bytes)).map((name) => `${name}, compressed`)]
  } catch {
    return found // it only begins like a compressed file
  }
}

export interface Hit {
  readonly path: string
  readonly forms: readonly string[]
  /** Text around the first word, as Latin-1. */
  readonly around: string
}

/** Searches every file below the folders, names of files included. */
export function searchFolders(folders: readonly string[]): {
  readonly hits: Hit[]
  readonly files: number
  readonly bytes: number
} {
  const sums = { hits: [] as Hit[], files: 0, bytes: 0 }
  const search = (path: string) => {
    const found = lstatSync(path)
    if (found.isDirectory()) {
      for (const name of readdirSync(path)) search(join(path, name))
      return
    }
    if (!found.isFile()) return
    const bytes = readFileSync(path)
    sums.files++
    sums.bytes += bytes.length
    const names = [...formsIn(bytes), ...formsIn(Buffer.from(path)).map(() => 'name of the file')]
    const at = bytes.indexOf(stem)
    if (names.length > 0)
      sums.hits.push({ path, forms: names, around: bytes.subarray(Math.max(0, at - 200), at + 100).toString('latin1') })
  }
  for (const folder of folders) if (existsSync(folder)) search(folder)
  return sums
}
