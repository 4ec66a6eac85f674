import { secondMs } from '../core/durations.ts'
import { within } from '../core/within.ts'
import { WorkerThread } from '../core/worker-thread.ts'
import { BackupError } from './backup-format.ts'
import type { FolderAnswer, FolderResults, FolderTask, Room } from './folder-worker.ts'
import type { Backup } from './write-backup.ts'

interface BackupFolderOptions {
  /** Absolute path. */
  readonly path: string
  /** Thread that looks at the folder. Started at the first look without one. */
  readonly thread?: Pick<WorkerThread<FolderTask, FolderAnswer>, 'ask' | typeof Symbol.dispose>
  /** Time in which the folder must answer. */
  readonly limitMs?: number
}

/**
 * Folder of backups, which may be on a disk that hangs. A thread looks at it, and all looks reject with BackupError once
 * it is silent.
 */
export class BackupFolder implements Disposable {
  readonly path: string
  readonly #limitMs: number
  #thread: BackupFolderOptions['thread']
  /** Looks without an answer so far. */
  #running = 0
  /** Looks that were given up and still hang. */
  #late = 0

  constructor({ path, thread, limitMs = 10 * secondMs }: BackupFolderOptions) {
    this.path = path
    this.#thread = thread
    this.#limitMs = limitMs
  }

  /** Returns the backups that this program named, the latest first. None if the folder is missing. */
  list(): Promise<readonly Backup[]> {
    return this.#ask('list', this.path)
  }

  /** Returns the space on its disk. */
  room(): Promise<Room> {
    return this.#ask('room', this.path)
  }

  /** Deletes the file of a backup. */
  async remove({ path }: Pick<Backup, 'path'>): Promise<void> {
    await this.#ask('remove', path)
  }

  /** Ends the thread, unless it hangs: the process would wait for its end. */
  [Symbol.dispose](): void {
    if (this.#running === 0) this.#thread?.[Symbol.dispose]()
  }

  async #ask<Type extends FolderTask['type']>(type: Type, path: string): Promise<FolderResults[Type]> {
    if (this.#late > 0) throw this.#silence()
    this.#thread ??= new WorkerThread<FolderTask, FolderAnswer>({
      program: 'upkeep/folder-worker.ts',
      name: 'the thread that looks at the backup folder',
    }).unref()
    this.#running++
    const asked = this.#thread.ask({ type, path }).finally(() => this.#running--)
    const answer = await within(asked, this.#limitMs, () => {
      this.#late++
      const isOver = () => void this.#late--
      asked.then(isOver, isOver)
      throw this.#silence()
    })
    if ('problem' in answer) throw new BackupError(answer.problem)
    return answer.result as FolderResults[Type] // the one of its task
  }

  #silence(): BackupError {
    return new BackupError(`the backup folder ${this.path} does not answer: its disk hangs`)
  }
}
