/** Differences of upstream server flavors for all work. Each kind of work has its own table beside it. */
import type { ModelType } from '../../core/model.ts'
import type { UpstreamFlavor } from '../../core/upstream.ts'
import type { ServerPath } from './server-path.ts'

interface Flavor {
  /** Types of models that it serves. Manifests of others are refused. */
  readonly types: readonly ModelType[]
  /** True for another inferd: it receives the origin of requests, and its errors about requests are passed on. */
  readonly isInferd: boolean
  /** Path asked while there is traffic. 200 means that it works. */
  readonly health: ServerPath
  /** Path that reports the context of a request, if the list of models does not. */
  readonly properties: ServerPath | undefined
  /** Path that refuses a wrong key, if the list of models is public. */
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
