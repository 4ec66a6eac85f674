import { FileError } from '../../catalog/stat-file.ts'
import { ByteReader } from './byte-reader.ts'
import { blockBytes, parseTarHeader, type TarHeader, textOf } from './tar-header.ts'

export interface TarEntry {
  readonly kind: 'file' | 'folder'
  /** Name as written in the archive: not to be trusted. */
  readonly name: string
  readonly sizeBytes: number
  /** Content, to be read before the next entry. Unread bytes are skipped. */
  readonly content: AsyncIterable<Uint8Array>
}

/** Largest size of a long name or of attributes, which precede the entry they belong to. */
const maximumAttributeBytes = 65_536

/** Types of entries by their treatment. Any other type refuses the archive. */
const types = {
  file: ['0', '\0'],
  folder: ['5'],
  /** Name of the next entry (GNU). */
  longName: ['L'],
  /** Attributes of the next entry (POSIX). */
  attributes: ['x'],
  /** Attributes of all following entries (POSIX). */
  globalAttributes: ['g'],
} as const

const refused: Readonly<Record<string, string>> = {
  '1': 'a hard link',
  '2': 'a symbolic link',
  '3': 'a device',
  '4': 'a device',
  '6': 'a FIFO',
  K: 'a link',
  S: 'a sparse file',
}

/**
 * Yields the files and folders of a tar archive in order. Throws FileError at anything else (links, devices), at
 * damage, and at a missing end mark.
 */
export async function* readTar(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(bytes)
  let given: Attributes = {}
  for (;;) {
    const header = parseTarHeader(await reader.exactly(blockBytes))
    if (header === undefined) break
    const { type } = header
    if (isOneOf(types.longName, type)) given = { ...given, name: textOf(await smallContent(reader, header)) }
    else if (isOneOf(types.attributes, type)) given = { ...given, ...attributesOf(await smallContent(reader, header)) }
    else if (isOneOf(types.globalAttributes, type)) requireNoAttributes(await smallContent(reader, header))
    else {
      yield* entry(reader, { ...header, ...given })
      given = {}
    }
  }
  if (given.name !== undefined) throw new FileError('is damaged: a name is followed by no entry')
  for await (const piece of reader.rest()) {
    if (piece.some((byte) => byte !== 0)) throw new FileError('is damaged: data follows its end mark')
  }
}

async function* entry(reader: ByteReader, { name, type, sizeBytes }: TarHeader): AsyncGenerator<TarEntry> {
  // The oldest archives mark folders by their names alone.
  const isFolder = isOneOf(types.folder, type) || (type === '\0' && name.endsWith('/'))
  if (!isFolder && !isOneOf(types.file, type)) {
    const what = refused[type] ?? `an entry of type ${JSON.stringify(type)}`
    throw new FileError(`holds ${what} (${JSON.stringify(name.slice(0, 100))}); only files and folders are unpacked`)
  }
  if (isFolder && sizeBytes !== 0) throw new FileError('is damaged: a folder has content')
  const content = reader.pieces(sizeBytes)
  yield { kind: isFolder ? 'folder' : 'file', name, sizeBytes, content }
  for await (const _ of content); // what was not read
  await skipPadding(reader, sizeBytes)
}

interface Attributes {
  readonly name?: string
  readonly sizeBytes?: number
}

async function smallContent(reader: ByteReader, { sizeBytes }: TarHeader): Promise<Uint8Array> {
  if (sizeBytes > maximumAttributeBytes) throw new FileError(`is damaged: a name takes ${sizeBytes} bytes`)
  const content = await reader.exactly(sizeBytes)
  await skipPadding(reader, sizeBytes)
  return content
}

async function skipPadding(reader: ByteReader, sizeBytes: number): Promise<void> {
  await reader.exactly((blockBytes - (sizeBytes % blockBytes)) % blockBytes)
}

/**
 * Returns the relevant POSIX attributes (`<length> <key>=<value>
 * `).
 */
function attributesOf(bytes: Uint8Array): Attributes {
  let attributes: Attributes = {}
  for (const [key, value] of records(bytes)) {
    if (key === 'path') attributes = { ...attributes, name: value }
    else if (key === 'size') attributes = { ...attributes, sizeBytes: sizeFrom(value) }
    else if (key.startsWith('GNU.sparse.')) throw new FileError('holds a sparse file; only plain files are unpacked')
  }
  return attributes
}

/** Ignores times and comments that apply to all entries. Throws if a name or a size applies to all. */
function requireNoAttributes(bytes: Uint8Array): void {
  if (Object.keys(attributesOf(bytes)).length > 0) throw new FileError('is damaged: one name stands for all entries')
}

function* records(bytes: Uint8Array): Generator<[key: string, value: string]> {
  const damaged = () => new FileError('is damaged: it holds attributes of an unknown form')
  let start = 0
  while (start < bytes.length) {
    const blank = bytes.indexOf(32, start)
    const digits = blank < 0 ? '' : String.fromCharCode(...bytes.subarray(start, Math.min(blank, start + 10)))
    const end = start + (/^[1-9]\d*$/.test(digits) ? Number(digits) : 0)
    if (end <= blank || end > bytes.length || bytes[end - 1] !== 10) throw damaged()
    const equals = bytes.indexOf(61, blank)
    if (equals < 0 || equals >= end) throw damaged()
    const value = bytes.subarray(equals + 1, end - 1)
    if (value.includes(0)) throw damaged()
    yield [textOf(bytes.subarray(blank + 1, equals)), textOf(value)]
    start = end
  }
}

function sizeFrom(text: string): number {
  const size = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(size)) throw new FileError('is damaged: a size is negative or too large')
  return size
}

function isOneOf(choices: readonly string[], type: string): boolean {
  return choices.includes(type)
}
