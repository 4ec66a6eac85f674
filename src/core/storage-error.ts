/** Why nothing can be written to the database now. The reason completes "cannot write its database: …", without paths. */
export class StorageError extends Error {
  override name = 'StorageError'
}

/** By the beginning of SQLite's code. None of these is a fault of a request or of this program. */
const reasons: readonly (readonly [code: string, reason: string])[] = [
  ['SQLITE_FULL', 'its disk is full'],
  ['SQLITE_BUSY', 'another process keeps it locked'],
  ['SQLITE_READONLY', 'it is read-only'],
  ['SQLITE_IOERR', 'its disk fails, or has no room'],
  ['SQLITE_CANTOPEN', 'one of its files cannot be opened'],
  ['SQLITE_CORRUPT', 'it is damaged'],
  ['SQLITE_NOTADB', 'it is damaged'],
]

/** What a failure says about the disk and the database, undefined when it says nothing about them. */
export function storageReason(error: unknown): string | undefined {
  if (error instanceof StorageError) return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return reasons.find(([prefix]) => code.startsWith(prefix))?.[1]
}
