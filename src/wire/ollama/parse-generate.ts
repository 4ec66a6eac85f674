import { type Static, Type } from '@sinclair/typebox'
import type { ChatMessage } from '../../core/chat.ts'
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

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of what does not fit. */
export function parseOllamaGenerate(body: unknown): OllamaCall {
  const fields = check(OllamaGenerateBody, presentFields(body))
  const { request, ...call } = parseAnswerFields(fields)
  refuseContradictions(fields)
  const messages = toMessages(fields)
  return { ...call, isEmpty: !messages.some(({ role }) => role === 'user'), request: { ...request, messages } }
}

/** A system prompt, then what the user says; without that, nothing is to be generated. */
function toMessages({ prompt = '', system = '', images }: Body): ChatMessage[] {
  const content = toContent([...parseImages(images, 'images'), prompt.toWellFormed()], '\n')
  if (prompt === '' && content.length === 0) return []
  const user: ChatMessage = { role: 'user', content }
  return system === '' ? [user] : [{ role: 'system', content: textContent(system.toWellFormed()) }, user]
}

function refuseContradictions({ raw, template = '', context, suffix = '' }: Body): void {
  if (template !== '') {
    throw unsupportedParameter('template', ": this server uses the template in the model's file. Leave it out.")
  }
  const isEmpty = context === undefined || (Array.isArray(context) && context.length === 0)
  if (!isEmpty) throw invalidValue('context', 'left out: this server keeps no tokens of earlier answers. Use /api/chat')
  if (raw === true) throw unsupportedParameter('raw', ' by this server. Leave it out.')
  if (suffix !== '') throw unsupportedParameter('suffix', ' by this server. Leave it out.')
}
