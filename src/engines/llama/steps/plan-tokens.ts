import type { NativeBatch } from '../native.ts'
import { positionAt, tokensFrom } from './prompt-layout.ts'
import { prefillTokens } from './prefill-pace.ts'
import { shareBudget } from './share-budget.ts'
import type { Slot } from './slot.ts'
import { layOut, type PlannedChunk, type StepLimits, type StepPlan, toChunk } from './step-plan.ts'

/**
 * A token for each answer that is being generated, then pieces of the prompts that are being processed, each at most up to
 * its next picture. `slots` have a token next.
 */
export function planTokens(slots: readonly Slot[], { batchTokens, costs, turn }: StepLimits): StepPlan {
  const answers = slots.filter(({ answer }) => answer.isGenerating)
  const processing = slots.filter(({ answer }) => !answer.isGenerating)
  const prompts = processing.map(({ accountId, answer: { runs, decoded, units } }) => ({
    accountId,
    tokens: tokensFrom(runs, decoded, units.length),
  }))
  const limit = Math.max(0, batchTokens - answers.length)
  const accounts = answers.map(({ accountId }) => accountId)
  const tokens = prefillTokens(costs, { room: limit, answers: accounts, prompts })
  const shares = shareBudget(prompts, { tokens, limit, turn })
  const chunks = [
    ...answers.map((slot) => toChunk(slot, 1)),
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
