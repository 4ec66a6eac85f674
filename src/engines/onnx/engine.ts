/** The onnx engine: one model that embeds texts or scores documents, in batches over all requests. */
import { readdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Engine, EngineSetup, LoadEngine } from '../engine.ts'
import { defaultThreads, readCpuAllowance } from '../threads.ts'
import { unknownInputs } from './batch-feeds.ts'
import { checkGolden } from './golden.ts'
import { openOnDevice } from './open-on-device.ts'
import { shareThreads } from './share-threads.ts'
import { TextLoop, type TextWork } from './text-loop.ts'
import { textModel } from './text-model.ts'
import { answerIdsOf, TextRows } from './text-rows.ts'
import { openTokenizer } from './tokenizer-binding.ts'

/**
 * Tokens of a batch, padding included. A GPU wants many at once. A CPU is fastest with so few that what is between two
 * layers stays in its caches: 31 tokens a ms against 23 with 8,192 (starter embedder, texts of 256 tokens).
 */
const batchLimits = {
  cpu: { tokens: 512, rows: 64 },
  cuda: { tokens: 16_384, rows: 512 },
} as const

export const loadOnnxEngine: LoadEngine<TextWork['kind']> = async (setup) => {
  const { model, options, runtime, isCautious, emit } = setup
  const { manifest } = model
  const { encoder: settings, contextLength: mostTokens } = manifest
  if (settings === undefined || mostTokens === undefined) throw new Error('its manifest does not say how it encodes')
  const modelPath = filePath(setup, 'model')
  const threads = options.threads > 0 ? options.threads : defaultThreads(readCpuAllowance())
  const optimization = isCautious ? 'extended' : 'all'
  const sessionOptions = { binding: runtime.onnxRuntime, modelPath, optimization } as const
  const shares = shareThreads(threads, modelBytes(modelPath))
  const opened = await openOnDevice(sessionOptions, shares, options.device, log, endWith)
  const { sessions, device, provider } = opened
  const [{ inputs }] = sessions
  const unknown = unknownInputs(inputs)
  if (unknown.length > 0) throw new Error(`it wants inputs that are not known here: ${unknown.join(', ')}`)
  const tokenizer = openTokenizer(runtime.tokenizers, filePath(setup, 'tokenizer'))
  const wantsTypeIds = inputs.some(({ name }) => name === 'token_type_ids')
  const rows = await TextRows.open({ tokenizer, settings, mostTokens, wantsTypeIds })
  const textsModel = textModel({ manifest, settings, sessions, rows, answerIds: answerIdsOf(tokenizer, settings) })
  await requireFittingTokenizer(() => textsModel.compute([rows.lastTokenRow()]))
  await checkGolden(settings, async (work) =>
    textsModel.toResult(work, await textsModel.compute(await textsModel.toRows(work, () => true))),
  )
  const loop = new TextLoop({ model: textsModel, limits: batchLimits[device], lanes: sessions.length, emit, log })
  const { length } = sessions
  const place = device === 'cpu' ? `${length} x ${shares.threadsPerSession} CPU threads` : device
  return toEngine(loop, {
    device,
    provider,
    description: `${manifest.type} on ${place}, ${optimization} optimizations`,
    contextTokens: mostTokens,
    parallel: 0,
  })
}

function toEngine(loop: TextLoop, info: Engine['info']): Engine<TextWork['kind']> {
  return {
    info,
    kinds: ['embed', 'rerank'],
    run: (id, accountId, work) => loop.add(id, accountId, work),
    grant: (id) => loop.grant(id),
    cancel: (id) => loop.cancel(id),
    stats: () => loop.stats(),
  }
}

function filePath({ model }: EngineSetup<TextWork['kind']>, role: string): string {
  const path = model.filePaths[role]
  if (path === undefined) throw new Error(`the manifest of ${model.manifest.id} names no file with role "${role}"`)
  return path
}

/** Of the graph and of the weights that lie beside it, under names that begin with its own. */
function modelBytes(modelPath: string): number {
  const folder = dirname(modelPath)
  const names = readdirSync(folder).filter((name) => name.startsWith(basename(modelPath)))
  return names.reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
}

async function requireFittingTokenizer(compute: () => Promise<unknown>): Promise<void> {
  try {
    await compute()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`its model file fails on the last token of its tokenizer; they may not belong together: ${reason}`)
  }
}

/** The server starts another. */
function endWith(reason: string): void {
  log(reason)
  process.exit(1)
}

/** The child's error output is the log. */
function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
