/** Prompts without chat template: texts, tokens, and texts with a gap to fill. */
import type { ChatRequest, RawPrompt } from '../../../core/chat.ts'
import { contextExceeded, refusedValue, unsupportedParameter } from '../../shared/engine-errors.ts'
import type { NativeModel } from '../native.ts'
import { SchemaMarks } from '../schema/held-schema.ts'
import { textGrammar } from '../schema/schema-grammar.ts'
import type { PromptLayout } from '../steps/prompt-layout.ts'
import { anyText } from './answer-grammar.ts'
import { withValidStrings } from './gbnf.ts'
import type { AnswerSetup } from './prepare-prompt.ts'
import { requireRoomForText } from './tokenize-prompt.ts'

type RawModel = Pick<NativeModel, 'info' | 'tokenize' | 'tokenBytes'>

/**
 * Returns the prompts in tokens. Throws `context_length_exceeded` for one that leaves no room for a token,
 * `invalid_value` for one that is empty or has unknown tokens, and `unsupported_parameter` for a gap if the model has
 * no tokens for that.
 */
export async function layOutRawPrompts(
  model: RawModel,
  prompts: readonly RawPrompt[],
  contextTokens: number,
): Promise<PromptLayout[]> {
  const layouts: PromptLayout[] = []
  for (const prompt of prompts) {
    const param = lengthParam(prompt)
    for (const text of textsOf(prompt)) await requireRoomForText(model, text, contextTokens, param)
    const units = await tokensOfRaw(model, prompt)
    if (units.length >= contextTokens) throw contextExceeded(contextTokens, units.length, '', param)
    layouts.push({ units, runs: [] })
  }
  return layouts
}

/** Returns the field that the caller has to shorten. */
function lengthParam(prompt: RawPrompt): string {
  return prompt.kind === 'fill' && prompt.suffix.length > prompt.prefix.length ? 'suffix' : prompt.param
}

function textsOf(prompt: RawPrompt): string[] {
  if (prompt.kind === 'tokens') return []
  return prompt.kind === 'text' ? [prompt.text] : [prompt.prefix, prompt.suffix]
}

function tokensOfRaw(model: RawModel, prompt: RawPrompt): Promise<ArrayLike<number>> | ArrayLike<number> {
  switch (prompt.kind) {
    case 'text':
      return tokenizeText(model, prompt.text, prompt.param)
    case 'tokens':
      return knownTokens(model, prompt.tokens, prompt.param)
    case 'fill':
      return frameGap(model, prompt)
  }
}

/**
 * Tokenizes a text. It begins with the model's start token, once, if the model's texts do. An empty text is that token
 * alone.
 */
async function tokenizeText(model: RawModel, text: string, param: string): Promise<number[]> {
  const tokens = [...(await model.tokenize(text, false, true))]
  const { startToken, addsStartToken } = model.info
  if (startToken === undefined) {
    if (tokens.length > 0) return tokens
    throw refusedValue(
      `'${param}' is empty, and this model has no token that a text begins with. Send some text.`,
      param,
    )
  }
  const isStarted = tokens[0] === startToken
  return tokens.length === 0 || (addsStartToken && !isStarted) ? [startToken, ...tokens] : tokens
}

/** Throws `invalid_value` for a token that the model does not have. */
export function knownTokens({ info }: RawModel, tokens: readonly number[], param: string): readonly number[] {
  const unknown = tokens.find((token) => token >= info.vocabularySize)
  if (unknown === undefined) return tokens
  const known = `its tokens are 0 to ${info.vocabularySize - 1}`
  throw refusedValue(`'${param}' holds token ${unknown}, which this model does not have: ${known}.`, param)
}

/** Returns the tokens behind the model's start token, which stands there once, if the model's texts begin with it. */
export function startedTokens({ info }: RawModel, tokens: Int32Array): Int32Array {
  const { startToken, addsStartToken } = info
  const needsStart = addsStartToken && startToken !== undefined && tokens[0] !== startToken
  if (!needsStart) return tokens
  const started = new Int32Array(tokens.length + 1)
  started[0] = startToken
  started.set(tokens, 1)
  return started
}

type Gap = Extract<RawPrompt, { readonly kind: 'fill' }>

/**
 * Returns prefix, suffix, middle, each after its token. Without a token for the middle, the suffix comes first, and the
 * generated text follows the prefix.
 */
async function frameGap(model: RawModel, gap: Gap): Promise<number[]> {
  const { startToken, addsStartToken, fillTokens } = model.info
  if (fillTokens === undefined) throw unsupportedParameter('suffix', cannotFill)
  const start = addsStartToken && startToken !== undefined ? [startToken] : []
  const prefix = [fillTokens.prefix, ...(await tokenizePart(model, gap.prefix))]
  const suffix = [fillTokens.suffix, ...(await tokenizePart(model, gap.suffix))]
  const { middle } = fillTokens
  return middle === undefined ? [...start, ...suffix, ...prefix] : [...start, ...prefix, ...suffix, middle]
}

/**
 * Tokenizes a part of a text with control tokens as plain text. Some vocabularies put a space in front of every text.
 * After a line break, whose tokens are then removed, they do not.
 */
async function tokenizePart(model: RawModel, text: string): Promise<readonly number[]> {
  const plain = [...(await model.tokenize(text, false, false))]
  if (plain.length === 0 || !(await beginsWithSpace(model))) return plain
  const lineBreak = await model.tokenize('\n', false, false)
  const behind = [...(await model.tokenize(`\n${text}`, false, false))]
  return lineBreak.every((token, index) => behind[index] === token) ? behind.slice(lineBreak.length) : plain
}

/** Returns whether the vocabulary puts a space in front of every text. */
export async function beginsWithSpace(model: RawModel): Promise<boolean> {
  const [first] = await model.tokenize('a', false, false)
  return first !== undefined && model.tokenBytes(first, false)[0] === space
}

const space = 0x20

const cannotFill =
  " by this model: its file names no tokens for filling in the middle. Leave it out, or use a model with the capability 'fill_in_the_middle'."

/** Returns the prompt's text as shown to the client in front of the answer. */
export function echoOf(model: Pick<RawModel, 'tokenBytes'>, prompt: RawPrompt): string {
  if (prompt.kind === 'text') return prompt.text
  if (prompt.kind === 'fill') throw new Error('the echo of a gap was not refused: this is a bug')
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  return decoder.decode(Buffer.concat(prompt.tokens.map((token) => model.tokenBytes(token, true))))
}

/** Returns the setup of an answer that is all text, held to the request's schema if any. */
export async function rawSetup(model: Pick<NativeModel, 'schemaGrammar'>, request: ChatRequest): Promise<AnswerSetup> {
  const marks = new SchemaMarks()
  const text = await textGrammar(model, request, marks)
  return {
    format: {
      additionalStops: [],
      preservedTokens: [],
      generationPrompt: '',
      thinkingStartTag: '',
      thinkingEndTags: [],
    },
    grammar: text === undefined ? anyText : { ...anyText, text: withValidStrings(marks.complete(text)) },
    grammarPrefix: '',
    thinking: { enableThinking: undefined, budgetTokens: -1, templateVariables: {} },
    bannedTokens: [],
  }
}
