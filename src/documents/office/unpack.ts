import { unzipSync } from 'fflate'
import { Unreadable } from '../../images/unreadable.ts'

/** Bytes of all parts that are unpacked. */
const unpackedLimitBytes = 128 * 1024 * 1024

/** Files in an Office file. Usual ones have a hundred. */
const entriesLimit = 10_000

export interface OfficeParts {
  /** Names of all parts, such as `word/document.xml`. */
  readonly names: readonly string[]
  /** Returns a part's XML, '' if there is none. Throws Unreadable if all parts together take too much. */
  readonly read: (name: string) => string
}

/** Opens an Office file, a ZIP file of XML. Parts are unpacked when they are read. Throws Unreadable. */
export function openParts(file: Uint8Array): OfficeParts {
  const names: string[] = []
  unzip(file, (name) => {
    names.push(name)
    if (names.length > entriesLimit) throw new Unreadable('it holds too many files')
    return false
  })
  let bytesLeft = unpackedLimitBytes
  const read = (wanted: string) => {
    // The first part of a name counts.
    let isFound = false
    const unpacked = unzip(file, (name, bytes) => {
      if (name !== wanted || isFound) return false
      isFound = true
      // The library unpacks no more than the size that the file names.
      bytesLeft -= bytes
      if (bytesLeft < 0) throw new Unreadable('it takes too much memory')
      return true
    })
    return new TextDecoder().decode(unpacked[wanted])
  }
  return { names, read }
}

function unzip(file: Uint8Array, isWanted: (name: string, bytes: number) => boolean): Record<string, Uint8Array> {
  try {
    return unzipSync(file, { filter: ({ name, originalSize }) => isWanted(name, originalSize) })
  } catch (error) {
    throw error instanceof Unreadable ? error : new Unreadable('its ZIP is damaged or cut short')
  }
}
