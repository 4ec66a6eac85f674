import type { RawPrompt } from '../../core/chat.ts'
import { invalidValue, readTokenIds } from '../check.ts'

const words = 'a text, an array of texts, or token ids'

const emptyPrompt: RawPrompt = { kind: 'text', text: '', param: 'prompt' }

/**
 * Parses the prompts to continue: a text, the token ids of one, or an array of either. An absent prompt is an empty
 * text. A non-empty suffix requests the text between prompt and suffix, and needs text prompts. Throws ApiError 400.
 */
export function parsePrompts(prompt: unknown, suffix: string): readonly RawPrompt[] {
  const prompts = parseEach(prompt)
  if (suffix === '') return prompts
  return prompts.map((each) => {
    if (each.kind === 'text')
      return { kind: 'fill', prefix: each.text, suffix: suffix.toWellFormed(), param: each.param }
    throw invalidValue(each.param, "a text, because there is a 'suffix'")
  })
}

function parseEach(prompt: unknown): readonly RawPrompt[] {
  if (prompt === undefined) return [emptyPrompt]
  if (!Array.isArray(prompt)) return [parseText(prompt, 'prompt', words)]
  const entries: readonly unknown[] = prompt
  const [first] = entries
  if (first === undefined) throw invalidValue('prompt', `${words}; the array is empty`)
  if (typeof first === 'number') return [parseTokens(entries, 'prompt')]
  return entries.map((entry, index) => {
    const param = `prompt[${index}]`
    return Array.isArray(entry) ? parseTokens(entry, param) : parseText(entry, param, 'a text or an array of token ids')
  })
}

function parseText(value: unknown, param: string, expected: string): RawPrompt {
  if (typeof value !== 'string') throw invalidValue(param, expected)
  return { kind: 'text', text: value.toWellFormed(), param }
}

function parseTokens(tokens: readonly unknown[], param: string): RawPrompt {
  return { kind: 'tokens', tokens: readTokenIds(tokens, param), param }
}
