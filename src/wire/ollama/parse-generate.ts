import { type Static, Type } from '@sinclair/typebox'
import type { ChatMessage, RawPrompt } from '../../core/chat.ts'
import { textContent } from '../../core/content.ts'
import { toContent } from '../chat/content-pieces.ts'
import { check, invalidValue, optionalAny, optionalFlag, optionalText, presentFields } from '../check.ts'
import { unsupportedParameter } from '../unsupported.ts'
import { answerFields, type OllamaCall, parseAnswerFields } from './answer-fields.ts'
import { parseImages } from './parse-messages.ts'

export const OllamaGenerateBody = Type.Object({
  ...answerFields,
  prompt: optionalText,
  suffix: optionalText,
  system: optionalText,
  template: optionalText,
  context: optionalAny,
  raw: optionalFlag,
  images: optionalAny,
})

type Body = Static<typeof OllamaGenerateBody>

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the invalid field. */
export function parseOllamaGenerate(body: unknown): OllamaCall {
  const fields = check(OllamaGenerateBody, presentFields(body))
  const { request, ...call } = parseAnswerFields(fields)
  refuseContradictions(fields)
  const raw = toRawPrompt(fields)
  if (raw !== undefined) return { ...call, isEmpty: false, request: { ...request, messages: [], prompts: [raw] } }
  const messages = toMessages(fields)
  return { ...call, isEmpty: messages.length === 0, request: { ...request, messages } }
}

/** Returns the prompt to continue without the chat template; undefined if the template applies. */
function toRawPrompt({ prompt = '', suffix = '', raw, images }: Body): RawPrompt | undefined {
  if (suffix === '' && (raw !== true || prompt === '')) return undefined
  if (parseImages(images, 'images').length > 0) {
    throw invalidValue('images', 'left out: prompts without the template of the model have no pictures')
  }
  const param = 'prompt'
  const text = prompt.toWellFormed()
  return suffix === ''
    ? { kind: 'text', text, param }
    : { kind: 'fill', prefix: text, suffix: suffix.toWellFormed(), param }
}

/** Returns the system prompt and the user's message. Without a message there is nothing to generate. */
function toMessages({ prompt = '', system = '', images }: Body): ChatMessage[] {
  const content = toContent([...parseImages(images, 'images'), prompt.toWellFormed()], '\n')
  if (prompt === '' && content.length === 0) return []
  const user: ChatMessage = { role: 'user', content }
  return system === '' ? [user] : [{ role: 'system', content: textContent(system.toWellFormed()) }, user]
}

function refuseContradictions({ raw, system = '', template = '', context }: Body): void {
  const isEmpty = context === undefined || (Array.isArray(context) && context.length === 0)
  if (raw === true && (system !== '' || template !== '' || !isEmpty)) {
    throw invalidValue('raw', 'left out: raw mode does not support template, system, or context')
  }
  if (template !== '') {
    throw unsupportedParameter('template', ": this server uses the template in the model's file. Use 'raw'.")
  }
  if (!isEmpty) throw invalidValue('context', 'left out: this server keeps no tokens of earlier answers. Use /api/chat')
}
