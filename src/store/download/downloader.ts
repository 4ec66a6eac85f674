import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type Disk, realDisk } from '../disk.ts'
import { renameDurably } from '../durable.ts'
import { type FileSums, hashFile } from '../hash-file.ts'
import { chunkBytes } from '../lock.ts'
import type { PlannedFile } from '../plan.ts'
import type { OnProgress } from '../progress.ts'
import { HostSlots } from '../web/host-slots.ts'
import { Patience, type PatienceOptions } from '../web/patience.ts'
import { RateLimit } from '../web/rate-limit.ts'
import { resolveFile } from '../web/resolve-file.ts'
import type { WebClient } from '../web/web-client.ts'
import { ContentError, contentProblem, type Promised, promisedContent, sameMistake } from './check-content.ts'
import { checkStructure } from './check-structure.ts'
import { asDiskError } from './disk-error.ts'
import type { FetchContext } from './fetch-context.ts'
import { fetchRanges } from './fetch-ranges.ts'
import { fetchUnsized } from './fetch-unsized.ts'
import { fetchWhole } from './fetch-whole.ts'
import { FileChanged, FileSource } from './file-source.ts'
import { HashThreads } from './hash-threads.ts'
import { discardPart, PartFile, partPath } from './part-file.ts'
import { ProgressReporter } from './progress-reporter.ts'
import { lockTarget, type TargetLock } from './target-lock.ts'

export interface DownloaderOptions {
  readonly client: WebClient
  /** For one file; 4 unless given. */
  readonly connections?: number | undefined
  /** For one host, over all files; 8 unless given. */
  readonly hostConnections?: number | undefined
  /** Over all files; undefined: as fast as it comes. */
  readonly bytesPerSecond?: number | undefined
  readonly disk?: Disk
  /** Tests take smaller ones: the sums of a lock are of 64 MiB. */
  readonly chunkBytes?: number
  readonly pauseMs?: PatienceOptions['pauseMs']
}

export interface DownloadRequest {
  readonly signal: AbortSignal
  readonly onProgress: OnProgress
}

export interface DownloadedFile extends FileSums {
  /** Revision of the source that it is from, where the source says one. */
  readonly commit: string | undefined
}

/** One try of a file, with everything it needs. */
interface Job {
  readonly planned: PlannedFile
  readonly target: string
  readonly signal: AbortSignal
  readonly report: ProgressReporter
  readonly patience: Patience
}

/** How often a file is fetched anew because it changed, or came wrong. */
const freshStarts = 2

/** Fetches files, several at once if asked to. Close it when all is done. */
export class Downloader {
  readonly #options: DownloaderOptions
  readonly #disk: Disk
  readonly #slots: HostSlots
  readonly #rate: RateLimit
  readonly #hashes = new HashThreads()

  constructor(options: DownloaderOptions) {
    this.#options = options
    this.#disk = options.disk ?? realDisk
    this.#slots = new HostSlots(options.hostConnections ?? 8)
    this.#rate = new RateLimit(options.bytesPerSecond)
  }

  /**
   * Puts a file in place, whole and durably, or throws and leaves what is usable for the next time beside it: WebError,
   * ContentError, FileError (the file is not of its kind), DiskFullError, the signal's reason. If another process
   * downloads the same file, waits for that and goes on where it ends.
   */
  async download(planned: PlannedFile, target: string, request: DownloadRequest): Promise<DownloadedFile> {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    let lock: TargetLock | undefined
    const report = new ProgressReporter(planned.name, (progress) => {
      request.onProgress(progress)
      lock?.publish(progress)
    })
    const onWait: OnProgress = (progress) => request.onProgress({ ...progress, phase: 'wait' })
    lock = await lockTarget(target, {
      signal: request.signal,
      onWait: (progress) =>
        onWait(progress ?? { phase: 'wait', name: planned.name, bytes: 0, totalBytes: undefined, rate: undefined }),
    })
    const patience = new Patience({
      signal: request.signal,
      pauseMs: this.#options.pauseMs,
      onTrouble: ({ message }, pauseMs) => report.say(`${message}; next attempt in ${Math.ceil(pauseMs / 1_000)} s`),
    })
    try {
      return await this.#obtain({ planned, target, signal: request.signal, report, patience }, lock.hasWaited)
    } catch (error) {
      throw await asDiskError(error, target, await missingBytes(target, planned.bytes))
    } finally {
      lock.release()
    }
  }

  /** Ends the threads that hash. */
  close(): void {
    this.#hashes.close()
  }

  async #obtain(job: Job, hasWaited: boolean): Promise<DownloadedFile> {
    const { planned, target } = job
    if (planned.sha256 !== undefined || hasWaited) {
      const found = await this.#existing(job, { ...planned, gitBlobSha1: planned.gitBlobSha1, commit: planned.commit })
      if (found !== undefined) return found
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

  /** The file at its place, if it is what was promised. */
  async #existing({ target, signal, report }: Job, promised: Promised): Promise<DownloadedFile | undefined> {
    const found = await stat(target).catch(() => undefined)
    if (found === undefined || !found.isFile() || found.size !== (promised.bytes ?? found.size)) return undefined
    report.begin('verify', 0, found.size)
    const sums = await hashFile(target, { signal, onBytes: (bytes) => report.set(bytes) })
    if ((await contentProblem(target, sums, promised)) !== undefined) return undefined
    await discardPart(target, this.#disk)
    return { ...sums, commit: promised.commit }
  }

  async #fetch(job: Job): Promise<DownloadedFile> {
    const { planned, signal, report, patience } = job
    report.begin('resolve', 0, planned.bytes)
    const address = new URL(planned.address)
    const { client } = this.#options
    const resolved = await patience.persist(() => resolveFile(client, address, signal))
    const promised = promisedContent(planned, resolved)
    if (promised.sha256 !== undefined || promised.gitBlobSha1 !== undefined) {
      const found = await this.#existing(job, promised)
      if (found !== undefined) return found
    }
    const source = new FileSource(client, address, { resolved, signal })
    const { bytes } = promised
    const sums =
      bytes === undefined
        ? await this.#fetchUnsized(job, source)
        : await this.#fetchSized(job, source, { ...promised, bytes })
    return this.#place(job, sums, promised)
  }

  #context({ signal, report, patience }: Job, source: FileSource) {
    const onBytes = (bytes: number) => report.add(bytes)
    return { client: this.#options.client, source, slots: this.#slots, rate: this.#rate, patience, signal, onBytes }
  }

  #fetchUnsized(job: Job, source: FileSource): Promise<FileSums> {
    job.report.begin('download', 0, undefined)
    return fetchUnsized({ ...this.#context(job, source), target: job.target, disk: this.#disk })
  }

  /** Twice if the content is wrong the first time. */
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
    const part = await PartFile.open({
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
    try {
      const connections = this.#options.connections ?? 4
      const context: FetchContext = { ...this.#context(job, source), part, bytes, connections }
      report.begin('download', part.doneBytes, bytes)
      if (!source.resolved.hasRanges || !(await fetchRanges(context))) {
        report.begin('download', 0, bytes)
        await fetchWhole(context)
      }
      report.begin('verify', part.hashedBytes, bytes)
      return await part.end()
    } finally {
      await part.close()
    }
  }

  async #place({ planned, target }: Job, sums: FileSums, promised: Promised): Promise<DownloadedFile> {
    try {
      checkStructure(partPath(target), planned.name)
    } catch (error) {
      await discardPart(target, this.#disk)
      throw error
    }
    await renameDurably(partPath(target), target, this.#disk)
    await discardPart(target, this.#disk)
    return { ...sums, commit: promised.commit }
  }
}

/** What a download still has to write, as far as the plan says how long the file is. */
async function missingBytes(target: string, bytes: number | undefined): Promise<number | undefined> {
  if (bytes === undefined) return undefined
  const part = await stat(partPath(target)).catch(() => undefined)
  return Math.max(bytes - (part?.blocks ?? 0) * 512, 0)
}
