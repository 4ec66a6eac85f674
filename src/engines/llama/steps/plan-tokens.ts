import type { NativeBatch } from '../native.ts'
import { chooseRows } from './choose-rows.ts'
import { prefillTokens } from './prefill-pace.ts'
import { positionAt, tokensFrom } from './prompt-layout.ts'
import { shareBudget } from './share-budget.ts'
import type { Slot } from './slot.ts'
import { layOut, type PlannedChunk, type StepLimits, type StepPlan, toChunk } from './step-plan.ts'

/**
 * Plans a token for each running answer, the longest waiting first, with proposals after it; then pieces of the prompts
 * in progress, each at most up to its next picture. `slots` have a token next: answers, prompts or both.
 */
export function planTokens(slots: readonly Slot[], limits: StepLimits): StepPlan {
  const { batchTokens, pieceTokens, costs, turn, drafts, hasOthers, isUnified, tileRows } = limits
  const generating = slots.filter(({ answer }) => answer.isGenerating)
  const processing = slots.filter(({ answer }) => !answer.isGenerating)
  // Beside anything else all of them go on: those left out would wait for the next prompts or pictures too.
  const all = { rows: generating.length, isTrial: false }
  const { rows, isTrial } = processing.length > 0 || hasOthers ? all : chooseRows(generating.length, costs)
  const answers = generating.toSorted((one, other) => one.lastStep - other.lastStep).slice(0, rows)
  // In a step with prompts no row is idle. Beside answers with separate caches, proposals take another micro-batch.
  const isDraftless = processing.length > 0 || isTrial || (answers.length > 1 && !isUnified)
  const proposed = isDraftless ? [] : (drafts?.choose(answers, costs) ?? [])
  const prompts = processing.map(({ accountId, answer: { runs, decoded, units } }) => ({
    accountId,
    tokens: tokensFrom(runs, decoded, units.length),
  }))
  const limit = Math.max(0, batchTokens - answers.length)
  const tokens = prefillTokens(costs, { room: limit, pieceTokens, answers: limits.answers, prompts, tileRows })
  const shares = shareBudget(prompts, { tokens, limit, turn })
  const chunks = [
    ...answers.map((slot, index) => toChunk(slot, 1, proposed[index])),
    ...processing.map((slot, index) => toChunk(slot, shares[index] ?? 0)),
  ]
  return layOut(chunks, toContent)
}

function toContent(chunks: readonly PlannedChunk[]): Pick<NativeBatch, 'tokens' | 'positions'> {
  const tokens: number[] = []
  const positions: number[] = []
  for (const { slot, units } of chunks) {
    const first = positionAt(slot.answer.runs, slot.answer.decoded)
    for (const [offset, unit] of units.entries()) {
      tokens.push(unit)
      positions.push(first + offset)
    }
  }
  return { tokens: Int32Array.from(tokens), positions: Int32Array.from(positions) }
}
