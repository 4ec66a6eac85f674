/**
 * Containers that are lists of chunks with their sizes. Each function returns the offset at which the list of one
 * recording ends.
 */
import { type FileBytes, latinText } from './file-bytes.ts'

interface ChunkForm {
  /** Bytes before the first chunk. */
  readonly headBytes: number
  /** Returns a chunk's name, the bytes of its head and the bytes of its content; undefined if no chunk begins. */
  readonly read: (
    head: DataView,
  ) => { readonly id: string; readonly headBytes: number; readonly bytes: number } | undefined
  /**
   * Names of chunks with samples. Such a chunk extends to the end of the file if its size is 0 or larger than the rest.
   */
  readonly samples: RegExp
  /** Returns whether the chunk begins another recording, which readers of the first one skip. */
  readonly isAnother: (id: string, earlier: ReadonlySet<string>) => boolean
}

/** Most chunks that are read. Fragmented files have thousands; the rest of the file then counts as part of the list. */
const chunkLimit = 500
const headBytes = 24

function endOfChunks(form: ChunkForm): (file: FileBytes, startByte: number) => number {
  return (file, startByte) => {
    const earlier = new Set<string>()
    let hasSamples = false
    let offset = startByte + form.headBytes
    // Without samples so far the whole file counts: readers find samples behind damage better than this does.
    const broken = () => (hasSamples ? offset : file.sizeBytes)
    for (let count = 0; offset < file.sizeBytes; count++) {
      if (count === chunkLimit) return file.sizeBytes
      const chunk = form.read(file.read(offset, headBytes))
      if (chunk === undefined || form.isAnother(chunk.id, earlier)) return broken()
      earlier.add(chunk.id)
      hasSamples ||= form.samples.test(chunk.id)
      const end = offset + chunk.headBytes + chunk.bytes
      const isOpen = chunk.bytes <= 0 || end > file.sizeBytes
      if (isOpen && form.samples.test(chunk.id)) return file.sizeBytes
      if (end > file.sizeBytes || end <= offset) return broken()
      offset = end
    }
    return Math.min(offset, file.sizeBytes)
  }
}

const isName = (id: string) => /^[ -~\xa9]{4}$/.test(id)

function riffChunks(headBytes: number, isLittleEndian: boolean, samples: RegExp, form: string): ChunkForm {
  return {
    headBytes,
    samples,
    read: (head) => {
      const id = latinText(head, 0, 4)
      if (head.byteLength < 8 || !isName(id)) return undefined
      const size = head.getUint32(4, isLittleEndian)
      return { id, headBytes: 8, bytes: size + (size % 2) }
    },
    isAnother: (id) => id === form,
  }
}

const isoBoxes: ChunkForm = {
  headBytes: 0,
  samples: /^mdat$/,
  read: (head) => {
    const id = latinText(head, 4, 4)
    if (head.byteLength < 8 || !isName(id)) return undefined
    const size = head.getUint32(0)
    if (size !== 1) return { id, headBytes: 8, bytes: size - 8 }
    return head.byteLength < 16 ? undefined : { id, headBytes: 16, bytes: Number(head.getBigUint64(8)) - 16 }
  },
  isAnother: (id, earlier) => (id === 'moov' || id === 'ftyp') && earlier.has(id),
}

const cafChunks: ChunkForm = {
  headBytes: 8,
  samples: /^data$/,
  read: (head) => {
    const id = latinText(head, 0, 4)
    if (head.byteLength < 12 || !isName(id)) return undefined
    return { id, headBytes: 12, bytes: Number(head.getBigInt64(4)) }
  },
  isAnother: (id) => id === 'caff',
}

const aviLists: ChunkForm = {
  headBytes: 0,
  samples: /^AVI|AVIX$/,
  read: (head) => {
    const id = latinText(head, 8, 4)
    if (latinText(head, 0, 4) !== 'RIFF') return undefined
    const size = head.getUint32(4, true)
    return { id, headBytes: 8, bytes: size + (size % 2) }
  },
  isAnother: (id, earlier) => earlier.size > 0 && id !== 'AVIX',
}

export const endOfWav = endOfChunks(riffChunks(12, true, /^data$/, 'RIFF'))
export const endOfAiff = endOfChunks(riffChunks(12, false, /^SSND$/, 'FORM'))
export const endOfMp4 = endOfChunks(isoBoxes)
export const endOfCaf = endOfChunks(cafChunks)
export const endOfAvi = endOfChunks(aviLists)
