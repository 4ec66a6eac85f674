import { lstatSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../../core/names-in.ts'

export interface FolderFile {
  /** Path below the folder, with `/`. */
  readonly name: string
  readonly path: string
  /** State of the entry itself. Links are not followed, since their targets do not belong to the folder. */
  readonly found: Stats
}

/** Returns everything in and below a folder except folders; empty if it does not exist. */
export function folderFiles(folder: string): FolderFile[] {
  const files: FolderFile[] = []
  const visit = (below: string) => {
    for (const entry of namesIn(join(folder, below))) {
      const name = below === '' ? entry : `${below}/${entry}`
      const path = join(folder, name)
      const found = lstatSync(path, { throwIfNoEntry: false })
      if (found === undefined) continue // it went meanwhile
      if (found.isDirectory()) visit(name)
      else files.push({ name, path, found })
    }
  }
  visit('')
  return files
}
