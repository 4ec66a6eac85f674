import type { ChatRequest } from '../../../core/chat.ts'
import { contentText } from '../../../core/content.ts'
import { contextExceeded, refusedValue } from '../../shared/engine-errors.ts'
import type { NativeModel } from '../native.ts'
import type { PromptLayout } from '../steps/prompt-layout.ts'
import { layOutPrompt, type PicturePrompt, type PromptTokenizer } from './lay-out-prompt.ts'

/** Characters per token, more than any text has on average. Text of that length is counted before it is rendered. */
const generousCharactersPerToken = 16

/** Minimum tokens per message: every template opens and closes it with one. */
const leastTokensPerMessage = 2

const emptyPrompt = "The model's chat template makes an empty prompt of these messages. Send a message with some text."

type Tokenizer = Pick<NativeModel, 'tokenize'>

/**
 * Returns a rendered prompt in tokens and pictures. Throws `context_length_exceeded` with both numbers if no token
 * could follow it, and `invalid_value` if it is empty, since an answer follows at least one token.
 */
export async function tokenizePrompt(
  tokenizer: PromptTokenizer,
  prompt: PicturePrompt,
  contextTokens: number,
): Promise<PromptLayout> {
  const layout = await layOutPrompt(tokenizer, prompt)
  const { length } = layout.units
  if (length === 0) throw refusedValue(emptyPrompt, 'messages')
  if (length >= contextTokens) throw contextExceeded(contextTokens, length)
  return layout
}

/** The part of a request that becomes the prompt. */
export type Conversation = Pick<ChatRequest, 'messages' | 'tools'>

/**
 * Refuses a conversation that cannot fit before it is rendered: megabytes of text, or thousands of messages, take a
 * template seconds, and the next request waits for it. Throws as `tokenizePrompt` does.
 */
export async function requireRoom(model: Tokenizer, conversation: Conversation, contextTokens: number): Promise<void> {
  const least = conversation.messages.length * leastTokensPerMessage
  if (least >= contextTokens) throw contextExceeded(contextTokens, least, 'more than ')
  const text = beginningOf(conversation, contextTokens * generousCharactersPerToken + 1)
  await requireRoomForText(model, text, contextTokens)
}

/** Requires room for a text. `param` is a raw prompt's place in the client's request. */
export async function requireRoomForText(
  model: Tokenizer,
  text: string,
  contextTokens: number,
  param?: string,
): Promise<void> {
  const characters = contextTokens * generousCharactersPerToken
  if (text.length <= characters) return
  const beginning = await model.tokenize(text.slice(0, characters), false, false)
  if (beginning.length >= contextTokens) throw contextExceeded(contextTokens, beginning.length, 'more than ', param)
}

/**
 * Returns at least `length` characters, if there are as many, of the text that any template shows: tools, messages and
 * calls.
 */
function beginningOf({ messages, tools }: Conversation, length: number): string {
  let text = ''
  const add = (...parts: readonly (string | undefined)[]) => {
    for (const part of parts) if (part !== undefined && text.length < length) text += `${part}\n`
    return text.length < length
  }
  for (const tool of tools) {
    if (!add(tool.name, tool.description, JSON.stringify(tool.parameters))) return text
  }
  for (const { content, toolCalls = [] } of messages) {
    if (!add(contentText(content), ...toolCalls.flatMap((call) => [call.name, call.argumentsText]))) return text
  }
  return text
}
