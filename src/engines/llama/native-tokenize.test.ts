/** Tokens of texts with many special tokens, for which llama.cpp takes time by the square. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Vocabulary } from '../../testing/gguf/random-model.ts'
import { spacedVocabulary } from '../../testing/gguf/spaced-vocabulary.ts'
import { tinyGguf } from '../../testing/gguf/tiny-gguf.ts'
import { tinyVocabulary } from '../../testing/gguf/tiny-vocabulary.ts'
import { openTestAddon } from '../../testing/native-options.ts'
import type { NativeAddon, NativeModel } from './native.ts'
import { loadOptions, onCpu } from './placement.ts'

const starter = join(import.meta.dir, '../../../models/starter/starter-chat-q8_0.gguf')
const folder = mkdtempSync(join(tmpdir(), 'inferd-tokenize-'))
let addon: NativeAddon
let model: NativeModel

beforeAll(async () => {
  addon = await openTestAddon()
  model = await addon.loadModel(loadOptions(starter, onCpu))
})

afterAll(() => {
  model.close()
  rmSync(folder, { recursive: true })
})

test('a text of nothing but control tokens is tokenized soon', async () => {
  const [mark = -1] = await model.tokenize('<|im_end|>', false, true)
  const tokens = await model.tokenize('<|im_end|>'.repeat(420_000), false, true)
  expect(tokens).toEqual(new Int32Array(420_000).fill(mark))
}, 30_000)

/** Special tokens that overlap each other, and some of which others contain. */
const overlapping = ['\n\n', ' '.repeat(7), '\n'.repeat(8), '\n'.repeat(9), 'aba', '|x|', 'he<a', '<a><a>']
const marks = ['<s>', '</s>', '<unk>', '<|endoftext|>', '<|im_start|>', '<|im_end|>']
const words = [
  'a',
  'b',
  'hello',
  ' the',
  ' ',
  '    ',
  '\n',
  '\n\n\n',
  'é',
  '🙂',
  '<',
  '<a>',
  'ab',
  'x|',
  ' one two',
  '.',
]

/** Returns a vocabulary in which these are special tokens, half of them found even where control tokens are text. */
function withSpecials(vocabulary: Vocabulary, name: string): Vocabulary {
  const tokens = vocabulary.metadata.get('tokenizer.ggml.tokens')
  const types = vocabulary.metadata.get('tokenizer.ggml.token_type')
  if (tokens?.type !== 'strings' || types?.type !== 'int32s') throw new Error('a vocabulary without tokens')
  const values = types.values.map((type, index) =>
    overlapping.indexOf(tokens.values[index] ?? '') % 2 === 0 ? 4 : type,
  )
  return {
    ...vocabulary,
    metadata: new Map(vocabulary.metadata)
      .set('tokenizer.ggml.token_type', { type: 'int32s', values })
      .set('general.name', { type: 'string', value: name }),
  }
}

/** Returns a text of special tokens and words, always the same for a seed. */
function randomText(seed: number): string {
  let state = seed
  const below = (limit: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * limit)
  }
  const pick = (from: readonly string[]) => from[below(from.length)] ?? ''
  let text = ''
  while (text.length < 60_000) text += below(3) === 0 ? pick(words) : pick([...overlapping, ...marks])
  return text
}

/** Vocabularies of this name have special tokens that strip the white space behind them, all but three. */
const stripping = 'phi-3'
const unstripping = ['<unk>', '<s>', '<|endoftext|>']

/** Returns the text split as llama.cpp splits it: at the longest special tokens first. */
function split(text: string, [special, ...shorter]: readonly string[], strips: boolean): string[] {
  if (special === undefined) return text === '' ? [] : [text]
  const parts: string[] = []
  let rest = text
  for (let at = rest.indexOf(special); at >= 0; at = rest.indexOf(special)) {
    parts.push(...split(rest.slice(0, at), shorter, strips), special)
    rest = rest.slice(at + special.length)
    if (strips && !unstripping.includes(special)) rest = rest.trimStart()
  }
  return [...parts, ...split(rest, shorter, strips)]
}

const ofBytes = tinyVocabulary({
  ...{ output: 'ascii', endBias: -1000 },
  moreControlTokens: [...overlapping, ...marks.slice(0, 3)],
})
const ofSentencePiece = spacedVocabulary([...overlapping, ...marks.slice(3)])

test.each<[kind: string, name: string, vocabulary: Vocabulary]>([
  ['of bytes', 'tiny', ofBytes],
  ['of bytes that strips white space', stripping, ofBytes],
  ['of SentencePiece', 'tiny', ofSentencePiece],
  ['of SentencePiece that strips white space', stripping, ofSentencePiece],
])('a long text has the tokens of its parts, with a vocabulary %s', async (_, name, vocabulary) => {
  const path = join(folder, 'model.gguf')
  writeFileSync(path, tinyGguf({ vocabulary: withSpecials(vocabulary, name), chatTemplate: 'none' }))
  const tiny = await addon.loadModel(loadOptions(path, onCpu))
  const longestFirst = [...overlapping, ...marks].sort((one, other) => other.length - one.length)
  const start = tiny.info.addsStartToken ? [tiny.info.startToken] : []
  const tokensOf = new Map<string, Int32Array>()
  for (let seed = 1; seed <= 4; seed++) {
    const text = randomText(seed)
    const tokens: number[] = []
    for (const part of split(text, longestFirst, name === stripping)) {
      const known = tokensOf.get(part) ?? (await tiny.tokenize(part, false, true))
      tokensOf.set(part, known)
      tokens.push(...known)
    }
    expect([...(await tiny.tokenize(text, false, true))]).toEqual(tokens)
    expect([...(await tiny.tokenize(text, true, true))]).toEqual([...start, ...tokens] as number[])
  }
  tiny.close()
})

test('a text is not cut in front of a special token that a longer one takes bytes of', async () => {
  const path = join(folder, 'model.gguf')
  writeFileSync(path, tinyGguf({ vocabulary: withSpecials(ofBytes, 'tiny'), chatTemplate: 'none' }))
  const tiny = await addon.loadModel(loadOptions(path, onCpu))
  const once = await tiny.tokenize(' the<a><a>', false, true)
  expect(once).toHaveLength(2)
  const often = Array.from({ length: 1900 }, () => [...once]).flat()
  expect([...(await tiny.tokenize(' the<a><a>'.repeat(1900), false, true))]).toEqual(often)
  tiny.close()
})
