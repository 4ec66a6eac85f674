import { dirname, join } from 'node:path'
import { readIfThere, writePrivateFile } from '../core/private-file.ts'
import { AuditLog } from './audit-log.ts'
import { erasePerson, listErasures } from './erase-person.ts'
import { olderCopies } from './older-copies.ts'
import { Store, type StoreOptions } from './rows.ts'

/**
 * File beside the database with the ids of erased accounts: a database of an earlier time does not know them. An id is
 * there before its erasure is committed, so that a kill at any moment leaves it there or the person untouched.
 */
const fileName = 'erased.txt'

/** Size of a database whose free space is rewritten at once. That blocks the server for about 30 ms per megabyte. */
const compactAtOnceBytes = 16e6

interface ErasuresOptions extends StoreOptions {
  /** Folder of the file with the ids. Defaults to the database's. */
  readonly folder?: string
}

/** Erasures of persons, with what keeps them erased. */
export class Erasures extends Store {
  readonly #audit: AuditLog
  readonly #path: string | undefined
  /** Accounts whose erasures this process has begun. */
  readonly #begun = new Set<string>()

  constructor(options: ErasuresOptions) {
    super(options)
    this.#audit = new AuditLog(options)
    const { filename } = options.database
    const isInMemory = filename === '' || filename === ':memory:'
    this.#path = isInMemory ? undefined : join(options.folder ?? dirname(filename), fileName)
  }

  /** Returns when the person of an account was erased, in milliseconds UTC. */
  timeMs(account: string): number | undefined {
    const sql = 'SELECT created FROM erasures WHERE account_id = :account'
    return this.first<{ created: number }>(sql, { account })?.created
  }

  /** Returns the names of files and folders beside the database that still hold whom it erased. */
  copies(): string[] {
    const latest = this.first<{ timeMs: number | null }>('SELECT max(created) AS timeMs FROM erasures')
    return this.#path === undefined ? [] : olderCopies(dirname(this.#path), latest?.timeMs ?? 0)
  }

  /**
   * Erases the person of an account, and notes it in the file. Returns false if there is none, or if this was done
   * before. In a transaction; call `withdraw` if that fails.
   */
  erase(account: string, actor: string): boolean {
    if (!erasePerson(this.database, account, this.clock())) return false
    this.#audit.append({ actor, action: 'account.erase', accountId: account, details: {} })
    this.#begun.add(account)
    this.#note()
    return true
  }

  /**
   * Takes the accounts out of the file whose erasures this process began without a commit. If that fails, the next start
   * erases them.
   */
  withdraw(): void {
    try {
      this.#note()
    } catch {
      // The next start logs whom it erases.
    }
  }

  /**
   * Erases whom the file names and the database does not know as erased: it was restored, or the server was killed before
   * the commit. Returns their ids.
   */
  repeat(): readonly string[] {
    return this.database.transaction(() => this.#noted().filter((id) => this.erase(id, 'system'))).immediate()
  }

  /**
   * Does what follows an erasure: takes parts of erased rows out of the database's free space and log. Notes it in the
   * file, too, which may have been lost. Returns the error if that fails, as on a full disk or beside a reader; the next
   * start tries again.
   */
  settle(options: { readonly takesTime: boolean }): unknown {
    try {
      this.#note()
      this.#compact(options)
      return undefined
    } catch (error) {
      return error
    }
  }

  /** Writes the ids of all erased accounts to the file. Ids of earlier processes that this database does not know stay. */
  #note(): void {
    if (this.#path === undefined) return
    const known = listErasures(this.database)
    const noted = this.#noted()
    const kept = noted.filter((id) => known.has(id) || !this.#begun.has(id))
    const ids = [...new Set([...kept, ...known.keys()])]
    if (ids.join() !== noted.join()) writePrivateFile(this.#path, ids.map((id) => `${id}\n`).join(''))
  }

  #noted(): string[] {
    const text = this.#path === undefined ? undefined : readIfThere(this.#path)
    return text?.split('\n').filter((line) => line.startsWith('acc_')) ?? []
  }

  /**
   * Rewrites the file, in whose free space parts of erased rows may lie, and empties the log. Does nothing if that was
   * done since the last erasure. Unless told to take its time, it leaves a large file and empties the log alone. Not in
   * a transaction.
   */
  #compact({ takesTime }: { readonly takesTime: boolean }): void {
    const waiting = this.first<{ count: number }>('SELECT count(*) AS count FROM erasures WHERE compacted IS NULL')
    if (!waiting?.count) return
    const rewrites = takesTime || this.#bytes() <= compactAtOnceBytes
    if (rewrites) this.database.run('VACUUM')
    this.#emptyLog()
    if (!rewrites) return
    this.write('UPDATE erasures SET compacted = :now WHERE compacted IS NULL', { now: this.clock() })
    this.#emptyLog()
  }

  #emptyLog(): void {
    const emptied = this.first<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
    if (emptied?.busy !== 0) throw new Error('another reader of the database needs its log')
  }

  #bytes(): number {
    const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()'
    return this.first<{ bytes: number }>(sql)?.bytes ?? 0
  }
}
