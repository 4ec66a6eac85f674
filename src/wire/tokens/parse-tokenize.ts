/** Bodies of POST /tokenize and /apply-template. Their fields tell whose shape they have: vLLM's or llama-server's. */
import { type Static, Type } from '@sinclair/typebox'
import type { TokensRequest } from '../../core/tokens.ts'
import { parseChatCompletion } from '../chat-completions/parse-request.ts'
import { check, invalidValue, missing, optionalAny, optionalFlag, optionalModelField, presentFields } from '../check.ts'
import type { WorkCall } from '../dialect.ts'
import { limits } from '../limits.ts'
import { refuseUnsupported, type UnsupportedFields, unsupportedContent } from '../unsupported.ts'

const longText = Type.Optional(
  Type.String({
    maxLength: limits.tokenizedCharacters.most,
    description: `a text of at most ${limits.tokenizedCharacters.most} characters`,
    examples: ['Once upon a time'],
  }),
)

const chatFields = {
  ...optionalModelField,
  messages: optionalAny,
  tools: optionalAny,
  add_generation_prompt: optionalFlag,
  chat_template_kwargs: optionalAny,
}

export const TokenizeBody = Type.Object({
  ...chatFields,
  prompt: longText,
  add_special_tokens: optionalFlag,
  return_token_strs: optionalFlag,
  content: longText,
  add_special: optionalFlag,
  parse_special: optionalFlag,
  with_pieces: optionalFlag,
})

export const ApplyTemplateBody = Type.Object(chatFields)

const unsupported: UnsupportedFields = {
  chat_template: { words: ". The model's own chat template is used: leave it out." },
}

/** A body in canonical form. */
export interface TokenizeCall extends WorkCall {
  readonly request: TokensRequest
  /** Shape of the answer. */
  readonly shape: 'vllm' | 'llama-server'
}

/** Translates a whole body. Throws ApiError 400 whose `param` is the dotted path of the wrong field. */
export function parseTokenize(body: unknown): TokenizeCall {
  const fields = presentFields(body)
  refuseUnsupported(fields, unsupported)
  const asked = check(TokenizeBody, fields)
  const { prompt, content } = asked
  requireOne(asked)
  if (content !== undefined) {
    const {
      add_special: addsStart = false,
      parse_special: parsesSpecial = true,
      with_pieces: hasPieces = false,
    } = asked
    const text = content.toWellFormed()
    return { request: { task: 'text', text, addsStart, parsesSpecial, hasPieces }, shape: 'llama-server' }
  }
  const { add_special_tokens: addsStart = true, return_token_strs: hasPieces = false } = asked
  const request: TokensRequest =
    prompt === undefined
      ? { ...parseConversation(fields, asked), task: 'chat', hasPieces }
      : { task: 'text', text: prompt.toWellFormed(), addsStart, parsesSpecial: true, hasPieces }
  return { request, shape: 'vllm' }
}

/** Translates a whole body. Throws as `parseTokenize` does. */
export function parseApplyTemplate(body: unknown): WorkCall {
  const fields = presentFields(body)
  refuseUnsupported(fields, unsupported)
  const asked = check(ApplyTemplateBody, fields)
  return { request: { ...parseConversation(fields, asked), task: 'template', hasPieces: false } }
}

function requireOne(asked: Static<typeof TokenizeBody>): void {
  const given = (['prompt', 'messages', 'content'] as const).filter((name) => asked[name] !== undefined)
  const [first, second] = given
  if (first === undefined) throw missing('prompt', "a text, or 'messages' of a conversation")
  if (second !== undefined) throw invalidValue(second, `left out where there is '${first}'`)
}

const notText: Readonly<Record<string, string>> = {
  'sent-image': 'an image',
  'sent-document': 'a document',
  'sent-sound': 'a recording',
}

const notTextWords = ', which is no text. Leave it out: POST /v1/responses/input_tokens counts whole requests.'

/** Parses the fields of a conversation as POST /chat/completions does. */
function parseConversation(
  fields: Readonly<Record<string, unknown>>,
  { add_generation_prompt: isOpen = true }: { readonly add_generation_prompt?: boolean },
) {
  const { request } = parseChatCompletion({ ...fields, model: 'any' })
  for (const part of request.messages.flatMap(({ content }) => content)) {
    const noun = notText[part.type]
    if (noun !== undefined && 'param' in part) throw unsupportedContent(part.param, noun, notTextWords)
  }
  return { ...request, isClosed: !isOpen }
}
