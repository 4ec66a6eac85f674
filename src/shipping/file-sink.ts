import { access, constants, type FileHandle, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { dayMs } from '../core/durations.ts'
import { endOfLastLine, lastAuditId, recordLine, requireRecords } from './record-lines.ts'
import type { ShippedRecord } from './shipped-record.ts'
import type { Sink } from './sink.ts'

interface FileSinkOptions {
  readonly path: string
  /** Size at which the file is renamed and a new one begun. */
  readonly maximumBytes: number
  /** Days for which renamed files stay; 0 for ever. */
  readonly keepDays: number
  /** Milliseconds UTC. */
  readonly clock: () => number
}

interface OpenFile {
  readonly handle: FileHandle
  readonly inode: number
  bytes: number
  /** Day of the last line, in days since 1970. */
  day: number
}

/**
 * File of JSON lines. Audit rows are flushed to the disk and stand in it once each, since the file itself tells which
 * were written. It is renamed when it is large or the day (UTC) ends, and opened again when another program renamed it.
 */
export class FileSink implements Sink {
  readonly name = 'file'
  readonly #options: FileSinkOptions
  #file: OpenFile | undefined
  #mustReopen = false

  constructor(options: FileSinkOptions) {
    this.#options = options
  }

  async lastAuditId(): Promise<number | undefined> {
    const { handle, bytes } = await this.#opened()
    return lastAuditId(handle, bytes)
  }

  async send(records: readonly ShippedRecord[]): Promise<number> {
    const file = await this.#ready()
    const text = Buffer.from(records.map(recordLine).join(''))
    try {
      for (let done = 0; done < text.length; ) done += (await file.handle.write(text, done)).bytesWritten
      if (records.some(({ kind }) => kind === 'audit')) await file.handle.datasync()
    } catch (error) {
      // A part of the lines would be repeated. If even this fails, the next opening cuts off the torn line.
      await file.handle.truncate(file.bytes).catch(() => this.reopen())
      throw error
    }
    file.bytes += text.length
    file.day = dayOf(this.#options.clock())
    return 0
  }

  async check(): Promise<void> {
    await access(dirname(this.#options.path), constants.W_OK)
  }

  /** Has the file opened again before the next records. */
  reopen(): void {
    this.#mustReopen = true
  }

  async close(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    this.#mustReopen = false
    await file?.handle.close()
  }

  /** Returns the file, opened again or begun anew where that is due. */
  async #ready(): Promise<OpenFile> {
    const { path, maximumBytes, clock } = this.#options
    const found = await stat(path).catch(() => undefined)
    if (this.#mustReopen || found?.ino !== this.#file?.inode) await this.close()
    const file = await this.#opened()
    const isDue = file.bytes >= maximumBytes || file.day < dayOf(clock())
    if (file.bytes === 0 || !isDue) return file
    await this.close()
    await rename(path, await unusedName(this.#options))
    await this.#deleteOld()
    return this.#opened()
  }

  async #opened(): Promise<OpenFile> {
    if (this.#file !== undefined) return this.#file
    const { path, clock } = this.#options
    const handle = await open(path, 'a+', 0o600)
    try {
      const { ino: inode, size, mtimeMs } = await handle.stat()
      await requireRecords(handle)
      const bytes = await endOfLastLine(handle, size)
      if (bytes < size) await handle.truncate(bytes)
      this.#file = { handle, inode, bytes, day: dayOf(bytes === 0 ? clock() : mtimeMs) }
      return this.#file
    } catch (error) {
      await handle.close()
      throw error
    }
  }

  async #deleteOld(): Promise<void> {
    const { path, keepDays, clock } = this.#options
    if (keepDays === 0) return
    for (const name of await readdir(dirname(path))) {
      const atMs = renamedAtMs(path, name)
      if (atMs !== undefined && atMs < clock() - keepDays * dayMs) await rm(join(dirname(path), name), { force: true })
    }
  }
}

function dayOf(timeMs: number): number {
  return Math.floor(timeMs / dayMs)
}

/** Returns a name for the file with the time at its end: `records.20261128T013000Z.jsonl`. */
async function unusedName({ path, clock }: FileSinkOptions): Promise<string> {
  const extension = extname(path)
  const stem = path.slice(0, path.length - extension.length)
  for (let timeMs = clock(); ; timeMs += 1_000) {
    const time = new Date(timeMs).toISOString().replaceAll(/[-:]|\.\d+/g, '')
    const name = `${stem}.${time}${extension}`
    if ((await stat(name).catch(() => undefined)) === undefined) return name
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
