import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spacedVocabulary } from '../testing/gguf/spaced-vocabulary.ts'
import { type TinyGgufOptions, tinyGguf } from '../testing/gguf/tiny-gguf.ts'
import { openTemplateModels, type TemplateModels } from '../testing/template-models.ts'
import { fillTexts } from './fill-tokens.ts'
import { parseGgufHeader } from './gguf-header.ts'

let models: TemplateModels
beforeAll(async () => {
  models = await openTemplateModels()
})
afterAll(() => models.dispose())

/** Returns whether the catalog finds fill tokens in a file (`told`), and whether llama.cpp does (`done`). */
async function filling(options: TinyGgufOptions): Promise<{ told: boolean; done: boolean }> {
  const bytes = tinyGguf({ ...options, chatTemplate: { jinja: '{{ messages[0].content }}' } })
  const read = (offset: number, length: number) => bytes.slice(offset, offset + length)
  const model = await models.load('{{ messages[0].content }}', options)
  const told = parseGgufHeader({ sizeBytes: bytes.length, read }).fillsGaps
  return { told, done: model.info.fillTokens !== undefined }
}

const pairs = fillTexts.prefix.map((prefix, index): [string, string] => [prefix, fillTexts.suffix[index] ?? ''])

test.each(pairs)('a file with %s and %s fills gaps', async (prefix, suffix) => {
  expect(await filling({ moreControlTokens: [prefix, suffix] })).toEqual({ told: true, done: true })
})

test.each<[name: string, options: TinyGgufOptions]>([
  ['nothing', {}],
  ['a prefix alone', { moreControlTokens: ['<PRE>', '<MID>'] }],
  ['a suffix alone', { moreControlTokens: ['<SUF>', '<MID>'] }],
  ['a key alone', { moreControlTokens: ['[a]'], tokenKeys: { fim_pre_token_id: '[a]' } }],
  ['other texts of the same length', { moreControlTokens: ['<PRO>', '<SOF>'] }],
])('a file with %s does not', async (_name, options) => {
  expect(await filling(options)).toEqual({ told: false, done: false })
})

test.each<[name: string, keys: readonly [string, string]]>([
  ['keys', ['fim_pre_token_id', 'fim_suf_token_id']],
  ['older keys', ['prefix_token_id', 'suffix_token_id']],
  ['keys of both kinds', ['prefix_token_id', 'fim_suf_token_id']],
])('a file with %s fills gaps', async (_name, [prefix, suffix]) => {
  const tokenKeys = { [prefix]: '[a]', [suffix]: '[b]' }
  expect(await filling({ moreControlTokens: ['[a]', '[b]'], tokenKeys })).toEqual({ told: true, done: true })
})

test('a key and a text together, in a vocabulary of another kind', async () => {
  expect(await filling({ vocabulary: spacedVocabulary(['<PRE>', '▁<SUF>']) })).toEqual({ told: true, done: true })
})
