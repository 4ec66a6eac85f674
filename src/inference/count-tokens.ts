import type { ResolvedModel } from '../catalog/catalog.ts'
import type { ChatRequest } from '../core/chat.ts'
import type { InstalledModel } from '../core/model.ts'
import { chatTypes } from './chat.ts'
import { installedModel } from './installed-model.ts'
import { requireType } from './resolve-model.ts'
import { withDefaults } from './with-defaults.ts'

/** The part of the engine pool that counts prompts. */
export interface TokenCounters {
  countTokens(
    model: InstalledModel,
    request: ChatRequest,
    context: { readonly accountId: string; readonly signal: AbortSignal },
  ): Promise<number>
}

export interface CountTokensOptions {
  readonly request: ChatRequest
  readonly resolved: ResolvedModel
  readonly accountId: string
  /** Aborting it ends the engine's work; its reason is then thrown. */
  readonly signal: AbortSignal
  readonly pool: TokenCounters
}

/**
 * Tokens of the prompt that `startChat` would make of the same request, by the model's own template with tools and
 * thinking as they would be; loads the model if need be. Nothing is generated, so nothing is charged and no balance is
 * asked for. Throws ApiError as `startChat` does, but counts a prompt that is longer than the context.
 */
export async function countTokens({ request, resolved, accountId, signal, pool }: CountTokensOptions): Promise<number> {
  requireType(resolved, chatTypes, 'counting tokens')
  const model = installedModel(resolved.entry)
  return pool.countTokens(model, withDefaults(request, model.manifest, resolved.alias), { accountId, signal })
}
