/** Records of the wheels whose libraries are in the data folder, so that they are not fetched again. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { writeDurably } from '../../store/durable.ts'
import { nvidiaFolder, ownLibraryFolder } from '../own-folder.ts'

/** Files of each wheel by its sha256, with their sizes and times when they were kept. */
const schema = Type.Record(
  Type.String(),
  Type.Array(Type.Object({ name: Type.String(), bytes: Type.Number(), mtimeMs: Type.Number() })),
)

/** Returns the names of a wheel's libraries; undefined if one is missing or has changed. */
export function keptLibraries(dataDir: string, sha256: string): readonly string[] | undefined {
  const files = readNotes(dataDir)[sha256]
  const isHere = files?.every(({ name, ...then }) => {
    const now = statOf(dataDir, name)
    return now?.bytes === then.bytes && now.mtimeMs === then.mtimeMs
  })
  return isHere === true ? files?.map(({ name }) => name) : undefined
}

/** Records kept libraries. Requires the lock on the libraries. */
export async function noteKept(dataDir: string, sha256: string, names: readonly string[]): Promise<void> {
  const files = names.flatMap((name) => {
    const found = statOf(dataDir, name)
    return found === undefined ? [] : [{ name, ...found }]
  })
  await writeDurably(notePath(dataDir), `${JSON.stringify({ ...readNotes(dataDir), [sha256]: files })}\n`)
}

function notePath(dataDir: string): string {
  return join(nvidiaFolder(dataDir), 'wheels.json')
}

/** Reads the records. Unreadable ones count as empty, so that the wheels are fetched again. */
function readNotes(dataDir: string) {
  try {
    const found: unknown = JSON.parse(readFileSync(notePath(dataDir), 'utf8'))
    return Value.Check(schema, found) ? found : {}
  } catch {
    return {}
  }
}

function statOf(dataDir: string, name: string): { readonly bytes: number; readonly mtimeMs: number } | undefined {
  const found = statSync(join(ownLibraryFolder(dataDir), name), { throwIfNoEntry: false })
  return found && { bytes: found.size, mtimeMs: found.mtimeMs }
}
