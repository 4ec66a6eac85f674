import { basename } from 'node:path'
import { errorText } from '../core/error-text.ts'
import type { BackupFolder } from './backup-folder.ts'
import { laterBackup } from './backup-note.ts'
import { isBackupDue, surplusBackups } from './backup-schedule.ts'
import { latestOf, newBackupPath } from './list-backups.ts'
import type { Backup } from './write-backup.ts'

export interface BackupsOptions {
  readonly folder: BackupFolder
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
  /** Number of backups in the folder when it last answered. */
  readonly count: number
  /** Reason why the folder could not be looked at. Undefined if it could. */
  readonly folderProblem: string | undefined
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
  #found: readonly Backup[] = []
  #folderProblem: string | undefined
  /** Time of the last look at the folder by the monotonic clock. Undefined before the first one. */
  #lookedMs: number | undefined

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
    await this.#look()
    const steadyMs = this.#monotonicMs()
    const moment = {
      ...{ everyMs, nowMs: clock(), latestMs: latestOf(this.#found, clock())?.createdMs },
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

  /** Failure of the last attempt. Undefined if it succeeded. */
  get failure(): BackupStatus['failure'] {
    return this.#failure && { atMs: this.#failure.atMs, reason: this.#failure.reason }
  }

  /** Looks at the folder, and returns the state. Never rejects. */
  async status(): Promise<BackupStatus> {
    await this.#look()
    return this.#status()
  }

  /** Returns the state by the last look at the folder, without a wait. Looks again where that is a minute ago. */
  lastStatus(): BackupStatus {
    if (this.#lookedMs === undefined || this.#monotonicMs() - this.#lookedMs >= checkEveryMs) void this.#look()
    return this.#status()
  }

  /** Returns the backups in the folder with their file names, the latest first. Rejects if it does not answer. */
  async list(): Promise<(Backup & { readonly name: string })[]> {
    const found = await this.#options.folder.list()
    return found.map((backup) => ({ ...backup, name: basename(backup.path) }))
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#stopping.abort(new Error('the server stopped'))
    await this.#running?.catch(() => undefined)
    this.#options.folder[Symbol.dispose]()
  }

  #status(): BackupStatus {
    const { folder, dataDir, everyMs, keep, clock } = this.#options
    const latest = laterBackup(dataDir, latestOf(this.#found, clock()))
    const isRunning = this.#running !== undefined
    const found = { latest, count: this.#found.length, folderProblem: this.#folderProblem }
    return { folder: folder.path, everyMs, keep, isRunning, ...found, failure: this.failure }
  }

  /** Keeps what the folder last answered, and why it does not. */
  async #look(): Promise<void> {
    this.#lookedMs = this.#monotonicMs()
    try {
      this.#found = await this.#options.folder.list()
      this.#folderProblem = undefined
    } catch (error) {
      this.#folderProblem = errorText(error)
    }
  }

  async #make(): Promise<Backup> {
    const { folder, write, clock, onMade, onFailure } = this.#options
    try {
      const backup = await write(newBackupPath(folder.path, await folder.list(), clock()), this.#stopping.signal)
      this.#failure = undefined
      this.#lastMs = this.#monotonicMs()
      await this.#deleteSurplus(basename(backup.path))
      onMade(backup)
      return backup
    } catch (error) {
      const reason = errorText(error)
      this.#failure = { atMs: clock(), reason, sinceMs: this.#monotonicMs() }
      if (!this.#stopping.signal.aborted) onFailure(reason)
      throw error
    }
  }

  /** Deletes what is too much, and looks at the folder again. */
  async #deleteSurplus(made: string): Promise<void> {
    const { folder, keep, clock, onFailure } = this.#options
    await this.#look()
    const names = this.#found.map(({ path }) => basename(path))
    const surplus = new Set(surplusBackups(names, { made, keep, nowMs: clock() }))
    for (const backup of this.#found.filter(({ path }) => surplus.has(basename(path)))) {
      await folder.remove(backup).catch((error: unknown) => {
        onFailure(`the old ${basename(backup.path)} was not deleted: ${errorText(error)}`)
      })
    }
    if (surplus.size > 0) await this.#look()
  }
}
