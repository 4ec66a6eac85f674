import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { errorText } from '../core/error-text.ts'
import { namesIn } from '../core/names-in.ts'
import { backupFileName, backupTimeMs } from './backup-format.ts'
import { laterBackup } from './backup-note.ts'
import { isBackupDue, isOfFuture, surplusBackups } from './backup-schedule.ts'
import type { Backup } from './write-backup.ts'

export interface BackupsOptions {
  readonly folder: string
  /** Data folder. The latest backup is noted here, wherever it was written. */
  readonly dataDir: string
  /** Interval of the schedule. Undefined makes backups only on demand. */
  readonly everyMs: number | undefined
  /** Number of backups that are kept. */
  readonly keep: number
  readonly write: (target: string, signal: AbortSignal) => Promise<Backup>
  readonly onMade: (backup: Backup) => void
  readonly onFailure: (reason: string) => void
  /** Milliseconds UTC. */
  readonly clock: () => number
  /** Monotonic clock in milliseconds. */
  readonly monotonicMs?: () => number
}

export interface BackupStatus {
  readonly folder: string
  readonly everyMs: number | undefined
  readonly keep: number
  readonly isRunning: boolean
  /** Latest backup anywhere, except files of the future. Undefined if there is none. */
  readonly latest: Backup | undefined
  readonly count: number
  /** Failure of the last attempt. Undefined if it succeeded. */
  readonly failure: { readonly atMs: number; readonly reason: string } | undefined
}

const checkEveryMs = 60_000

/** Backups of a running server, made on demand and by schedule, the oldest deleted. Failures never end the server. */
export class Backups {
  readonly #options: BackupsOptions
  readonly #monotonicMs: () => number
  readonly #stopping = new AbortController()
  #running: Promise<Backup> | undefined
  #timer: ReturnType<typeof setInterval> | undefined
  #failure: (NonNullable<BackupStatus['failure']> & { readonly sinceMs: number }) | undefined
  #lastMs: number

  constructor(options: BackupsOptions) {
    this.#options = options
    this.#monotonicMs = options.monotonicMs ?? (() => performance.now())
    this.#lastMs = this.#monotonicMs()
  }

  /** Starts the schedule, if there is one. */
  start(): void {
    const { everyMs } = this.#options
    if (everyMs === undefined) return
    this.#timer = setInterval(() => void this.check(), Math.min(checkEveryMs, Math.max(everyMs, 1_000)))
    this.#timer.unref()
  }

  /** Makes a backup if one is due. Never rejects. */
  async check(): Promise<void> {
    const { everyMs, clock } = this.#options
    if (everyMs === undefined || this.#running !== undefined) return
    const steadyMs = this.#monotonicMs()
    const moment = {
      ...{ everyMs, nowMs: clock(), latestMs: latestBackup(this.#options.folder, clock())?.createdMs },
      elapsedMs: steadyMs - this.#lastMs,
      sinceFailureMs: this.#failure && steadyMs - this.#failure.sinceMs,
    }
    if (isBackupDue(moment)) await this.make().catch(() => undefined) // told by `onFailure` and `status`
  }

  /** Makes a backup now. Concurrent callers share it. Rejects with the reason of a failure. */
  make(): Promise<Backup> {
    this.#running ??= this.#make().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  status(): BackupStatus {
    const { folder, dataDir, everyMs, keep, clock } = this.#options
    const latest = laterBackup(dataDir, latestBackup(folder, clock()))
    const failure = this.#failure && { atMs: this.#failure.atMs, reason: this.#failure.reason }
    const isRunning = this.#running !== undefined
    return { folder, everyMs, keep, isRunning, latest, count: listBackups(folder).length, failure }
  }

  /** Returns the backups in the folder with their file names, the latest first. */
  list(): (Backup & { readonly name: string })[] {
    return listBackups(this.#options.folder).map((backup) => ({ ...backup, name: basename(backup.path) }))
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort(new Error('the server stopped'))
    await this.#running?.catch(() => undefined)
  }

  async #make(): Promise<Backup> {
    const { folder, write, clock, onMade, onFailure } = this.#options
    try {
      const backup = await write(newBackupPath(folder, clock()), this.#stopping.signal)
      this.#failure = undefined
      this.#lastMs = this.#monotonicMs()
      this.#deleteSurplus(basename(backup.path))
      onMade(backup)
      return backup
    } catch (error) {
      const reason = errorText(error)
      this.#failure = { atMs: clock(), reason, sinceMs: this.#monotonicMs() }
      if (!this.#stopping.signal.aborted) onFailure(reason)
      throw error
    }
  }

  #deleteSurplus(made: string): void {
    const { folder, keep, clock, onFailure } = this.#options
    const names = listBackups(folder).map(({ path }) => basename(path))
    for (const name of surplusBackups(names, { made, keep, nowMs: clock() })) {
      try {
        rmSync(join(folder, name))
      } catch (error) {
        onFailure(`the old ${name} was not deleted: ${String(error)}`)
      }
    }
  }
}

/** Returns an unused path for a backup: names differ by the second. */
export function newBackupPath(folder: string, nowMs: number): string {
  const path = join(folder, backupFileName(nowMs))
  return existsSync(path) ? newBackupPath(folder, nowMs + 1_000) : path
}

/** Returns the latest backup of a folder that was not made with a wrong clock. */
export function latestBackup(folder: string, nowMs: number): Backup | undefined {
  return listBackups(folder).find(({ createdMs }) => !isOfFuture(createdMs, nowMs))
}

/** Returns the backups in a folder that this program named, the latest first. */
export function listBackups(folder: string): Backup[] {
  const names = namesIn(folder).filter((name) => backupTimeMs(name) !== undefined)
  return names
    .toSorted()
    .reverse()
    .flatMap((name) => {
      const path = join(folder, name)
      const found = statSync(path, { throwIfNoEntry: false })
      return found === undefined ? [] : [{ path, bytes: found.size, createdMs: backupTimeMs(name) ?? 0 }]
    })
}
