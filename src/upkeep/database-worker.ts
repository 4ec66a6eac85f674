/** The program of a thread that reads whole databases, which would keep a server from answering. */
import { checkIntegrity } from '../billing/integrity.ts'
import { copyDatabase } from '../db/copy-database.ts'
import { openForReading } from '../db/open-database.ts'

export type DatabaseTask =
  | { readonly type: 'copy'; readonly from: string; readonly to: string }
  | { readonly type: 'check'; readonly path: string }

/** What comes of each task. */
export interface DatabaseResults {
  /** The schema's version. */
  readonly copy: number
  readonly check: ReturnType<typeof checkIntegrity>
}

export type DatabaseAnswer = { readonly result: DatabaseResults[keyof DatabaseResults] } | { readonly problem: string }

declare const self: Worker

self.onmessage = ({ data }: MessageEvent<DatabaseTask>) => self.postMessage(answer(data))

function answer(task: DatabaseTask): DatabaseAnswer {
  try {
    return { result: task.type === 'copy' ? copyDatabase(task.from, task.to) : check(task.path) }
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
