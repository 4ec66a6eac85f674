import { createReadStream, readSync } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { FileError, readRegularFile } from '../../catalog/stat-file.ts'
import { errorText } from '../../core/error-text.ts'
import { bunzip2 } from './bunzip2.ts'
import { blockBytes, isTarHeader } from './tar-header.ts'

interface OpenArchive {
  readonly packedBytes: number
  /** Returns the bytes of the tar archive. Throws FileError if they are damaged. */
  readonly unpacked: () => AsyncIterable<Uint8Array>
}

/** Archive formats by the first bytes of the file, and the way to read the tar inside. */
const packings: readonly { name: string; magic: string; unpack?: (path: string) => AsyncIterable<Uint8Array> }[] = [
  { name: 'gzip', magic: '1f8b08', unpack: gunzip },
  { name: 'bzip2', magic: '425a68', unpack: bunzip2 },
  { name: 'xz', magic: 'fd377a585a00' },
  { name: 'zstd', magic: '28b52ffd' },
  { name: 'zip', magic: '504b0304' },
]

/** Returns the archive format of a file by its content; undefined for other files. Throws FileError for unknown formats. */
export function openArchive(path: string): OpenArchive | undefined {
  const { head, packedBytes } = readRegularFile(path, (descriptor, { size }) => {
    const bytes = new Uint8Array(blockBytes)
    return { head: bytes.subarray(0, readSync(descriptor, bytes, 0, blockBytes, 0)), packedBytes: size }
  })
  const magic = Buffer.from(head).toString('hex')
  const packing = packings.find((each) => magic.startsWith(each.magic))
  if (packing === undefined) {
    return isTarHeader(head) ? { packedBytes, unpacked: () => createReadStream(path) } : undefined
  }
  const { name, unpack } = packing
  if (unpack !== undefined) return { packedBytes, unpacked: () => unpack(path) }
  throw new FileError(
    `is packed with ${name}; only .tar, .tar.gz and .tar.bz2 are unpacked here: name the unpacked folder`,
  )
}

async function* gunzip(path: string): AsyncGenerator<Uint8Array> {
  const file = createReadStream(path)
  const unpacked = createGunzip()
  file.on('error', (error) => unpacked.destroy(error))
  try {
    yield* file.pipe(unpacked)
  } catch (error) {
    throw new FileError(`is damaged: ${errorText(error)}`)
  } finally {
    file.destroy()
    unpacked.destroy()
  }
}
