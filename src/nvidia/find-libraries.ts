import { join } from 'node:path'
import { type NvidiaUse, neededBy, nvidiaLibraries } from './libraries.ts'
import { type PlaceKind, type SearchOptions, searchFolders } from './search-folders.ts'
import { readSoname } from './shared-library.ts'

export interface FoundLibrary {
  readonly soname: string
  readonly path: string
  readonly place: PlaceKind
}

export interface NvidiaLibraries {
  readonly found: readonly FoundLibrary[]
  /** Names of the libraries that were not found, by the user that needs them. Empty if the user can be loaded. */
  readonly missing: Readonly<Record<NvidiaUse, readonly string[]>>
}

/** Returns the paths of NVIDIA's libraries, and the missing ones. Takes a few milliseconds, and loads nothing. */
export function findNvidiaLibraries(options: SearchOptions): NvidiaLibraries {
  const folders = searchFolders(options)
  const found = nvidiaLibraries.flatMap(({ soname }): FoundLibrary[] => {
    const holder = folders.find(({ folder }) => readSoname(join(folder, soname)) === soname)
    return holder === undefined ? [] : [{ soname, place: holder.place, path: join(holder.folder, soname) }]
  })
  const names = new Set(found.map(({ soname }) => soname))
  const missing = (use: NvidiaUse) => neededBy(use).filter((soname) => !names.has(soname))
  return {
    found,
    missing: {
      'llama-cuda-13': missing('llama-cuda-13'),
      'llama-cuda-12': missing('llama-cuda-12'),
      'onnx-cuda-13': missing('onnx-cuda-13'),
    },
  }
}
