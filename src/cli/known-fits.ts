/** Fits of models into this machine, as the running server predicts them. */
import { version } from '../config/config.ts'
import type { AsJson } from '../operations/as-json.ts'
import type { OperationResult } from '../operations/operations.ts'
import { askToPerform } from './control-client.ts'

type ListedHere = AsJson<OperationResult<'models-list'>>['models'][number]

type Verdict = NonNullable<ListedHere['fit']>['verdict']

export interface KnownFit extends Pick<ListedHere, 'isRecommended' | 'isLoaded'> {
  /** Null if it is unknown. */
  readonly verdict: Verdict | null
}

/** Time to wait for the server's answer, without which the list is shown too. */
const answerWithinMs = 2_000

/** Returns the fit of each model by its id. Empty if no server runs, or it does not answer in time. */
export async function readKnownFits(dataDir: string, actor: string): Promise<ReadonlyMap<string, KnownFit>> {
  const asked = { name: 'models-list', request: { version, actor, input: {} }, answerWithinMs }
  const reply = await askToPerform(dataDir, asked).catch(() => undefined)
  if (reply?.kind !== 'done') return new Map()
  const { models } = reply.result as { readonly models: readonly ListedHere[] } // of the operation of this name
  return new Map(
    models.map(({ id, fit, isRecommended, isLoaded }) => [
      id,
      { isRecommended, isLoaded, verdict: fit?.verdict ?? null },
    ]),
  )
}

const words: Readonly<Record<Verdict, string>> = { fits: 'fits', alone: 'fits alone', 'too-large': 'too large' }

/** Returns "fits", "loaded" and so on, with a star for the recommended model; `-` if unknown. */
export function fitWord(fit: KnownFit | undefined): string {
  if (fit === undefined) return '-'
  const word = fit.isLoaded ? 'loaded' : fit.verdict === null ? '-' : words[fit.verdict]
  return fit.isRecommended ? `${word} *` : word
}
