/** `<file>.part.json`: content of a download's part and its complete chunks. */
import { type Static, Type } from '@sinclair/typebox'
import { readNote } from '../../catalog/notes.ts'
import { chunkSumPattern } from '../chunk-sum.ts'
import type { Disk } from '../disk.ts'
import { writeDurably } from '../durable.ts'

const sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const chunkSum = Type.String({ pattern: chunkSumPattern })
const optionalText = Type.Optional(Type.Union([Type.String({ maxLength: 4000 }), Type.Undefined()]))
const optionalSum = Type.Optional(Type.Union([sha256, Type.Undefined()]))

const identity = Type.Object({
  bytes: Type.Integer({ minimum: 0 }),
  /** Expected checksum of the file. Absent if unknown. */
  sha256: optionalSum,
  /** The server's tag of this content. */
  tag: optionalText,
  commit: optionalText,
})

const note = Type.Object({
  format: Type.Literal(1),
  identity,
  /** Checksums of flushed chunks by their number. */
  chunks: Type.Array(Type.Tuple([Type.Integer({ minimum: 0 }), chunkSum])),
})

/** Content of a part. */
export type PartIdentity = Readonly<Static<typeof identity>>
type PartNote = Static<typeof note>

/** Returns whether two parts belong to the same content. Without a checksum or a tag it is unknown, so false. */
function isSameContent(left: PartIdentity, right: PartIdentity): boolean {
  if (left.bytes !== right.bytes) return false
  if (left.sha256 !== undefined || right.sha256 !== undefined) return left.sha256 === right.sha256
  return left.tag !== undefined && left.tag === right.tag && left.commit === right.commit
}

/** Returns the chunks in a note; none if it is missing, damaged, or of another content. */
export function chunksInNote(path: string, wanted: PartIdentity): Map<number, string> {
  const read = readNote(path, note)
  return read !== undefined && isSameContent(read.identity, wanted) ? new Map(read.chunks) : new Map()
}

/** Returns the number of chunks in a note of any content. */
export function notedChunks(path: string): number {
  return new Map(readNote(path, note)?.chunks).size
}

export async function writeNote(
  path: string,
  identity: PartIdentity,
  chunks: ReadonlyMap<number, string>,
  disk: Disk,
): Promise<void> {
  const content: PartNote = { format: 1, identity, chunks: [...chunks] }
  await writeDurably(path, JSON.stringify(content), disk)
}
