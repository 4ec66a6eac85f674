import { WorkerThread } from '../core/worker-thread.ts'
import type { FileAnswer, FileTask } from './file-worker.ts'
import { recordLine } from './record-lines.ts'
import type { RecordsFileOptions } from './records-file.ts'
import type { ShippedRecord } from './shipped-record.ts'
import type { Sink } from './sink.ts'

/**
 * Records file, written by a thread: the few threads that Bun has for files serve uploads and models, and a disk that
 * hangs would take them one by one.
 */
export class FileSink implements Sink {
  readonly name = 'file'
  readonly #thread = new WorkerThread<FileTask, FileAnswer>({
    program: 'shipping/file-worker.ts',
    name: 'the thread that writes records',
  })

  constructor(options: Omit<RecordsFileOptions, 'clock'>) {
    this.#ask({ type: 'begin', options }).catch(() => undefined) // the next task tells
  }

  lastAuditId(): Promise<number | undefined> {
    return this.#ask({ type: 'last-audit-id' })
  }

  async send(records: readonly ShippedRecord[]): Promise<number> {
    const lines = records.map(recordLine).join('')
    await this.#ask({ type: 'append', lines, isFlushed: records.some(({ kind }) => kind === 'audit') })
    return 0
  }

  async check(): Promise<void> {
    await this.#ask({ type: 'check' })
  }

  /** Has the file opened again before the next records. */
  reopen(): void {
    this.#ask({ type: 'reopen' }).catch(() => undefined) // the next task tells
  }

  async close(): Promise<void> {
    await this.#ask({ type: 'close' })
    this.#thread[Symbol.dispose]()
  }

  async #ask(task: FileTask): Promise<number | undefined> {
    const answer = await this.#thread.ask(task)
    if ('problem' in answer) throw new Error(answer.problem)
    return answer.auditId
  }
}
