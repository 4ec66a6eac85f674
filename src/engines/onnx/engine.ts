/** The onnx engine: one model that embeds texts or scores documents, in batches over all requests. */
import type { LoadEngine } from '../engine.ts'
import { modelFile } from '../model-file.ts'
import { openSessions, placed } from './session/open-sessions.ts'
import { type OnnxSettings, threadsPerText } from './settings.ts'
import { unknownInputs } from './text/batch-feeds.ts'
import { checkGolden } from './text/golden.ts'
import type { Pooled } from './text/pooling.ts'
import { TextLoop, type TextWork } from './text/text-loop.ts'
import { textModel } from './text/text-model.ts'
import { answerIdsOf, TextRows } from './text/text-rows.ts'
import type { Reading } from './text/text-thread.ts'
import { openTokenizer } from './text/tokenizer.ts'

/**
 * Tokens of a batch, padding included. A GPU wants many at once. A CPU is fastest with few, so that the tensors between two
 * layers stay in its caches: 31 tokens a ms against 23 with 8,192 (starter embedder, texts of 256 tokens).
 */
const batchLimits = {
  cpu: { tokens: 512, rows: 64 },
  cuda: { tokens: 16_384, rows: 512 },
} as const

export const loadOnnxEngine: LoadEngine<TextWork['kind'], OnnxSettings> = async (setup) => {
  const { model, runtime, isCautious, emit } = setup
  const { manifest } = model
  const { encoder: reading, contextLength: limitTokens } = manifest
  if (reading === undefined || limitTokens === undefined) throw new Error('its manifest does not say how it encodes')
  const optimization = isCautious ? 'extended' : 'all'
  const { sessions, device, threadsPerSession, provider, place, remark } = await openSessions<Reading, Pooled>({
    program: 'engines/onnx/text/text-thread.ts',
    binding: runtime.onnxRuntime,
    modelPath: modelFile(model, 'model'),
    optimization,
    ...placed(setup, log),
    threadsTogether: threadsPerText,
    log,
    onDeath: endWith,
  })
  const [{ inputs }] = sessions
  const unknown = unknownInputs(inputs)
  if (unknown.length > 0) throw new Error(`it wants inputs that are not known here: ${unknown.join(', ')}`)
  const tokenizer = openTokenizer(runtime.tokenizers, modelFile(model, 'tokenizer'))
  const wantsTypeIds = inputs.some(({ name }) => name === 'token_type_ids')
  const rows = await TextRows.open({ tokenizer, settings: reading, limitTokens, wantsTypeIds })
  const answerIds = answerIdsOf(tokenizer, reading)
  const textsModel = textModel({ manifest, settings: reading, sessions, rows, answerIds })
  await requireFittingTokenizer(() => textsModel.compute([rows.lastTokenRow()]))
  await checkGolden(reading, async (work) =>
    textsModel.toResult(work, await textsModel.compute(await textsModel.toRows(work, () => true))),
  )
  const loop = new TextLoop({
    model: textsModel,
    limits: batchLimits[device],
    lanes: sessions.length,
    threadsPerLane: threadsPerSession,
    emit,
    log,
  })
  const threads = device === 'cpu' ? sessions.length * threadsPerSession : undefined
  const description = `${manifest.type} on ${place}, ${optimization} optimizations`
  return {
    info: { device, threads, provider, remark, description, contextTokens: limitTokens, parallel: 0 },
    run: (id, accountId, work) => loop.add(id, accountId, work),
    grant: (id) => loop.grant(id),
    cancel: (id) => loop.cancel(id),
    useThreads: (count) => loop.useThreads(count),
    stats: () => loop.stats(),
  }
}

async function requireFittingTokenizer(compute: () => Promise<unknown>): Promise<void> {
  try {
    await compute()
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`its model file fails on the last token of its tokenizer; they may not belong together: ${reason}`)
  }
}

/** The server starts another process. */
function endWith(reason: string): void {
  log(reason)
  process.exit(1)
}

/** The child's error output is the log. */
function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
