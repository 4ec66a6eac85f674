/** NVIDIA's libraries in the data folder: their size, and their removal. */
import { lstatSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { downloadFolder, licenseFolder, loaderFolder, nvidiaFolder, ownLibraryFolder } from './own-folder.ts'

export interface OwnLibraries {
  readonly names: readonly string[]
  /** Bytes of the libraries and of their licences. */
  readonly fileBytes: number
  /** Bytes of partly fetched wheels. */
  readonly partBytes: number
}

export function ownLibraries(dataDir: string): OwnLibraries {
  const libraries = filesOf(ownLibraryFolder(dataDir)).filter(({ name }) => !name.startsWith('.'))
  const sum = (folder: string) => filesOf(folder).reduce((total, { bytes }) => total + bytes, 0)
  return {
    names: libraries.map(({ name }) => name),
    fileBytes: sum(ownLibraryFolder(dataDir)) + sum(licenseFolder(dataDir)),
    partBytes: sum(downloadFolder(dataDir)),
  }
}

/** Removes NVIDIA's libraries from the data folder. Running engines keep those that they have opened. */
export async function removeOwnLibraries(dataDir: string): Promise<void> {
  for (const folder of [loaderFolder, ownLibraryFolder, licenseFolder, downloadFolder, nvidiaFolder])
    await rm(folder(dataDir), { recursive: true, force: true })
}

function filesOf(folder: string): { readonly name: string; readonly bytes: number }[] {
  try {
    return readdirSync(folder).map((name) => {
      const found = lstatSync(join(folder, name), { throwIfNoEntry: false })
      return { name, bytes: (found?.blocks ?? 0) * 512 }
    })
  } catch {
    return []
  }
}
