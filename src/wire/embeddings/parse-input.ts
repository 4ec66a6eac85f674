import { isObject } from '../../core/json.ts'
import type { EmbedRequest } from '../../core/texts.ts'
import { invalidValue, readTokenIds } from '../check.ts'
import { requireInputCount } from '../text-counts.ts'
import { unsupportedContent } from '../unsupported.ts'

interface ParsedInput {
  readonly inputs: EmbedRequest['inputs']
  /** True for one text or one array of token ids, not an array of them. */
  readonly isSingle: boolean
}

/**
 * Reads the texts to embed: a text, the token ids of one, or an array of either. A text in an array may be an object
 * with a `text`. Lone surrogates, which UTF-8 cannot encode, become U+FFFD, as in chats. Throws ApiError 400 or 413.
 */
export function parseInput(input: unknown): ParsedInput {
  if (typeof input === 'string') return { inputs: [parseText(input, 'input')], isSingle: true }
  if (!Array.isArray(input)) throw invalidValue('input', 'a text, an array of texts, or token ids')
  const entries: readonly unknown[] = input
  const [first] = entries
  if (first === undefined) throw invalidValue('input', 'a text or an array of at least 1 text')
  if (typeof first === 'number') return { inputs: [parseTokens(entries, 'input')], isSingle: true }
  requireInputCount(entries.length, 'input')
  const parse = typeof first === 'string' || isObject(first) ? parseText : parseTokens
  return { inputs: entries.map((entry, index) => parse(entry, `input[${index}]`)), isSingle: false }
}

/** Throws ApiError 400. */
export function parseText(sent: unknown, path: string): string {
  if (isObject(sent) && !Object.hasOwn(sent, 'text')) {
    throw unsupportedContent(path, 'an object without a text', ', and models here embed texts alone.')
  }
  const value = isObject(sent) ? sent.text : sent
  if (typeof value !== 'string') throw invalidValue(path, 'a text, as the one before it')
  if (value === '') throw invalidValue(path, 'a text that is not empty')
  return value.toWellFormed()
}

function parseTokens(value: unknown, path: string): readonly number[] {
  if (!Array.isArray(value)) throw invalidValue(path, 'a text or an array of token ids, all of them the same')
  return readTokenIds(value, path)
}
