import { readFileSync } from 'node:fs'
import { openTokenizer } from '../../../src/engines/onnx/text/tokenizer.ts'
import { runtimePaths } from '../../../src/engines/runtime/runtime-paths.ts'
import { RandomWords } from '../../../src/testing/gguf/random-words.ts'

/**
 * Returns a function that makes different texts of exactly this many tokens, special ones included, from words that are
 * one token each.
 */
export async function textMaker(tokenizerPath: string): Promise<(tokens: number) => string> {
  const tokenizer = openTokenizer((await runtimePaths('')).tokenizers, tokenizerPath)
  const around = (await tokenizer.encode('', null, { addSpecialTokens: true })).getIds().length
  const { model } = JSON.parse(readFileSync(tokenizerPath, 'utf8')) as { model: { vocab: Record<string, number> } }
  const candidates = Object.keys(model.vocab).filter((word) => /^[a-z]{3,9}$/.test(word))
  const lengths = await tokenizer.encodeBatch(candidates, { addSpecialTokens: false })
  const words = candidates.filter((_, index) => lengths[index]?.getIds().length === 1)
  if (words.length < 100) throw new Error('the tokenizer knows too few whole words to make texts of')
  const random = new RandomWords(1)
  return (tokens) => Array.from({ length: tokens - around }, () => words[random.below(words.length)]).join(' ')
}
