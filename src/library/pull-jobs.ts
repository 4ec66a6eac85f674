/** Downloads of models by the running server. They stop with it; the next server continues from their bytes. */
import type { Catalog } from '../catalog/catalog.ts'
import { modelFolder } from '../catalog/locate-files.ts'
import { readPullNote } from '../catalog/pull-note.ts'
import type { Config } from '../config/config.ts'
import type { ConfigSources } from '../config/sources.ts'
import {
  type Download,
  type DownloadEnd,
  type FileProgress,
  newDownload,
  type OnProgress,
  progressOf,
  withProgress,
} from '../core/download.ts'
import { errorText } from '../core/error-text.ts'
import type { ModelManifest } from '../core/model.ts'
import { Downloader } from '../store/download/downloader.ts'
import { pullModel } from '../store/pull/pull-model.ts'
import { writeManifest } from '../store/pull/write-manifest.ts'
import type { Hub } from '../store/sources/hub.ts'
import type { GpuFilesWish } from '../store/sources/source.ts'
import { planSource } from '../store/sources/sources.ts'
import { openHub, shareCredentials } from './open-hub.ts'
import { diskProblem, type Preflight, preflight } from './preflight.ts'

interface PullJobsOptions {
  readonly config: Config
  readonly environment: ConfigSources['environment']
  readonly catalog: Catalog
  /** Called when a download begins and when it ends. */
  readonly onChange: (download: Download) => void
  /** Milliseconds UTC. */
  readonly clock: () => number
  /** Returns whether files that only loads on a GPU use are pulled. */
  readonly gpuFilesWish: () => Promise<GpuFilesWish>
  /** Completes the commands in a text, so that they reach this server. */
  readonly complete: (text: string) => string
}

export interface PullRequest {
  /** An id or an alias of the catalog, `hf:…`, `https://…` or `inferd://…`. */
  readonly source: string
  /** Id for a model that is not in the catalog. */
  readonly id: string | undefined
  /** True to fetch the projector of the repository too. */
  readonly withProjector: boolean
  /** True to download even if the model does not fit or replaces an existing one. */
  readonly isForced: boolean
}

/**
 * Reason why a download does not begin. `source` means that the model does not exist, or its source does not have it.
 */
export interface RefusedPull {
  readonly kind: 'source' | 'disk' | 'memory'
  readonly reason: string
}

export interface ShownLicense {
  readonly name: string
  /** Address of the licence. Undefined if unknown. */
  readonly url: string | undefined
  /** True if it binds whoever serves the model, so that it must be accepted. */
  readonly mustAccept: boolean
}

/** A download that is ready to begin. */
interface PreparedPull {
  readonly kind: 'prepared'
  readonly model: string
  /** Engine of the model. Undefined if the model is being downloaded already. */
  readonly engine: ModelManifest['engine'] | undefined
  readonly missingBytes: number
  /** Hints for the operator. */
  readonly notes: readonly string[]
  /** Licence to show before the download. Undefined if unknown. */
  readonly shownLicense: ShownLicense | undefined
  /**
   * Licence that binds whoever serves the model. Undefined if none does. `text` is its address, or its name without
   * one.
   */
  readonly license: { readonly license: string; readonly text: string } | undefined
  /**
   * Begins the download. Returns false if the model is already being downloaded, or has been since this was prepared.
   */
  start(): boolean
}

interface StartedPull extends Pick<Hub, 'client'> {
  readonly found: Preflight
  /** True if the model's manifest has to be written. */
  readonly isNew: boolean
  /** Time at which missing files were determined. */
  readonly askedMs: number
}

interface Job {
  /** Download as last reported to followers. */
  download: Download
  /** Download with all progress since that report. */
  latest: Download
  readonly stop: AbortController
  ended: Promise<void>
  toldMs: number
}

/** Longest wait for a busy server while a page waits for the answer. */
const pageWaitMs = 10_000

/** Pause between two reports of bytes to followers. */
const pauseMs = 500

export class PullJobs {
  readonly #options: PullJobsOptions
  /** Latest job by model. */
  readonly #jobs = new Map<string, Job>()
  readonly #followers = new Set<(download: Download) => void>()
  readonly #stopping = new AbortController()

  constructor(options: PullJobsOptions) {
    this.#options = options
  }

  /** Returns the running downloads, and the last ended one of each model since the start. */
  states(): Download[] {
    return [...this.#jobs.values()].map(({ download }) => download)
  }

  /** Calls `follower`, which must not throw, with every change. Returns a function that ends this. */
  follow(follower: (download: Download) => void): () => void {
    this.#followers.add(follower)
    return () => void this.#followers.delete(follower)
  }

  /** Returns whether a pull of the source shows its server the key for other boxes. */
  sendsShareKey(source: string): boolean {
    return shareCredentials(this.#options.config, [source]).length > 0
  }

  /** Asks the source, and checks that the model fits onto the disk and into the memory. Writes nothing. */
  async prepare({ source, id: newId, withProjector, isForced }: PullRequest): Promise<PreparedPull | RefusedPull> {
    const { config, environment, catalog, clock, gpuFilesWish } = this.#options
    const { signal } = this.#stopping
    const askedMs = clock()
    const name = newId ?? source
    const id = catalog.resolve(name)?.entry.manifest.id ?? name
    const running = this.#jobs.get(id)?.download
    if (running?.state === 'running') {
      const missingBytes = progressOf(running).totalBytes
      const rest = { engine: undefined, notes: [], license: undefined, shownLicense: undefined, start: () => false }
      return { kind: 'prepared', model: id, missingBytes, ...rest }
    }
    try {
      const hub = openHub(config, environment, { sources: [source], questions: { longestWishMs: pageWaitMs } })
      const asked = { id: newId, sha256: undefined, withProjector, gpuFilesWish, isForced }
      const { plan, notes, isNew } = await planSource(source, { catalog, hub, signal, ...asked })
      const found = await preflight(plan, { config, client: hub.client, signal })
      const problem = isForced ? undefined : await fitProblem(found, config)
      if (problem !== undefined) return problem
      const { id: model, license, licenseUrl, acceptLicense } = plan.manifest
      return {
        kind: 'prepared',
        model,
        engine: plan.manifest.engine,
        missingBytes: found.missingBytes,
        notes: [...notes, ...found.remarks],
        shownLicense: licenseOf(found.plan.manifest),
        license: acceptLicense === true && license !== undefined ? { license, text: licenseUrl ?? license } : undefined,
        start: () => this.#start({ found, isNew, client: hub.client, askedMs }),
      }
    } catch (error) {
      return { kind: 'source', reason: errorText(error) }
    }
  }

  /** Stops a download and keeps its bytes for the next one. Returns false if none runs. */
  async cancel(model: string): Promise<boolean> {
    const job = this.#jobs.get(model)
    if (job?.download.state !== 'running') return false
    job.stop.abort(new Error('it was cancelled'))
    await job.ended
    return true
  }

  isRunning(model: string): boolean {
    return this.#jobs.get(model)?.download.state === 'running'
  }

  /** Returns whether another process, such as `inferd pull`, downloads the model. */
  isPulledElsewhere(model: string): boolean {
    const note = readPullNote(modelFolder(this.#options.config.data, model))
    return note !== undefined && note.pid !== process.pid
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the server stopped'))
    await Promise.all([...this.#jobs.keys()].map((model) => this.cancel(model)))
  }

  #start(pull: StartedPull): boolean {
    const { missingBytes, plan } = pull.found
    const model = plan.manifest.id
    const last = this.#jobs.get(model)?.download
    if (last?.state === 'done' && last.endedMs >= pull.askedMs) return false
    return this.begin(model, missingBytes, (signal, onProgress) => this.#run(pull, signal, onProgress))
  }

  /**
   * Begins work that brings a model's files here, which followers see and `cancel` stops like a download. Returns false
   * if one of the model runs.
   */
  begin(
    model: string,
    missingBytes: number,
    work: (signal: AbortSignal, onProgress: OnProgress) => Promise<void>,
  ): boolean {
    if (this.isRunning(model) || this.#stopping.signal.aborted) return false
    const { clock, complete, onChange } = this.#options
    const download = newDownload({ model, missingBytes, startedMs: clock() })
    const job: Job = { download, latest: download, stop: new AbortController(), ended: Promise.resolve(), toldMs: 0 }
    this.#jobs.set(model, job)
    onChange(download)
    const onProgress = (progress: FileProgress) => {
      job.latest = withProgress(job.latest, progress)
      const nowMs = performance.now()
      if (nowMs - job.toldMs < pauseMs) return
      job.toldMs = nowMs
      this.#tell(job, job.latest)
    }
    job.ended = work(job.stop.signal, onProgress).then(
      () => this.#end(job, { state: 'done', endedMs: clock() }),
      (error: unknown) => {
        const endedMs = clock()
        if (job.stop.signal.aborted) return this.#end(job, { state: 'cancelled', endedMs })
        this.#end(job, { state: 'failed', endedMs, error: complete(errorText(error)) })
      },
    )
    return true
  }

  async #run(
    { found: { plan }, isNew, client }: StartedPull,
    signal: AbortSignal,
    onProgress: OnProgress,
  ): Promise<void> {
    const { data: dataDir, pullConnections: connections, pullRateBytes: bytesPerSecond } = this.#options.config
    using downloader = new Downloader({ client, connections, bytesPerSecond })
    // The manifest comes first, so that a stopped download can be resumed by the model's id alone.
    if (isNew) await writeManifest(dataDir, plan.manifest)
    await pullModel(plan, { dataDir, downloader, signal, onProgress })
  }

  #end(job: Job, end: DownloadEnd): void {
    this.#tell(job, { ...job.latest, ...end })
    this.#options.onChange(job.download)
  }

  #tell(job: Job, download: Download): void {
    job.download = download
    for (const follower of this.#followers) follower(download)
  }
}

export function licenseOf({ license, licenseUrl, acceptLicense }: ModelManifest): ShownLicense | undefined {
  return license === undefined ? undefined : { name: license, url: licenseUrl, mustAccept: acceptLicense === true }
}

async function fitProblem(found: Preflight, config: Config): Promise<RefusedPull | undefined> {
  const disk = await diskProblem([found], config)
  // The message is shown on pages, which have no flags.
  if (disk !== undefined) return { kind: 'disk', reason: disk.replace(', or --force to try', '') }
  if (found.memory?.fits !== false) return undefined
  const { id } = found.plan.manifest
  return { kind: 'memory', reason: `${id} does not fit into the memory of this machine` }
}
