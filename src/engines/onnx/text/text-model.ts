import type { ModelManifest } from '../../../core/model.ts'
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import { toVectors } from '../../shared/finish-vectors.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import type { Sessions } from '../session/open-sessions.ts'
import { requireEqual } from '../session/probe-provider.ts'
import { added } from './added-names.ts'
import { toBatch } from './batch-feeds.ts'
import type { Row } from './batch-rows.ts'
import type { RowModel } from './encode-texts.ts'
import type { Pooled } from './pooling.ts'
import type { AnswerIds } from './scores.ts'
import type { TextRows } from './text-rows.ts'
import type { Reading } from './text-thread.ts'

interface TextModelOptions {
  readonly manifest: ModelManifest
  readonly settings: TextModelSettings
  /** Sessions of the same model. */
  readonly sessions: Sessions<Reading, Pooled>
  /** Batches given to each session, which computes them one after the other. */
  readonly batchesPerSession: number
  readonly rows: TextRows
  readonly answerIds: AnswerIds | undefined
  /** Rows of the trial run of the graph. */
  readonly triedRows: readonly Row[]
  readonly clock: StepClock
}

/** Output of a graph, and how to read it. */
interface Plan {
  readonly output: string
  readonly reading: ReadingOf<Reading>
}

type ReadingOf<Each> = Each extends unknown ? Omit<Each, 'lengths'> : never

/**
 * Opens a model that is fully described by `settings`. Rejects if the graph lacks the output they name, or fails on
 * the last tokens of its tokenizer. Uses the appended pooling nodes if their results equal those of the graph's own
 * output.
 */
export async function openTextModel(options: TextModelOptions): Promise<RowModel & { readonly poolsInGraph: boolean }> {
  const { settings, sessions, batchesPerSession, rows, answerIds, clock } = options
  const [session] = sessions
  const layout = answerIds === undefined ? settings : { ...settings, pooling: 'last' as const }
  const compute = async (on: typeof session, batch: readonly Row[], { output, reading }: Plan) => {
    const { feeds, lengths } = clock.time('build', () => toBatch(batch, on.inputs, layout))
    const { dimensions, values } = await on.run({ feeds, output }, { ...reading, lengths })
    return batch.map((_, row) => values.subarray(row * dimensions, (row + 1) * dimensions))
  }
  const plan = await choosePlan(options, (tried) => compute(session, options.triedRows, tried))
  const idle = Array.from({ length: batchesPerSession }, () => sessions).flat()
  return {
    poolsInGraph: plan.output === added.pooled,
    toRows: ({ kind, request }, isWanted) =>
      kind === 'embed' ? rows.embed(request, isWanted) : rows.rerank(request, isWanted),
    compute: async (batch) => {
      const free = idle.shift()
      if (free === undefined) throw new Error('more batches than sessions: this is a bug')
      try {
        return await compute(free, batch, plan)
      } finally {
        idle.push(free)
      }
    },
    toResult: ({ kind, request }, computed) =>
      kind === 'embed'
        ? toVectors(request, computed, settings.normalize)
        : { type: 'scores', values: Float32Array.from(computed, ([score]) => score ?? Number.NaN) },
  }
}

async function choosePlan(
  options: TextModelOptions,
  compute: (plan: Plan) => Promise<readonly Float32Array[]>,
): Promise<Plan> {
  const { outputs } = options.sessions[0]
  const output = options.settings.output ?? outputs[0]
  if (output === undefined || !outputs.includes(output)) {
    const own = outputs.filter((name) => name !== added.pooled)
    throw new Error(`it has no output "${output}"; it has ${own.join(', ')}`)
  }
  const plan = { output, reading: ownReading(options) }
  const wanted = await compute(plan).catch((error) => {
    throw new Error(
      `its model file fails on the last token of its tokenizer; they may not belong together: ${error.message}`,
    )
  })
  const isAppended = options.sessions.every((session) => session.outputs.includes(added.pooled))
  if (!isAppended) return plan
  const pooled = { output: added.pooled, reading: pooledReading(plan.reading) }
  try {
    for (const [row, values] of (await compute(pooled)).entries()) requireEqual(values, wanted[row] ?? [])
    return pooled
  } catch {
    return plan
  }
}

function ownReading({ manifest, settings, answerIds }: TextModelOptions): Plan['reading'] {
  const { pooling, padding, activation } = settings
  return manifest.type === 'embedding'
    ? { type: 'vectors', pooling, padding }
    : { type: 'scores', activation, padding, answerIds }
}

/** Returns how to read the output that `poolInGraph` appends. */
function pooledReading(reading: Plan['reading']): Plan['reading'] {
  return reading.type === 'vectors'
    ? { ...reading, pooling: reading.pooling === 'mean' ? 'sums' : 'none' }
    : { ...reading, answerIds: { yes: 0, no: 1 } }
}
