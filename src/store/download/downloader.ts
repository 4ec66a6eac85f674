import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { FileProgress, OnProgress } from '../../core/download.ts'
import { chunkBytes } from '../chunk-sum.ts'
import { type Disk, realDisk } from '../disk.ts'
import type { FileSums } from '../hash-file.ts'
import type { PlannedFile } from '../plan.ts'
import { HostSlots } from '../web/host-slots.ts'
import { Patience, type PatienceOptions } from '../web/patience.ts'
import { RateLimit } from '../web/rate-limit.ts'
import { resolveFile } from '../web/resolve-file.ts'
import type { WebClient } from '../web/web-client.ts'
import { ContentError, contentProblem, type Promised, promisedContent, sameMistake } from './check-content.ts'
import { asDiskError } from './disk-error.ts'
import type { FetchContext } from './fetch-context.ts'
import { fetchRanges } from './fetch-ranges.ts'
import { fetchUnsized } from './fetch-unsized.ts'
import { fetchWhole } from './fetch-whole.ts'
import { FileChanged, FileSource } from './file-source.ts'
import { existingFile, type FinishedFile, isNewerThan, placePart } from './finished-file.ts'
import { HashThread } from './hash-thread.ts'
import { discardPart, PartFile, partPath } from './part-file.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { lockTarget, type TargetLock } from './target-lock.ts'

/** Connections per host over all files. */
const hostConnections = 8

export interface DownloaderOptions {
  readonly client: WebClient
  /** Connections per file. Defaults to 4. */
  readonly connections?: number | undefined
  /** Rate limit over all files. Undefined means no limit. */
  readonly bytesPerSecond?: number | undefined
  readonly disk?: Disk
  /** Chunk size for tests. Checksums in a lock are of 64 MiB. */
  readonly chunkBytes?: number
  readonly pauseMs?: PatienceOptions['pauseMs']
}

export interface DownloadRequest {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

export interface DownloadedFile extends FileSums {
  /** Revision of the source. Undefined if it has none. */
  readonly commit: string | undefined
}

/** Requested file with the state of its download. */
interface Job extends FinishedFile {
  readonly planned: PlannedFile
  readonly patience: Patience
}

/** Times that a file is fetched again from the start because it changed or its content was wrong. */
const freshStarts = 2

/** Fetches files, several at once if requested. */
export class Downloader implements Disposable {
  readonly #options: DownloaderOptions
  readonly #disk: Disk
  readonly #slots: HostSlots
  readonly #rate: RateLimit
  readonly #hashes = new HashThread()

  constructor(options: DownloaderOptions) {
    this.#options = options
    this.#disk = options.disk ?? realDisk
    this.#slots = new HostSlots(hostConnections)
    this.#rate = new RateLimit(options.bytesPerSecond)
  }

  /**
   * Puts a file in place, complete and durable. On failure, keeps the usable part for the next time and throws
   * WebError, ContentError, DiskFullError or the signal's reason. Waits if another process downloads the same file, and
   * continues where that one stops.
   */
  async download(planned: PlannedFile, target: string, request: DownloadRequest): Promise<DownloadedFile> {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    const startMs = Date.now()
    const { signal, onProgress } = request
    let held: TargetLock | undefined
    const report = new ProgressReporter(planned.name, (progress) => {
      onProgress(progress)
      held?.publish(progress)
    })
    using lock = await lockTarget(target, { signal, onWait: (other) => onProgress(waiting(planned.name, other)) })
    held = lock
    const patience = new Patience({
      signal,
      pauseMs: this.#options.pauseMs,
      onTrouble: ({ message }, pauseMs) => report.say(`${message}; next attempt in ${Math.ceil(pauseMs / 1_000)} s`),
    })
    try {
      const isSettled = lock.hasWaited && (await isNewerThan(target, startMs))
      return await this.#obtain({ planned, target, disk: this.#disk, signal, report, patience }, isSettled)
    } catch (error) {
      throw await asDiskError(error, target, await missingBytes(target, planned.bytes))
    }
  }

  /** Ends the thread that hashes. */
  [Symbol.dispose](): void {
    this.#hashes[Symbol.dispose]()
  }

  async #obtain(job: Job, isSettled: boolean): Promise<DownloadedFile> {
    const { planned, target } = job
    if (planned.sha256 !== undefined || isSettled) {
      const promised = { ...planned, gitBlobSha1: planned.gitBlobSha1, commit: planned.commit }
      const sums = await existingFile(job, promised)
      if (sums !== undefined) return { ...sums, commit: planned.commit }
    }
    for (let start = 0; ; start++) {
      try {
        return await this.#fetch(job)
      } catch (error) {
        if (!(error instanceof FileChanged) || start >= freshStarts) throw error
        job.report.say(`${error.message}; the download begins anew`)
        await discardPart(target, this.#disk)
      }
    }
  }

  async #fetch(job: Job): Promise<DownloadedFile> {
    const { planned, signal, report, patience } = job
    report.begin('resolve', 0, planned.bytes)
    const address = new URL(planned.address)
    const { client } = this.#options
    const resolve = () => patience.persist(() => resolveFile(client, address, signal))
    const resolved = await resolve()
    const promised = promisedContent(planned, resolved)
    const { bytes, commit } = promised
    if (promised.sha256 !== undefined || promised.gitBlobSha1 !== undefined) {
      const sums = await existingFile(job, promised)
      if (sums !== undefined) return { ...sums, commit }
    }
    const source = new FileSource(address, resolved, resolve)
    const sums = await (bytes === undefined
      ? this.#fetchUnsized(job, source)
      : this.#fetchSized(job, source, { ...promised, bytes }))
    await placePart(job, planned.name)
    return { ...sums, commit }
  }

  #context({ signal, report, patience }: Job, source: FileSource) {
    const onBytes = (bytes: number) => report.add(bytes)
    return { client: this.#options.client, source, slots: this.#slots, rate: this.#rate, patience, signal, onBytes }
  }

  #fetchUnsized(job: Job, source: FileSource): Promise<FileSums> {
    job.report.begin('download', 0, undefined)
    return fetchUnsized({ ...this.#context(job, source), target: job.target, disk: this.#disk })
  }

  /** Fetches a file of known size. Tries twice if the content is wrong the first time. */
  async #fetchSized(job: Job, source: FileSource, promised: Promised & { bytes: number }): Promise<FileSums> {
    const first = await this.#fetchPart(job, source, promised)
    const problem = await contentProblem(partPath(job.target), first, promised)
    if (problem === undefined) return first
    job.report.say(`${job.planned.name} ${problem}; the download begins anew`)
    await discardPart(job.target, this.#disk)
    const second = await this.#fetchPart(job, source, promised)
    if ((await contentProblem(partPath(job.target), second, promised)) === undefined) return second
    await discardPart(job.target, this.#disk)
    throw new ContentError(`${job.planned.name} ${problem}: ${sameMistake(first, second)}`)
  }

  async #fetchPart(job: Job, source: FileSource, promised: Promised & { bytes: number }): Promise<FileSums> {
    const { target, signal, report } = job
    const { bytes, sha256, commit } = promised
    report.begin('verify', 0, bytes)
    await using part = await PartFile.open({
      target,
      identity: { bytes, sha256, tag: source.resolved.tag, commit },
      chunkBytes: this.#options.chunkBytes ?? chunkBytes,
      disk: this.#disk,
      hashes: this.#hashes,
      signal,
      onHashed: (hashed) => {
        if (report.phase === 'verify') report.set(hashed)
      },
    })
    const connections = this.#options.connections ?? 4
    const context: FetchContext = { ...this.#context(job, source), part, bytes, connections }
    report.begin('download', part.doneBytes, bytes)
    if (!source.resolved.hasRanges || !(await fetchRanges(context))) {
      report.begin('download', 0, bytes)
      await fetchWhole(context)
    }
    report.begin('verify', part.hashedBytes, bytes)
    return await part.end()
  }
}

/** Returns the progress of the process that is waited for. */
function waiting(name: string, other: FileProgress | undefined): FileProgress {
  const nothing = { name, bytes: 0, totalBytes: undefined, rate: undefined }
  return { ...(other ?? nothing), phase: 'wait' }
}

/** Returns the bytes that a download still has to write; undefined if the plan does not know the file's size. */
async function missingBytes(target: string, bytes: number | undefined): Promise<number | undefined> {
  if (bytes === undefined) return undefined
  const part = await stat(partPath(target)).catch(() => undefined)
  return Math.max(bytes - (part?.blocks ?? 0) * 512, 0)
}
