import { join } from 'node:path'
import { shippedManifests } from '../../models/index.ts'
import { parseManifest } from '../catalog/parse-manifest.ts'
import type { InstalledModel } from '../core/model.ts'
import type { TextModelSettings } from '../core/text-model-settings.ts'
import type { Scores, Vectors } from '../core/texts.ts'
import type { Consumption } from '../core/usage.ts'
import type { Work } from '../core/work.ts'
import type { EngineSettings } from '../engines/engine-table.ts'
import { engineSpawn } from '../engines/host/spawn-engine.ts'
import type { EnginePool } from '../engines/pool.ts'
import type { RuntimePaths } from '../engines/protocol/backend.ts'
import { unlimited } from '../engines/protocol/work-engines.ts'
import { runtimePaths } from '../engines/runtime/runtime-paths.ts'
import { testPool } from './engine-pool.ts'
import { testEngineSettings } from './engine-settings.ts'
import { testedProgram } from './tested-program.ts'

const root = join(import.meta.dir, '..', '..')

/** Returns a starter model with its shipped manifest, or with other settings and files. */
export function starterTextModel(
  type: 'embedding' | 'rerank',
  settings: Partial<TextModelSettings> = {},
  filePaths: Readonly<Record<string, string>> = {},
): InstalledModel {
  const file = `models/${type}/starter-${type === 'embedding' ? 'embed' : 'rerank'}.toml`
  const manifest = parseManifest(file, shippedManifests.find((shipped) => shipped.file === file)?.content)
  const paths = manifest.files.map(({ role, path = '' }) => [role, join(root, 'models', type, path)])
  if (manifest.encoder === undefined) throw new Error('the starter models have settings')
  return {
    manifest: { ...manifest, encoder: { ...manifest.encoder, ...settings } },
    filePaths: { ...Object.fromEntries(paths), ...filePaths },
  }
}

export interface TextModelPool extends AsyncDisposable {
  readonly pool: EnginePool
  /** Lines of the engines' log. */
  readonly lines: readonly string[]
  run(
    model: InstalledModel,
    work: Work<'embed' | 'rerank'>,
    context?: { readonly accountId?: string; readonly signal?: AbortSignal },
  ): Promise<{ readonly result: Vectors | Scores; readonly usage: Consumption }>
  /** Returns the vectors of texts. */
  embed(model: InstalledModel, ...texts: string[]): Promise<Float32Array[]>
}

/** Starts real engines for real models, with unlimited grants. */
export function startTextModels(
  options: Partial<EngineSettings> = {},
  environment: Readonly<Record<string, string>> = {},
  paths: Partial<RuntimePaths> = {},
): TextModelPool {
  const lines: string[] = []
  const pool = testPool({
    spawn: engineSpawn({ command: testedProgram, environment }),
    settings: { ...testEngineSettings, ...options },
    runtime: async () => ({ ...(await runtimePaths('')), ...paths }),
    log: ({ message }) => lines.push(message),
  })
  const run: TextModelPool['run'] = async (model, work, context = {}) => {
    const { accountId = 'acc_test', signal = new AbortController().signal } = context
    let result: Vectors | Scores | undefined
    for await (const event of pool.run(model, work, { accountId, signal, meter: unlimited })) {
      if ('values' in event) result = event
      if (event.type === 'finish' && result !== undefined) return { result, usage: event.usage }
    }
    throw new Error('no result')
  }
  return {
    pool,
    lines,
    run,
    embed: async (model, ...inputs) => {
      const { result } = await run(model, { kind: 'embed', request: { inputs } })
      if (result.type !== 'vectors') throw new Error('expected vectors')
      const { dimensions, values } = result
      return inputs.map((_, index) => values.subarray(index * dimensions, (index + 1) * dimensions))
    },
    [Symbol.asyncDispose]: () => pool.stop(),
  }
}
