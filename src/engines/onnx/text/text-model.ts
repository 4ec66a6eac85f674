import type { ModelManifest } from '../../../core/model.ts'
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import { toVectors } from '../../finish-vectors.ts'
import type { Sessions } from '../session/open-sessions.ts'
import { toBatch } from './batch-feeds.ts'
import type { Pooled } from './pooling.ts'
import type { AnswerIds } from './scores.ts'
import type { RowModel } from './text-loop.ts'
import type { TextRows } from './text-rows.ts'
import type { Reading } from './text-thread.ts'

export interface TextModelOptions {
  readonly manifest: ModelManifest
  readonly settings: TextModelSettings
  /** Of the same model: as many batches are computed at a time. */
  readonly sessions: Sessions<Reading, Pooled>
  readonly rows: TextRows
  readonly answerIds: AnswerIds | undefined
}

/** A model whose every difference from others is in `settings`. Throws when the graph lacks the output they name. */
export function textModel({ manifest, settings, sessions, rows, answerIds }: TextModelOptions): RowModel {
  const { inputs, outputs } = sessions[0]
  const output = settings.output ?? outputs[0]
  if (output === undefined || !outputs.includes(output)) {
    throw new Error(`it has no output "${output}"; it has ${outputs.join(', ')}`)
  }
  const { pooling, padding, activation } = settings
  const reading =
    manifest.type === 'embedding'
      ? ({ type: 'vectors', pooling, padding } as const)
      : ({ type: 'scores', activation, padding, answerIds } as const)
  const idle = [...sessions]
  return {
    toRows: ({ kind, request }, isWanted) =>
      kind === 'embed' ? rows.embed(request, isWanted) : rows.rerank(request, isWanted),
    compute: async (batch) => {
      const session = idle.pop()
      if (session === undefined) throw new Error('more batches than sessions: this is a bug')
      try {
        const { feeds, shape, lengths } = toBatch(batch, inputs, settings)
        const { dimensions, values } = await session.run({ feeds, shape, output }, { ...reading, lengths })
        return batch.map((_, row) => values.subarray(row * dimensions, (row + 1) * dimensions))
      } finally {
        idle.push(session)
      }
    },
    toResult: ({ kind, request }, computed) =>
      kind === 'embed'
        ? toVectors(request, computed, settings.normalize)
        : { type: 'scores', values: Float32Array.from(computed, ([score]) => score ?? Number.NaN) },
  }
}
