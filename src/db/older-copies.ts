import { statSync } from 'node:fs'
import { join } from 'node:path'
import { namesIn } from '../core/names-in.ts'

/** Copies of the database beside it: of migrations (db/migrate.ts) and of restores (upkeep/finish-restore.ts). */
const isCopy = /^(inferd\.db\.v\d+\.backup|replaced-[0-9TZ-]+)$/

/** Returns the names of copies that were made before this time, in milliseconds UTC: they hold who was erased later. */
export function olderCopies(folder: string, timeMs: number): string[] {
  const isOlder = (name: string) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found !== undefined && found.mtimeMs < timeMs
  }
  return namesIn(folder).filter((name) => isCopy.test(name) && isOlder(name))
}
