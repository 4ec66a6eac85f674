/** The starter model that transcribes, on the real engine in a child process. */

import { join } from 'node:path'
import { shippedManifests } from '../../models/index.ts'
import { parseManifest } from '../catalog/parse-manifest.ts'
import type { InstalledModel } from '../core/model.ts'
import type { TranscribeRequest, TranscriptSegment } from '../core/speech.ts'
import type { Consumption } from '../core/usage.ts'
import type { EngineSettings } from '../engines/engine-table.ts'
import { engineSpawn } from '../engines/host/spawn-engine.ts'
import type { EnginePool } from '../engines/pool.ts'
import { unlimited } from '../engines/protocol/work-engines.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { testPool } from './engine-pool.ts'
import { testEngineSettings } from './engine-settings.ts'
import { testedProgram } from './tested-program.ts'

const root = join(import.meta.dir, '..', '..')
const file = 'models/stt/starter-stt.toml'

/** Returns the starter model with its shipped manifest, or with other files. */
export function starterTranscriber(filePaths: Readonly<Record<string, string>> = {}): InstalledModel {
  const manifest = parseManifest(file, shippedManifests.find((shipped) => shipped.file === file)?.content)
  const paths = manifest.files.map(({ role, path = '' }) => [role, join(root, 'models', 'stt', path)])
  return { manifest, filePaths: { ...Object.fromEntries(paths), ...filePaths } }
}

export interface Transcript {
  readonly segments: readonly TranscriptSegment[]
  readonly text: string
  readonly language: string | undefined
  readonly usage: Consumption
}

export interface TranscriberPool extends AsyncDisposable {
  readonly pool: EnginePool
  /** Lines of the engines' log. */
  readonly lines: readonly string[]
  transcribe(
    model: InstalledModel,
    request: TranscribeRequest,
    context?: {
      readonly accountId?: string
      readonly signal?: AbortSignal
      readonly onSegment?: (segment: TranscriptSegment) => void
    },
  ): Promise<Transcript>
}

/** Starts real engines for the model, with unlimited grants. */
export function startTranscribers(options: Partial<EngineSettings> = {}): TranscriberPool {
  const lines: string[] = []
  const pool = testPool({
    spawn: engineSpawn({ command: testedProgram, environment: {} }),
    settings: { ...testEngineSettings, ...options },
    runtime: () => runtimePaths(''),
    log: ({ message }) => lines.push(message),
  })
  return {
    pool,
    lines,
    transcribe: async (model, request, context = {}) => {
      const { accountId = 'acc_test', signal = new AbortController().signal, onSegment } = context
      const segments: TranscriptSegment[] = []
      let language: string | undefined
      const work = { kind: 'transcribe', request } as const
      for await (const event of pool.run(model, work, { accountId, signal, meter: unlimited })) {
        if (event.type === 'segment') {
          segments.push(event)
          onSegment?.(event)
        }
        if (event.type === 'language') language = event.language
        if (event.type === 'finish')
          return { segments, text: segments.map(({ text }) => text).join(' '), language, usage: event.usage }
      }
      throw new Error('no end')
    },
    [Symbol.asyncDispose]: () => pool.stop(),
  }
}
