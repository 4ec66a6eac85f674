/** Verdicts on a server by its list of models. Pure. */
import type { ModelManifest } from '../../../core/model.ts'
import type { ModelAnswer } from '../endpoints/ask-server.ts'
import type { ProbeRow } from './probes.ts'
import { notTried, type Verdict, yes } from './verdict.ts'

type Judged = readonly [ProbeRow, Verdict]

interface ServerFacts {
  readonly reachable: Judged
  readonly others: readonly Judged[]
  /** Verdict on the key, if requests show that the server accepts it. */
  readonly keyTaken: Verdict
  readonly keyRefused: Verdict
  /** True if requests would be pointless. */
  readonly isBlocked: boolean
}

const promised = (name: string): ProbeRow => ({ name, isPromised: () => true })

export function judgeServer(
  told: ModelAnswer,
  known: { readonly manifest: Pick<ModelManifest, 'type' | 'contextLength'>; readonly hasKey: boolean },
): ServerFacts {
  const isSilent = told.kind === 'silent'
  return {
    reachable: [promised('reachable'), isSilent ? { word: 'no', note: told.reason, advice: 'reach' } : yes],
    others: [[promised('model listed'), listed(told)], ...contextRow(told, known.manifest)],
    keyTaken: known.hasKey ? yes : { word: 'yes', note: 'none is sent' },
    keyRefused: {
      word: 'no',
      note: known.hasKey ? 'it does not take the key' : 'it wants a key, and none is sent',
      advice: 'key',
    },
    isBlocked: isSilent || told.kind === 'refuses' || told.kind === 'lacks',
  }
}

function listed(told: ModelAnswer): Verdict {
  if (told.kind === 'has') return yes
  if (told.kind !== 'lacks') return notTried(told.kind === 'no-list' ? 'it has no list of models' : undefined)
  return { word: 'no', note: `it has ${told.ids.join(', ') || 'no model'}`, advice: 'model' }
}

/** Returns the row of the context, or none for models without one: transcription and speech. */
function contextRow(
  told: ModelAnswer,
  { type, contextLength }: Pick<ModelManifest, 'type' | 'contextLength'>,
): readonly Judged[] {
  return type === 'stt' || type === 'tts' ? [] : [[promised('context'), context(told, contextLength)]]
}

function context(told: ModelAnswer, contextLength: number | undefined): Verdict {
  if (told.kind !== 'has') return notTried()
  if (told.contextTokens === undefined) return notTried('it does not tell its limit')
  const { contextTokens } = told
  if (contextLength === undefined || contextTokens >= contextLength)
    return { word: 'yes', note: `${contextTokens} tokens` }
  const note = `it takes ${contextTokens} tokens, and the manifest says ${contextLength}: requests are held to the former`
  return { word: 'no', note, advice: 'context' }
}
