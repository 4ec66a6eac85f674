import { openCatalog } from '../../catalog/open-catalog.ts'
import type { Config } from '../../config/config.ts'
import type { OnProgress } from '../../core/download.ts'
import { errorText } from '../../core/error-text.ts'
import { sizeText } from '../../core/quantities.ts'
import type { Preflight } from '../../library/preflight.ts'
import { Downloader } from '../../store/download/downloader.ts'
import type { ModelPlan } from '../../store/plan.ts'
import { pullModel } from '../../store/pull/pull-model.ts'
import { writeManifest } from '../../store/pull/write-manifest.ts'
import type { WebClient } from '../../store/web/web-client.ts'
import { type Io, jsonLine } from '../io.ts'
import { openDisplay } from './display.ts'

interface Fetch {
  readonly found: readonly Preflight[]
  /** Ids of models whose manifest has to be written. */
  readonly isNew: ReadonlySet<string>
  readonly config: Config
  readonly client: WebClient
  readonly signal: AbortSignal
  readonly isJson: boolean
}

/** Fetches the missing files of several models at once and reports each finished model. */
export async function fetchAll(io: Io, { found, isNew, config, client, signal, isJson }: Fetch): Promise<void> {
  const { data: dataDir, pullConnections: connections, pullRateBytes: bytesPerSecond } = config
  const display = openDisplay(io, { isJson })
  using downloader = new Downloader({ client, connections, bytesPerSecond })
  const fetchModel = async (plan: ModelPlan, missingBytes: number) => {
    const { id } = plan.manifest
    // The manifest comes first, so that an interrupted pull can be resumed by the model's id alone.
    if (isNew.has(id)) await writeManifest(dataDir, plan.manifest)
    display.begin(id, missingBytes)
    const onProgress: OnProgress = (progress) => display.progress(id, progress)
    const { files } = await pullModel(plan, { dataDir, downloader, signal, onProgress })
    display.end(id)
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const problem = statusProblem(dataDir, id)
    if (isJson) io.out(jsonLine({ event: 'ready', model: id, bytes, problem: problem ?? null }))
    else io.out(`${id} is here, ${sizeText(bytes)}. ${problem ?? 'A running server knows it already.'}\n`)
  }
  const failures: unknown[] = []
  await Promise.all(
    found.map(({ plan, missingBytes }) =>
      // A failure of one model does not end the others.
      fetchModel(plan, missingBytes).catch((error: unknown) => {
        display.end(plan.manifest.id)
        failures.push(error)
        if (found.length > 1 && !signal.aborted) io.error(`${plan.manifest.id}: ${errorText(error)}\n`)
      }),
    ),
  )
  if (failures.length > 0) throw failures[0]
}

/**
 * Returns why a model whose files are complete cannot be served; undefined if it can. The server checks models in the
 * same way.
 */
function statusProblem(dataDir: string, id: string): string | undefined {
  const status = openCatalog(dataDir).resolve(id)?.entry.status
  if (status?.kind === 'ready') return undefined
  const reason = status?.kind === 'broken' ? status.reason : 'its manifest, or a file, is gone'
  return `It cannot be served: ${reason}.`
}
