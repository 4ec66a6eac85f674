/** Estimates the length of a prompt without the model's tokenizer. */
import { type ChatRequest, picturesOf, type RawPrompt } from '../../../core/chat.ts'
import { contentText, type ImagePart } from '../../../core/content.ts'
import type { JsonObject } from '../../../core/json.ts'

export interface PromptEstimate {
  /** Lower estimate, in tokens. Few prompts have fewer. */
  readonly leastTokens: number
  /** Usual length in tokens, charged if the server does not count. */
  readonly usualTokens: number
  /** Upper estimate, in tokens. Few prompts have more. Money is held for it, and no more is ever charged. */
  readonly mostTokens: number
}

const nothing: PromptEstimate = { leastTokens: 0, usualTokens: 0, mostTokens: 0 }

/** Returns the estimate of each prompt of the request, in order. Choices of one prompt share it. */
export function estimatePrompts(request: ChatRequest): readonly PromptEstimate[] {
  return request.prompts?.map(ofRawPrompt) ?? [sum(estimatesOfChat(request))]
}

function ofRawPrompt(prompt: RawPrompt): PromptEstimate {
  if (prompt.kind === 'tokens') return exactly(prompt.tokens.length)
  return prompt.kind === 'text' ? ofText(prompt.text) : sum([ofText(prompt.prefix), ofText(prompt.suffix), ofFrame])
}

/** Tokens that the template adds around a message. */
const ofFrame: PromptEstimate = { leastTokens: 0, usualTokens: 4, mostTokens: 16 }

function* estimatesOfChat({ messages, tools, answerSchema }: ChatRequest): Iterable<PromptEstimate> {
  for (const { content, name, reasoning, toolCalls } of messages) {
    yield ofFrame
    yield ofText(contentText(content))
    // Not all templates show earlier thinking.
    if (reasoning !== undefined) yield { ...ofText(reasoning), leastTokens: 0 }
    if (name !== undefined) yield ofText(name)
    for (const call of toolCalls ?? []) yield sum([ofFrame, ofText(call.name), ofText(call.argumentsText)])
  }
  yield* picturesOf(messages).map(ofPicture)
  for (const { name, description = '', parameters } of tools) {
    yield sum([ofFrame, ofText(name), ofText(description), ofJson(parameters)])
  }
  // The schema constrains the answer; few servers show it to the model.
  if (answerSchema !== undefined) yield { ...nothing, mostTokens: ofJson(answerSchema).mostTokens }
}

/**
 * Estimates a text. Models read 4 to 5 bytes of English per token, 2 to 4 of other languages, and up to 16 of blank
 * lines and rows of signs. In text that is not language, such as Base64, each change between lower case, upper case,
 * digits and signs begins a token.
 */
function ofText(text: string): PromptEstimate {
  let halves = 0
  let before = sign
  let isSecond = false
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index)
    const kind = kinds[unit] ?? foreign
    isSecond = kind === before && !isSecond
    if (kind === small || kind === capital) halves += isSecond ? 0 : 2
    else if (kind === space) halves += before === foreign ? 2 : 1
    else halves += kind === sign ? 2 : foreignHalves(unit)
    before = kind
  }
  return {
    leastTokens: Math.ceil(text.length / 16),
    usualTokens: Math.ceil(text.length / 3),
    mostTokens: Math.ceil(halves / 2),
  }
}

const [small, capital, space, sign, foreign] = [0, 1, 2, 3, 4]

/** Kind of each ASCII character. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/.test(character)) return small
  if (/[A-Z]/.test(character)) return capital
  return character === ' ' ? space : sign
})

/**
 * Returns the half tokens of a UTF-16 unit outside ASCII: vocabularies of 32,000 tokens have few words in other
 * scripts than Latin.
 */
function foreignHalves(unit: number): number {
  if (unit < 0x800) return 2
  const isHalfOfPair = unit >= 0xd800 && unit < 0xe000
  return isHalfOfPair ? 3 : 4
}

function ofJson(value: JsonObject): PromptEstimate {
  return ofText(JSON.stringify(value))
}

/**
 * Estimates a picture. Models shrink it to some limit and cut it into squares of 14 to 32 pixels; some use the same
 * number of tokens for all pictures.
 */
function ofPicture({ width, height }: ImagePart): PromptEstimate {
  const tokens = (side: number, least: number, most: number) =>
    Math.min(most, Math.max(least, Math.ceil(width / side) * Math.ceil(height / side)))
  return { leastTokens: tokens(32, 16, 64), usualTokens: tokens(28, 64, 4_096), mostTokens: tokens(14, 1_024, 16_384) }
}

function exactly(tokens: number): PromptEstimate {
  return { leastTokens: tokens, usualTokens: tokens, mostTokens: tokens }
}

function sum(estimates: Iterable<PromptEstimate>): PromptEstimate {
  let total = nothing
  for (const each of estimates) {
    total = {
      leastTokens: total.leastTokens + each.leastTokens,
      usualTokens: total.usualTokens + each.usualTokens,
      mostTokens: total.mostTokens + each.mostTokens,
    }
  }
  return total
}
