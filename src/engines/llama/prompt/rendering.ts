/**
 * Limits of rendering one request: a template can loop forever, and thousands of messages take seconds. Native code
 * checks them wherever a template can repeat itself (`native/guard-template.cpp`).
 */
import { contentText } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { refusedValue } from '../../shared/engine-errors.ts'
import type { LoadedModel } from '../load-model.ts'
import type { TemplateModel } from './prepare-prompt.ts'
import type { Conversation } from './tokenize-prompt.ts'

/** CPU time of every request; each thousand characters add more. Several times the need of large templates. */
const leastCpuMs = 2_000
const cpuMsPerThousandCharacters = 10

/** Bytes of text per token, more than in any prompt that fits the context, even of long words or spaces. */
const textBytesPerToken = 64
const leastTextBytes = 1024 * 1024
const mostTextBytes = 512 * 1024 * 1024

/** Cost of a message besides its text, in characters. */
const perMessage = 100

/** Length of a long conversation. Agents seldom exceed it; rendering it takes some 100 ms. */
export const longCharacters = 256 * 1024

/** Returns the approximate number of characters that a template processes. */
function renderedCharacters({ messages, tools }: Conversation): number {
  let characters = tools.length === 0 ? 0 : JSON.stringify(tools).length
  for (const { content, reasoning = '', toolCalls = [] } of messages) {
    characters += perMessage + contentText(content).length + reasoning.length
    for (const { name, argumentsText } of toolCalls) characters += perMessage + name.length + argumentsText.length
  }
  return characters
}

/** Returns whether rendering takes much longer than usual. */
export function isLongToRender(request: Conversation): boolean {
  return renderedCharacters(request) > longCharacters
}

/**
 * Returns the model for one request. Renderings end when `signal` aborts, or with an ApiError if they exceed the time
 * or text for a conversation of this length.
 */
export function withinRenderLimits(
  { addon, model, abilities, vision }: Pick<LoadedModel, 'addon' | 'model' | 'abilities' | 'vision'>,
  { request, contextTokens, signal }: { request: Conversation; contextTokens: number; signal: AbortSignal },
): TemplateModel {
  const rendering = new addon.Rendering({
    cpuMs: Math.ceil(leastCpuMs + (renderedCharacters(request) / 1000) * cpuMsPerThousandCharacters),
    textBytes: Math.min(mostTextBytes, Math.max(leastTextBytes, contextTokens * textBytesPerToken)),
  })
  if (signal.aborted) rendering.cancel()
  signal.addEventListener('abort', () => rendering.cancel(), { once: true })
  return {
    abilities,
    marker: vision?.projector.marker,
    applyTemplate: (inputs) =>
      model.applyTemplate(inputs, rendering).catch((error: unknown) => {
        throw isStop(error) ? stopped(error) : error
      }),
    schemaGrammar: (schema) => model.schemaGrammar(schema),
    tokenize: (text, addSpecial, parseSpecial) => {
      signal.throwIfAborted()
      return model.tokenize(text, addSpecial, parseSpecial)
    },
  }
}

function isStop(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'RENDER_STOPPED'
}

/**
 * Returns the error of a stopped rendering. Templates that always loop are not loaded, so these messages are the cause.
 */
function stopped(cause: Error): ApiError {
  const message = `Rendering these messages with the model's chat template was stopped: ${cause.message}. Send fewer or shorter messages; if that does not help, tell the operator of this server.`
  return refusedValue(message, 'messages', cause)
}
