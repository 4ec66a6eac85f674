/** The onnx engine: one model that embeds texts or scores documents, in batches across requests. */
import type { LoadEngine } from '../protocol/engine.ts'
import { modelFile } from '../shared/model-file.ts'
import { PartsLoop } from '../shared/parts-loop.ts'
import { StepClock } from '../shared/step-clock.ts'
import { placed } from './session/open-sessions.ts'
import { type OnnxSettings, threadsPerText } from './settings.ts'
import { unknownInputs } from './text/batch-feeds.ts'
import { encodingTexts, type TextWork } from './text/encode-texts.ts'
import { checkGolden } from './text/golden.ts'
import { hasFusedAttention, openTextSessions } from './text/open-text-sessions.ts'
import { openTextModel } from './text/text-model.ts'
import { answerIdsOf, lastTokenRows, TextRows } from './text/text-rows.ts'
import { type NativeTokenizer, openTokenizer } from './text/tokenizer.ts'

/**
 * Tokens of a batch, padding included. A GPU wants many. A CPU is fastest with few, since the tensors between two
 * layers then stay in its caches: 31 tokens/ms against 23 with 8,192 (starter embedder, texts of 256 tokens). On a
 * GPU, unfused scores of 16 heads take at most 1.5 GB.
 */
const batchLimits = {
  cpu: { tokens: 512, rows: 64 },
  cuda: { tokens: 16_384, rows: 512, squares: 2 ** 24 },
} as const

/** Batches queued at a busy session, so that a GPU need not wait for its next one. A CPU gains nothing by it. */
const batchesAhead = { cpu: 0, cuda: 1 } as const

/** Lengths in tokens of the texts in a model's trial. One of them needs padding. */
const triedTokens = [1, 4]

export const loadOnnxEngine: LoadEngine<TextWork['kind'], OnnxSettings> = async (setup) => {
  const { model, runtime, isCautious, emit, onPhase = () => undefined } = setup
  const { manifest } = model
  const { encoder: reading, contextLength: limitTokens } = manifest
  if (reading === undefined || limitTokens === undefined) throw new Error('its manifest does not say how it encodes')
  const optimization = isCautious ? 'extended' : 'all'
  const clock = new StepClock()
  let opened: NativeTokenizer | undefined
  const tokenizer = () => {
    if (opened === undefined) {
      opened = openTokenizer(runtime.tokenizers, modelFile(model, 'tokenizer'))
      onPhase('tokenizer')
    }
    return opened
  }
  const readAnswerIds = () => answerIdsOf(tokenizer(), reading)
  const { sessions, device, threadsPerSession, provider, place, remark } = await openTextSessions({
    ...{ settings: reading, readAnswerIds, optimization, isAsFiled: isCautious },
    binding: runtime.onnxRuntime,
    modelPath: modelFile(model, 'model'),
    ...placed(setup, log),
    threadsTogether: threadsPerText,
    log,
    onDeath: endWith,
    clock,
  })
  onPhase('weights')
  const [{ inputs }] = sessions
  const unknown = unknownInputs(inputs)
  if (unknown.length > 0) throw new Error(`it wants inputs that are not known here: ${unknown.join(', ')}`)
  const wantsTypeIds = inputs.some(({ name }) => name === 'token_type_ids')
  const rows = await TextRows.open({ tokenizer: tokenizer(), settings: reading, limitTokens, wantsTypeIds })
  onPhase('tokenizer')
  const textsModel = await openTextModel({
    ...{
      manifest,
      settings: reading,
      sessions,
      rows,
      answerIds: readAnswerIds(),
      clock,
      triedRows: lastTokenRows({ tokenizer: tokenizer(), limitTokens }, triedTokens),
    },
    batchesPerSession: 1 + batchesAhead[device],
  })
  await checkGolden(reading, async (work) =>
    textsModel.toResult(work, await textsModel.compute(await textsModel.toRows(work, () => true))),
  )
  onPhase('check')
  const engine = encodingTexts({
    ...{ model: textsModel, limits: batchLimits[device], ahead: batchesAhead[device] },
    ...{ clock, log },
  })
  const loop = new PartsLoop(engine, { lanes: sessions.length, threadsPerLane: threadsPerSession, emit, clock })
  const threads = device === 'cpu' ? sessions.length * threadsPerSession : undefined
  const changes = [
    ...(textsModel.poolsInGraph ? [', pooling in the graph'] : []),
    ...(hasFusedAttention(sessions[0]) ? [', fused attention'] : []),
  ]
  const description = `${manifest.type} on ${place}, ${optimization} optimizations${changes.join('')}`
  return loop.serve({ device, threads, provider, remark, description, contextTokens: limitTokens, parallel: 0 })
}

/** Ends this process. The server starts another one. */
function endWith(reason: string): void {
  log(reason)
  process.exit(1)
}

/** Writes a line to stderr, which is the log. */
function log(line: string): void {
  process.stderr.write(`${line}\n`)
}
