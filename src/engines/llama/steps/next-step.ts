/**
 * Steps that the addon begins by itself: where the same answers go on, each with the token that was just sampled for it, nothing has
 * to be planned. Meanwhile this thread accepts, reads and sends what the step before has sampled.
 */
import type { NativeNextResult, NativeSample } from '../native.ts'
import type { Slot } from './slot.ts'
import type { StepPlan } from './step-plan.ts'

/**
 * Returns whether the step after this one can decode the same answers whatever is sampled now: no answer can end by its length, by
 * repeating itself or by its grant before its last token. `working`: all slots that take part in steps.
 */
export function canGoOn({ chunks, readers, promptRows }: StepPlan, working: readonly Slot[]): boolean {
  if (promptRows > 0 || readers.length !== chunks.length || working.length !== chunks.length) return false
  return chunks.every(({ slot, drafts }) => drafts === 0 && working.includes(slot) && hasRoom(slot))
}

/** Returns whether there is room for the token of the running step and one after it. */
function hasRoom({ request, answer }: Slot): boolean {
  return !request.isOver && answer.sampleRoom >= 2 && request.tokensLeft(answer) >= 2
}

/** Returns whether every answer of a step goes on, as the addon decides it too. */
export function allGoOn(result: NativeNextResult): boolean {
  if (result.kind !== 'ok') return false
  return result.samples.every(
    ([only, ...more]) => more.length === 0 && only?.end === undefined && only?.error === undefined,
  )
}

/**
 * Returns the plan of the step that began behind one with these samples: it decodes them, also those of requests that have been
 * cancelled since, which accept no more tokens. Its batch is laid out by the addon.
 */
export function planNext(plan: StepPlan, samples: readonly (readonly NativeSample[])[]): StepPlan {
  const chunks = plan.chunks.map(({ slot }, index) => ({ slot, units: tokensOf(samples[index]), drafts: 0 }))
  return { ...plan, chunks }
}

function tokensOf(samples: readonly NativeSample[] = []): number[] {
  return samples.map(({ token }) => token)
}
