/**
 * Differences of upstream server flavors that concern all work. Each kind of work has its own table beside its code.
 */
import type { ModelType } from '../../core/model.ts'
import type { UpstreamFlavor } from '../../core/upstream.ts'
import type { ServerPath } from './server-path.ts'

interface Flavor {
  /** Types of models that it serves. Manifests with other types are refused. */
  readonly types: readonly ModelType[]
  /** True for another inferd, which receives the origin of requests, and whose errors about requests are passed on. */
  readonly isInferd: boolean
  /** Path of health checks. 200 means that the server works. */
  readonly health: ServerPath
  /** Path that reports the context of a request, if the list of models does not. */
  readonly properties: ServerPath | undefined
  /** Path that refuses a wrong key, for servers whose list of models is public. */
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
  vllm: { ...usual, types: [...chats, 'embedding', 'rerank', 'stt', 'tts', 'image'] },
  sglang: { ...usual, types: [...chats, 'embedding', 'rerank', 'stt', 'image'] },
  trtllm: { ...usual, types: chats },
  llamacpp: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt'],
    properties: { path: '/props', isAtRoot: true },
  },
  openai: {
    ...usual,
    types: [...chats, 'embedding', 'stt', 'tts', 'image', 'moderation'],
    health: { path: '/models' },
  },
  inferd: {
    ...usual,
    types: [...chats, 'embedding', 'rerank', 'stt', 'tts', 'image', 'moderation'],
    isInferd: true,
    health: { path: '/models' },
    keyed: { path: '/account' },
  },
}
