/**
 * Pace of scored prompts, which evaluations send by the thousand, beside answers of other accounts. After each step that
 * scored, those answers go on alone until the step's cost is a small share of their time. An account's own answers wait
 * as for any prompt. Pure.
 */
import type { Slot } from './slot.ts'
import type { StepPlan } from './step-plan.ts'

/**
 * Share of the answers' time that steps with scores of other accounts may add. With a small model more is lost between
 * the steps: a chat of 1,400 tokens per second kept 0.9 of them beside four scoring clients, on two busy cores.
 */
const scoringShare = 1 / 40

/** Returns the slots that take part in the next step: scored prompts pause beside other accounts' answers. */
export function takingPart(slots: readonly Slot[], { scoringDebtMs }: { readonly scoringDebtMs: number }) {
  if (scoringDebtMs <= 0) return slots
  const answering = new Set(slots.filter(({ answer }) => answer.isGenerating).map(({ accountId }) => accountId))
  return slots.filter((slot) => {
    if (!isScored(slot) || answering.size === 0) return true
    return answering.size === 1 && answering.has(slot.accountId)
  })
}

/** Returns whether the slot's prompt is being scored. */
export function isScored({ answer }: Slot): boolean {
  return answer.wantedScores !== undefined
}

/**
 * Returns the milliseconds for which answers go on before the next scores. `tookMs`: time of the step; `plainMs`: its
 * usual time without the scored prompts, 0 if unknown.
 */
export function scoringDebt(
  debtMs: number,
  { scoredRows, answerRows }: Pick<StepPlan, 'scoredRows' | 'answerRows'>,
  { tookMs, plainMs }: { readonly tookMs: number; readonly plainMs: number },
): number {
  if (scoredRows > 0) return Math.max(0, tookMs - plainMs)
  return answerRows > 0 ? Math.max(0, debtMs - tookMs * scoringShare) : debtMs
}
