/** What differs between the flavors of upstream servers, whatever the work. Each kind of work has a table of its own beside it. */
import type { ModelType } from '../../core/model.ts'
import type { UpstreamFlavor } from '../../core/upstream.ts'
import type { ServerPath } from './server-path.ts'

export interface Flavor {
  /** Types of models that it serves; manifests of others are refused. */
  readonly types: readonly ModelType[]
  /** It is another inferd: it is told whose request it gets, and its errors about requests are ours. */
  readonly isInferd: boolean
  /** Asked while there is traffic: 200 means that it works. */
  readonly health: ServerPath
  /** Tells the context of a request, where the list of models does not. */
  readonly properties: ServerPath | undefined
  /** Refuses a key that is not taken, where the list of models is for everybody. */
  readonly keyed: ServerPath | undefined
}

const chats = ['chat', 'vision'] as const
const usual: Omit<Flavor, 'types'> = {
  isInferd: false,
  health: { path: '/health', isAtRoot: true },
  properties: undefined,
  keyed: undefined,
}

export const flavors: Readonly<Record<UpstreamFlavor, Flavor>> = {
  vllm: { ...usual, types: [...chats, 'embedding', 'rerank', 'stt', 'tts'] },
  sglang: { ...usual, types: [...chats, 'embedding', 'rerank', 'stt'] },
  trtllm: { ...usual, types: chats },
  llamacpp: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt'],
    properties: { path: '/props', isAtRoot: true },
  },
  openai: { ...usual, types: [...chats, 'embedding', 'stt', 'tts'], health: { path: '/models' } },
  inferd: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt', 'tts'],
    isInferd: true,
    health: { path: '/models' },
    keyed: { path: '/account' },
  },
}
