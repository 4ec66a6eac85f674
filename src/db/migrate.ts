import type { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import type { Migration } from './migrations/index.ts'
import { createPrivateFile } from './private-file.ts'

/**
 * Brings the schema up to date, with all missing migrations in one transaction. First copies an existing database to
 * `<file>.v<version>.backup`. Throws if a newer version of the program wrote the database, or if a migration fails,
 * which leaves the database unchanged.
 */
export function migrate(database: Database, migrations: readonly Migration[]): void {
  if (schemaVersion(database) < migrations.length) backUp(database)
  // Reads the version again inside, since another process may have migrated meanwhile.
  database
    .transaction(() => {
      const version = schemaVersion(database)
      if (version > migrations.length) {
        throw new Error(
          `${database.filename} was written by a newer inferd (schema ${version}, this one knows ${migrations.length}); ` +
            'start that version, or use another data folder',
        )
      }
      for (const { name, sql, changeRows } of migrations.slice(version)) {
        try {
          database.run(sql)
          changeRows?.(database)
        } catch (error) {
          throw new Error(`migration ${name} of ${database.filename} failed: ${String(error)}`, { cause: error })
        }
      }
      if (version < migrations.length) database.run(`PRAGMA user_version = ${migrations.length}`)
    })
    .immediate()
}

export function schemaVersion(database: Database): number {
  return database.query<{ user_version: number }, []>('PRAGMA user_version').get()?.user_version ?? 0
}

/** Makes a copy by SQLite itself: consistent during other processes' writes, and with the content of the log. */
function backUp(database: Database): void {
  const version = schemaVersion(database)
  if (version === 0 || database.filename === ':memory:') return
  const path = `${database.filename}.v${version}.backup`
  rmSync(path, { force: true }) // of an attempt that failed
  createPrivateFile(path)
  database.query('VACUUM INTO ?').run(path)
}
