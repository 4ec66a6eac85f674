import type { ResolvedModel } from '../catalog/catalog.ts'
import type { ChatEvent, ChatRequest } from '../core/chat.ts'
import type { InstalledModel } from '../core/model.ts'
import { installedModel } from './installed-model.ts'
import { requireType } from './resolve-model.ts'
import { withDefaults } from './with-defaults.ts'

/** The part of the engine pool that answers chats. */
export interface ChatEngines {
  chat(
    model: InstalledModel,
    request: ChatRequest,
    context: { readonly accountId: string; readonly signal: AbortSignal },
  ): AsyncGenerator<ChatEvent>
}

export interface StartChatOptions {
  readonly request: ChatRequest
  readonly resolved: ResolvedModel
  readonly accountId: string
  /** Aborting it ends the engine's work; `rest` then throws the signal's reason. */
  readonly signal: AbortSignal
  readonly pool: ChatEngines
}

export type StartEvent = Extract<ChatEvent, { type: 'start' }>

/** A request that an engine has accepted. Whoever holds it must consume `rest` or call its `return`. */
export interface StartedChat {
  readonly start: StartEvent
  readonly rest: AsyncGenerator<ChatEvent>
}

export const chatTypes = ['chat', 'vision'] as const

/**
 * Runs a chat, loading the model if need be, and resolves once the engine has accepted the prompt: everything that can
 * be refused is refused before that, as an ApiError that is still a status. Later failures are thrown by `rest`.
 */
export async function startChat({
  request,
  resolved,
  accountId,
  signal,
  pool,
}: StartChatOptions): Promise<StartedChat> {
  requireType(resolved, chatTypes, 'chat')
  const model = installedModel(resolved.entry)
  const rest = pool.chat(model, withDefaults(request, model.manifest, resolved.alias), { accountId, signal })
  const first = await rest.next()
  if (first.done === true || first.value.type !== 'start') {
    await rest.return(undefined)
    throw new Error('the engine did not begin with a start event: this is a bug')
  }
  return { start: first.value, rest }
}
