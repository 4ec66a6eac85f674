import {
  accessSync,
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { dayMs } from '../core/durations.ts'
import { endOfLastLine, lastAuditId, requireRecords } from './record-lines.ts'

export interface RecordsFileOptions {
  readonly path: string
  /** Size at which the file is renamed and a new one begun. */
  readonly maximumBytes: number
  /** Days for which renamed files stay; 0 for ever. */
  readonly keepDays: number
  /** Milliseconds UTC. */
  readonly clock: () => number
}

interface OpenFile {
  /** File descriptor. */
  readonly handle: number
  readonly inode: number
  bytes: number
  /** Day of the last line, in days since 1970. */
  day: number
}

/**
 * File of JSON lines. Audit rows are flushed to the disk and stand in it once each, since the file itself tells which
 * were written. It is renamed when it is large or the day (UTC) ends, and opened again when another program renamed it.
 * Blocks as long as the disk does, so it belongs in a thread.
 */
export class RecordsFile {
  readonly #options: RecordsFileOptions
  #file: OpenFile | undefined
  #mustReopen = false

  constructor(options: RecordsFileOptions) {
    this.#options = options
  }

  /** Returns the id of the last audit row in the file; undefined if it has none. */
  lastAuditId(): number | undefined {
    const { handle, bytes } = this.#opened()
    return lastAuditId(handle, bytes)
  }

  /** Appends whole lines. `isFlushed`: they must be on the disk before it returns. Throws with none of them written. */
  append(lines: string, { isFlushed }: { readonly isFlushed: boolean }): void {
    const file = this.#ready()
    const text = Buffer.from(lines)
    try {
      for (let done = 0; done < text.length; ) done += writeSync(file.handle, text, done)
      if (isFlushed) fdatasyncSync(file.handle)
    } catch (error) {
      this.#cutTo(file)
      throw error
    }
    file.bytes += text.length
    file.day = dayOf(this.#options.clock())
  }

  /** Throws with the reason if the folder cannot be written. */
  check(): void {
    accessSync(dirname(this.#options.path), constants.W_OK)
  }

  /** Has the file opened again before the next lines. */
  reopen(): void {
    this.#mustReopen = true
  }

  close(): void {
    const file = this.#file
    this.#file = undefined
    this.#mustReopen = false
    if (file !== undefined) closeSync(file.handle)
  }

  /** Cuts off a part of the lines, which would be repeated. If even this fails, the next opening cuts off the torn line. */
  #cutTo(file: OpenFile): void {
    try {
      ftruncateSync(file.handle, file.bytes)
    } catch {
      this.reopen()
    }
  }

  /** Returns the file, opened again or begun anew where that is due. */
  #ready(): OpenFile {
    const { path, maximumBytes, clock } = this.#options
    const found = statSync(path, { throwIfNoEntry: false })
    if (this.#mustReopen || found?.ino !== this.#file?.inode) this.close()
    const file = this.#opened()
    const isDue = file.bytes >= maximumBytes || file.day < dayOf(clock())
    if (file.bytes === 0 || !isDue) return file
    this.close()
    renameSync(path, unusedName(this.#options))
    this.#deleteOld()
    return this.#opened()
  }

  #opened(): OpenFile {
    if (this.#file !== undefined) return this.#file
    const { path, clock } = this.#options
    const handle = openSync(path, 'a+', 0o600)
    try {
      const { ino: inode, size, mtimeMs } = fstatSync(handle)
      requireRecords(handle)
      const bytes = endOfLastLine(handle, size)
      if (bytes < size) ftruncateSync(handle, bytes)
      this.#file = { handle, inode, bytes, day: dayOf(bytes === 0 ? clock() : mtimeMs) }
      return this.#file
    } catch (error) {
      closeSync(handle)
      throw error
    }
  }

  #deleteOld(): void {
    const { path, keepDays, clock } = this.#options
    if (keepDays === 0) return
    for (const name of readdirSync(dirname(path))) {
      const atMs = renamedAtMs(path, name)
      if (atMs !== undefined && atMs < clock() - keepDays * dayMs) rmSync(join(dirname(path), name), { force: true })
    }
  }
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs)
}

/** Returns a name for the file with the time at its end: `records.20261128T013000Z.jsonl`. */
function unusedName({ path, clock }: RecordsFileOptions): string {
  const extension = extname(path)
  const stem = path.slice(0, path.length - extension.length)
  for (let timeMs = clock(); ; timeMs += 1_000) {
    const time = new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const name = `${stem}.${time}${extension}`
    if (statSync(name, { throwIfNoEntry: false }) === undefined) return name
  }
}

/** Returns the time in the name of a renamed file; undefined for other names. */
function renamedAtMs(path: string, name: string): number | undefined {
  const extension = extname(path)
  const stem = `${basename(path, extension)}.`
  if (!name.startsWith(stem) || !name.endsWith(extension)) return undefined
  const [, date, time] = /^(\d{8})T(\d{6})Z$/.exec(name.slice(stem.length, name.length - extension.length)) ?? []
  if (date === undefined || time === undefined) return undefined
  return Date.parse(`${date.replace(/(....)(..)/, '$1-$2-')}T${time.replace(/(..)(..)/, '$1:$2:')}Z`)
}
