/** What kinds of upstream servers do beside chats, and how each wants to be told. Chats stand in `flavors.ts`. */
import type { ModelManifest, ModelType } from '../../core/model.ts'
import type { UpstreamFlavor } from '../../core/upstream.ts'
import { type CountWay, countWays } from './count/count-ways.ts'
import {
  type SpeechAbilities,
  speechAbilities,
  type TranscriptAbilities,
  transcriptAbilities,
} from './speech/speech-abilities.ts'
import { type TextAbilities, textAbilities } from './texts/text-abilities.ts'

export interface ServedWork {
  /** Types of models that it serves; manifests of others are refused. */
  readonly types: readonly ModelType[]
  readonly texts: TextAbilities
  readonly transcripts: TranscriptAbilities
  readonly speech: SpeechAbilities
  /** How the length of a chat's prompt is asked for; undefined: it is estimated. */
  readonly count: CountWay | undefined
  /** It is another inferd: it is told whose request it gets, and its errors about requests are ours. */
  readonly isInferd: boolean
}

const chats = ['chat', 'vision'] as const
const usual = {
  texts: textAbilities.plain,
  transcripts: transcriptAbilities.usual,
  speech: speechAbilities.usual,
  isInferd: false,
}

export const servedWork: Readonly<Record<UpstreamFlavor, ServedWork>> = {
  vllm: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt', 'tts'],
    texts: textAbilities.vllm,
    count: countWays.tokenizeAtRoot,
  },
  sglang: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt'],
    texts: textAbilities.sglang,
    transcripts: transcriptAbilities.sglang,
    count: countWays.tokenize,
  },
  trtllm: { ...usual, types: chats, count: undefined },
  llamacpp: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt'],
    texts: textAbilities.llamacpp,
    transcripts: transcriptAbilities.llamacpp,
    count: countWays.template,
  },
  openai: {
    ...usual,
    types: [...chats, 'embedding', 'stt', 'tts'],
    texts: textAbilities.openai,
    transcripts: transcriptAbilities.openai,
    speech: speechAbilities.bare,
    count: undefined,
  },
  inferd: {
    types: [...chats, 'embedding', 'rerank', 'stt', 'tts'],
    texts: textAbilities.inferd,
    transcripts: transcriptAbilities.inferd,
    speech: speechAbilities.bare,
    count: countWays.messages,
    isInferd: true,
  },
}

/** Of the servers that a manifest names. */
export function servedWorkOf({ id, upstream }: Pick<ModelManifest, 'id' | 'upstream'>): ServedWork {
  if (upstream === undefined) throw new Error(`${id} names no servers: this is a bug`)
  return servedWork[upstream.flavor]
}
