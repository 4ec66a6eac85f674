/**
 * Limits what rendering one request may take: a template can loop without end, and thousands of messages take seconds.
 * The native side looks at the limits wherever a template can repeat itself (`native/guard-template.cpp`).
 */
import { contentText } from '../../../core/content.ts'
import type { ApiError } from '../../../core/errors.ts'
import { refusedValue } from '../../engine-errors.ts'
import type { LoadedModel } from '../load-model.ts'
import type { TemplateModel } from './prepare-prompt.ts'
import type { Conversation } from './tokenize-prompt.ts'

/** Time that every request has, and what each thousand characters add: several times what large templates take. */
const leastCpuMs = 2_000
const cpuMsPerThousandCharacters = 10

/** A prompt that fits the context is shorter, even one of long words or of spaces. */
const textBytesPerToken = 64
const leastTextBytes = 1024 * 1024
const mostTextBytes = 512 * 1024 * 1024

/** What a message costs beside its text, in characters. */
const perMessage = 100

/** Conversations of agents are seldom longer; rendering them takes some 100 ms. */
const longCharacters = 256 * 1024

/** Characters that a template goes through, about. */
function renderedCharacters({ messages, tools }: Conversation): number {
  let characters = tools.length === 0 ? 0 : JSON.stringify(tools).length
  for (const { content, reasoning = '', toolCalls = [] } of messages) {
    characters += perMessage + contentText(content).length + reasoning.length
    for (const { name, argumentsText } of toolCalls) characters += perMessage + name.length + argumentsText.length
  }
  return characters
}

/** It takes much longer than most. */
export function isLongToRender(request: Conversation): boolean {
  return renderedCharacters(request) > longCharacters
}

/**
 * The model for one request: its renderings end when `signal` aborts, or with an ApiError when they take more time or
 * make more text than a conversation of this length may.
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

/** A template that does so with every conversation is not loaded: it must be these messages, with this template. */
function stopped(cause: Error): ApiError {
  const message = `Rendering these messages with the model's chat template was stopped: ${cause.message}. Send fewer or shorter messages; if that does not help, tell the operator of this server.`
  return refusedValue(message, 'messages', cause)
}
