import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { RawPrompt } from '../../../core/chat.ts'
import { ApiError } from '../../../core/errors.ts'
import type { TinyGgufOptions } from '../../../testing/gguf/tiny-gguf.ts'
import { openTemplateModels, type TemplateModels } from '../../../testing/template-models.ts'
import type { NativeModel } from '../native.ts'
import { echoOf, layOutRawPrompts } from './raw-prompt.ts'

let models: TemplateModels
beforeAll(async () => {
  models = await openTemplateModels()
})
afterAll(() => models.dispose())

const param = 'prompt'
const text = (text: string): RawPrompt => ({ kind: 'text', text, param })
const fill = (prefix: string, suffix: string): RawPrompt => ({ kind: 'fill', prefix, suffix, param })

/** Returns the tokens of one prompt by their text, with letters that are in no word of the vocabulary. */
async function tokensOf(model: NativeModel, prompt: RawPrompt, contextTokens = 1000): Promise<string[]> {
  const [layout] = await layOutRawPrompts(model, [prompt], contextTokens)
  return Array.from(layout?.units ?? [], (token) => new TextDecoder().decode(model.tokenBytes(token, true)))
}

async function refusalOf(model: NativeModel, prompt: RawPrompt, contextTokens?: number): Promise<ApiError> {
  const error = await tokensOf(model, prompt, contextTokens).catch((error: unknown) => error)
  if (error instanceof ApiError) return error
  throw error
}

function tiny(options: TinyGgufOptions = {}): Promise<NativeModel> {
  return models.load('{{ messages[0].content }}', options)
}

describe('a text', () => {
  test('is taken as it is, its control tokens as such', async () => {
    const model = await tiny()
    expect(await tokensOf(model, text(' x<|im_end|>z\n'))).toEqual([' ', 'x', '<|im_end|>', 'z', '\n'])
  })

  test('begins with the start token where the model wants one, and with no second one', async () => {
    const model = await tiny({ addsStart: true })
    expect(await tokensOf(model, text('xz'))).toEqual(['<|endoftext|>', 'x', 'z'])
    expect(await tokensOf(model, text('<|endoftext|>xz'))).toEqual(['<|endoftext|>', 'x', 'z'])
  })

  test('is the start token alone when it is empty, also where texts do not begin with it', async () => {
    expect(await tokensOf(await tiny(), text(''))).toEqual(['<|endoftext|>'])
    expect(await tokensOf(await tiny({ addsStart: true }), text(''))).toEqual(['<|endoftext|>'])
  })

  test('is refused when it is empty and the model has no start token', async () => {
    const model = await tiny()
    const { startToken, ...info } = model.info
    const without = { info, tokenize: model.tokenize.bind(model), tokenBytes: model.tokenBytes.bind(model) }
    expect(startToken).toBeNumber()
    const refused = layOutRawPrompts(without, [text('')], 1000)
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_value', param })
  })

  test('that fills the context is refused, with the numbers of tokens', async () => {
    const model = await tiny()
    const refused = { code: 'context_length_exceeded', param, length: { promptTokens: 5, limitTokens: 5 } }
    expect(await refusalOf(model, text('xzxzx'), 5)).toMatchObject(refused)
    expect(await tokensOf(model, text('xzxz'), 5)).toHaveLength(4)
    expect((await refusalOf(model, text('xz'.repeat(500)), 5)).message).toContain('more than 80 tokens')
  })
})

describe('token ids', () => {
  const tokens = (...tokens: number[]): RawPrompt => ({ kind: 'tokens', tokens, param })

  test('are taken as they are', async () => {
    const model = await tiny({ addsStart: true })
    expect(await tokensOf(model, tokens(120, 122))).toEqual(['x', 'z'])
    expect(echoOf(model, tokens(120, 0xc3, 0xbc, model.info.startToken ?? 0))).toBe('xü<|endoftext|>')
    expect(echoOf(model, tokens(0xef, 0xbb, 0xbf, 120))).toBe('\ufeffx')
  })

  test('that the model does not have are refused', async () => {
    const model = await tiny()
    const { vocabularySize } = model.info
    expect(await tokensOf(model, tokens(vocabularySize - 1))).toHaveLength(1)
    expect(await refusalOf(model, tokens(1, vocabularySize))).toMatchObject({ code: 'invalid_value', param })
  })
})

describe('a gap', () => {
  const marks = ['[P]', '[S]', '[M]']
  const newKeys = { fim_pre_token_id: '[P]', fim_suf_token_id: '[S]', fim_mid_token_id: '[M]' }
  const oldKeys = { prefix_token_id: '[P]', suffix_token_id: '[S]', middle_token_id: '[M]' }
  const named = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>']
  const { fim_mid_token_id: _, ...withoutMiddle } = newKeys

  test.each<[name: string, options: TinyGgufOptions, expected: string[]]>([
    ['keys', { moreControlTokens: marks, tokenKeys: newKeys }, ['[P]', 'x', '[S]', 'z', '[M]']],
    ['older keys', { moreControlTokens: marks, tokenKeys: oldKeys }, ['[P]', 'x', '[S]', 'z', '[M]']],
    ['texts', { moreControlTokens: named }, ['<|fim_prefix|>', 'x', '<|fim_suffix|>', 'z', '<|fim_middle|>']],
    ['keys and no middle', { moreControlTokens: marks, tokenKeys: withoutMiddle }, ['[S]', 'z', '[P]', 'x']],
    [
      'a start token',
      { moreControlTokens: marks, tokenKeys: newKeys, addsStart: true },
      ['<|endoftext|>', '[P]', 'x', '[S]', 'z', '[M]'],
    ],
  ])('is framed by the tokens of the file: %s', async (_name, options, expected) => {
    expect(await tokensOf(await tiny(options), fill('x', 'z'))).toEqual(expected)
  })

  test('may lack either side', async () => {
    const model = await tiny({ moreControlTokens: marks, tokenKeys: newKeys })
    expect(await tokensOf(model, fill('', 'z'))).toEqual(['[P]', '[S]', 'z', '[M]'])
  })

  test('that is too long is refused with the longer side', async () => {
    const model = await tiny({ moreControlTokens: marks, tokenKeys: newKeys })
    for (const length of [10, 1000]) {
      const long = 'x'.repeat(length)
      expect(await refusalOf(model, fill('z', long), 10)).toMatchObject({
        code: 'context_length_exceeded',
        param: 'suffix',
        message: expect.stringContaining("'suffix' resulted in"),
      })
      expect(await refusalOf(model, fill(long, 'z'), 10)).toMatchObject({ code: 'context_length_exceeded', param })
    }
  })

  test('has no control tokens in its texts', async () => {
    const model = await tiny({ moreControlTokens: marks, tokenKeys: newKeys })
    expect(await tokensOf(model, fill('[M]', 'z'))).toEqual(['[P]', '[', 'M', ']', '[S]', 'z', '[M]'])
  })

  test('is not given the spaces that a vocabulary puts in front of texts', async () => {
    const model = await models.loadSpaced(['<PRE>', '<SUF>', '<MID>'])
    expect(await tokensOf(model, text('ab'))).toEqual(['<s>', ' ', 'a', 'b'])
    expect(await tokensOf(model, fill('ab', 'cd'))).toEqual(['<s>', '<PRE>', 'a', 'b', '<SUF>', 'c', 'd', '<MID>'])
    expect(await tokensOf(model, fill(' a', '\n'))).toEqual(['<s>', '<PRE>', ' ', 'a', '<SUF>', '\n', '<MID>'])
  })

  test('is refused where the file names no tokens for it, or but one', async () => {
    const refused = { kind: 'invalid_request', code: 'unsupported_parameter', param: 'suffix' }
    expect(await refusalOf(await tiny(), fill('x', 'z'))).toMatchObject(refused)
    const half = await tiny({ moreControlTokens: marks, tokenKeys: { fim_pre_token_id: '[P]' } })
    expect(await refusalOf(half, fill('x', 'z'))).toMatchObject(refused)
  })
})
