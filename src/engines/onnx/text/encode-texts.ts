/** Vectors and scores, computed in parts: texts are tokenized on arrival and computed in batches across requests. */
import type { ApiError } from '../../../core/errors.ts'
import type { Scores, Vectors } from '../../../core/texts.ts'
import { nothingConsumed } from '../../../core/usage.ts'
import type { Work } from '../../../core/work.ts'
import type { PartsEngine } from '../../shared/parts-job.ts'
import { SharedRuns } from '../../shared/shared-runs.ts'
import type { StepClock } from '../../shared/step-clock.ts'
import { type BatchLimits, type Row, takeRows } from './batch-rows.ts'
import { notComputed, tooManyWait } from './errors.ts'

/** Work on texts. */
export type TextWork = Work<'embed' | 'rerank'>

/** The model's functions for the loop. */
export interface RowModel {
  /**
   * Returns the rows of a request. Throws ApiError for unreadable rows, and any error once they are no longer wanted.
   */
  toRows(work: TextWork, isWanted: () => boolean): Promise<readonly Row[]>
  /** Computes a batch. Resolves with each row's result; rejects with a reason for the operator. */
  compute(rows: readonly Row[]): Promise<readonly Float32Array[]>
  /** Makes the answer from the results of all rows. Throws ApiError. */
  toResult(work: TextWork, computed: readonly Float32Array[]): Vectors | Scores
}

interface EncodeOptions {
  readonly model: RowModel
  readonly limits: BatchLimits
  /** Batches queued for busy lanes. Defaults to none. */
  readonly ahead?: number
  readonly clock: StepClock
  /** Writes a line for the operator. */
  readonly log: (line: string) => void
}

interface PlacedRow extends Row {
  /** Position among the texts of its request. */
  readonly position: number
}

/** Most tokens of waiting texts: 4 bytes each, and hours of work on a CPU. */
const waitingTokensLimit = 32 * 1024 * 1024

/**
 * Least share of a full batch that must wait before a batch is queued ahead: texts that come meanwhile would fill it
 * further.
 */
const aheadShare = 0.25

export function encodingTexts({
  model,
  limits,
  ahead = 0,
  clock,
  log,
}: EncodeOptions): PartsEngine<TextWork, PlacedRow, Float32Array, Vectors | Scores> {
  // A failing batch is retried in halves: it may be too large, or one row may be at fault.
  const batches = new SharedRuns(limits.rows, (rows: readonly Row[]) => model.compute(rows))
  let begunTokens = 0
  return {
    open: async (work, { isWanted }) => {
      const rows = await model.toRows(work, isWanted)
      const computed: Float32Array[] = []
      return {
        total: consumed(rows),
        partsOf: () => {
          const parts = rows.map((row, position) => ({ ...row, position }))
          return { parts: parts.sort((one, other) => other.ids.length - one.ids.length), isLast: true }
        },
        accept: (result, { position }) => {
          computed[position] = result
        },
        finish: () => [clock.time('accept', () => model.toResult(work, computed))],
        consumed,
      }
    },
    compute: (rows) => {
      begunTokens += tokensOf(rows)
      return batches.compute(rows)
    },
    costOf: ({ ids }) => ids.length,
    isUnordered: true,
    batching: (turns, { runs, lanes, waitingCost }) => {
      const allowed = waitingCost >= limits.tokens * aheadShare ? lanes + ahead : lanes
      if (runs < allowed && waitingCost > 0) clock.time('plan', () => takeRows(turns, limits))
    },
    startsWith: 'part',
    room: { costLimit: waitingTokensLimit, costOf: ({ promptTokens }) => promptTokens, refusal: tooManyWait },
    stats: () => ({ decodedPromptTokens: begunTokens }),
    toError: (thrown): ApiError => {
      log(`request failed: ${String(thrown)}`)
      return notComputed()
    },
  }
}

function tokensOf(rows: readonly Row[]): number {
  return rows.reduce((sum, { ids }) => sum + ids.length, 0)
}

function consumed(rows: readonly Row[]) {
  return { ...nothingConsumed, promptTokens: tokensOf(rows) }
}
