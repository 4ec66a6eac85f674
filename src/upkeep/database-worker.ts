/** The program of a thread that reads whole databases, which would keep a server from answering. */
import { checkIntegrity } from '../billing/integrity.ts'
import { copyDatabase } from '../db/copy-database.ts'
import { openForReading } from '../db/open-database.ts'
import { type Backup, type BackupOptions, writeBackup } from './write-backup.ts'

export type DatabaseTask =
  | ({ readonly type: 'back-up' } & Omit<BackupOptions, 'copyDatabase' | 'signal' | 'disk'>)
  | { readonly type: 'check'; readonly path: string }

/** What comes of each task. */
export interface DatabaseResults {
  readonly 'back-up': Backup
  readonly check: ReturnType<typeof checkIntegrity>
}

export type DatabaseAnswer = { readonly result: DatabaseResults[keyof DatabaseResults] } | { readonly problem: string }

declare const self: Worker

self.onmessage = async ({ data }: MessageEvent<DatabaseTask>) => self.postMessage(await answer(data))

async function answer(task: DatabaseTask): Promise<DatabaseAnswer> {
  try {
    return { result: task.type === 'check' ? check(task.path) : await writeBackup({ ...task, copyDatabase }) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}

function check(path: string) {
  const database = openForReading(path)
  if (database === undefined)
    throw new Error('the database is of an older version; the next start brings it up to date')
  try {
    // In a transaction, so that it sees one state.
    return database.transaction(() => checkIntegrity(database))()
  } finally {
    database.close()
  }
}
