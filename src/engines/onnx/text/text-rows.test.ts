/** Rows of the starter models' real tokenizer, compared with the tokenizer's own results. */
import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { TextModelSettings } from '../../../core/text-model-settings.ts'
import { starterTextModel } from '../../../testing/starter-text-models.ts'
import { runtimePaths } from '../../runtime/runtime-paths.ts'
import { answerIdsOf, TextRows } from './text-rows.ts'
import { openTokenizer } from './tokenizer.ts'

const tokenizer = openTokenizer(
  (await runtimePaths('')).tokenizers,
  join(import.meta.dir, '../../../../models/starter/starter-embed-tokenizer.json'),
)

function rowsWith(settings: Partial<TextModelSettings> = {}, limitTokens = 512): Promise<TextRows> {
  const { encoder } = starterTextModel('embedding', settings).manifest
  if (encoder === undefined) throw new Error('the starter has settings')
  return TextRows.open({ tokenizer, settings: encoder, limitTokens, wantsTypeIds: true })
}

const whole = async (text: string, pair: string | null = null) =>
  (await tokenizer.encode(text, pair, { addSpecialTokens: true })).getIds()
const bare = async (text: string) => (await tokenizer.encode(text, null, { addSpecialTokens: false })).getIds()
const ids = (rows: readonly { ids: Int32Array }[]) => rows.map((row) => [...row.ids])

const texts = ['How do I reset my password?', 'x', 'Größe, naïve café – 東京 🎉', ' \n ', 'a b c '.repeat(50)]

test('texts get what the tokenizer puts around them', async () => {
  const rows = await (await rowsWith()).embed({ inputs: texts })
  expect(ids(rows)).toEqual(await Promise.all(texts.map((text) => whole(text))))
})

test('pairs too, with the type of each token', async () => {
  const rows = await (await rowsWith()).rerank({ query: 'reset password', documents: texts })
  expect(ids(rows)).toEqual(await Promise.all(texts.map((text) => whole('reset password', text))))
  const encoding = await tokenizer.encode('reset password', 'x', { addSpecialTokens: true })
  expect([...(rows[1]?.typeIds ?? [])]).toEqual(encoding.getTypeIds())
})

test('or nothing, where the model wants none; tokens that it does not know are left out', async () => {
  const rows = await rowsWith({ specialTokens: false, dropToken: '[UNK]' })
  expect(ids(await rows.embed({ inputs: ['reset 🎉 password'] }))).toEqual([await bare('reset password')])
  const nothing = rows.embed({ inputs: ['fine', '🎉'] })
  await expect(nothing).rejects.toMatchObject({ kind: 'invalid_request', param: 'input[1]' })
})

test('prefixes stand before texts of their kind', async () => {
  const rows = await rowsWith({ queryPrefix: 'query: ', documentPrefix: 'passage: ' })
  const of = async (inputType?: 'query' | 'document') => ids(await rows.embed({ inputs: ['moon'], inputType }))
  expect(await of('query')).toEqual([await whole('query: moon')])
  expect(await of('document')).toEqual([await whole('passage: moon')])
  expect(await of()).toEqual([await whole('moon')])
})

test('an end token is put where there is none', async () => {
  const [cls, sep] = [await whole('')].flat()
  const appended = await rowsWith({ appendToken: '[CLS]' })
  expect(ids(await appended.embed({ inputs: ['x'] }))).toEqual([[...(await whole('x')), cls ?? -1]])
  const present = await rowsWith({ appendToken: '[SEP]' })
  expect(ids(await present.embed({ inputs: ['x'] }))).toEqual([await whole('x')])
  expect(sep).toBeDefined()
  await expect(rowsWith({ appendToken: '<|nowhere|>' })).rejects.toThrow('no token "<|nowhere|>"')
})

describe('token ids of the caller', () => {
  test('are taken as they are', async () => {
    const rows = await rowsWith()
    expect(ids(await rows.embed({ inputs: [[7, 8, 9], 'x', [1]] }))).toEqual([[7, 8, 9], await whole('x'), [1]])
  })

  test('are refused when they are of another vocabulary, saying what to do', async () => {
    const size = tokenizer.getVocabSize(true)
    const refused = (await rowsWith()).embed({ inputs: ['x', [7, size]] })
    await expect(refused).rejects.toMatchObject({ kind: 'invalid_request', param: 'input[1]' })
    await expect(refused).rejects.toThrow(/check_embedding_ctx_length=False/)
    const last = (await rowsWith()).embed({ inputs: [[size - 1]] })
    expect(ids(await last)).toEqual([[size - 1]])
  })
})

describe('limits', () => {
  test('a text that fits exactly is taken, one token more is refused with both numbers', async () => {
    const length = (await whole(texts[0] ?? '')).length
    expect(await (await rowsWith({}, length)).embed({ inputs: [texts[0] ?? ''] })).toHaveLength(1)
    const refused = (await rowsWith({}, length - 1)).embed({ inputs: ['x', texts[0] ?? ''] })
    await expect(refused).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'input[1]',
      length: { promptTokens: length, limitTokens: length - 1 },
    })
  })

  test('a text that cannot fit is not even read', async () => {
    const refused = (await rowsWith()).embed({ inputs: ['\n'.repeat(60_000)] })
    await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'input[0]' })
  })

  test('of a pair the document is cut, never the query', async () => {
    const query = 'reset my password'
    const rows = await (await rowsWith({}, 12)).rerank({
      query,
      documents: ['moon '.repeat(100_000), 'moon'],
    })
    const [cls, sep] = await whole('')
    const used = await bare(query)
    const [moon] = await bare('moon')
    const room = 12 - 3 - used.length
    expect(ids(rows)[0]).toEqual([cls, ...used, sep, ...Array(room).fill(moon), sep] as number[])
    expect(rows[1]?.ids.length).toBe(used.length + 4)
  })

  describe('a text that may be cut', () => {
    const long = `sun ${'moon '.repeat(40)}star`

    test('loses tokens at the side that is named, never its special tokens', async () => {
      const rows = await rowsWith({}, 12)
      const [cls, sep] = await whole('')
      const tokens = await bare(long)
      const cut = async (truncate: 'start' | 'end') => ids(await rows.embed({ inputs: [long, 'x'], truncate }))
      expect(await cut('end')).toEqual([[cls, ...tokens.slice(0, 10), sep] as number[], await whole('x')])
      expect(await cut('start')).toEqual([[cls, ...tokens.slice(-10), sep] as number[], await whole('x')])
    })

    test('of far too long a text the end that is kept is read', async () => {
      const rows = await rowsWith({}, 12)
      const huge = 'moon '.repeat(1000)
      const cut = async (text: string, truncate: 'start' | 'end') => ids(await rows.embed({ inputs: [text], truncate }))
      expect(await cut(`${huge}${long}`, 'start')).toEqual(await cut(long, 'start'))
      expect(await cut(`${long} ${huge}`, 'end')).toEqual(await cut(long, 'end'))
    })

    test('keeps its instruction', async () => {
      const rows = await rowsWith({ queryPrefix: 'reset password: ' }, 12)
      const instruction = await bare('reset password: ')
      const [row] = ids(await rows.embed({ inputs: [long], inputType: 'query', truncate: 'start' }))
      expect(row).toHaveLength(12)
      expect(row?.slice(1, -1)).toEqual([...instruction, ...(await bare(long)).slice(instruction.length - 10)])
    })

    test('is the same where it fits, however many characters it has', async () => {
      const rows = await rowsWith()
      for (const truncate of ['start', 'end'] as const) {
        expect(ids(await rows.embed({ inputs: texts, truncate }))).toEqual(ids(await rows.embed({ inputs: texts })))
        const huge = `🙂${'\n'.repeat(60_000)}🙂`
        expect(ids(await rows.embed({ inputs: [huge], truncate }))[0]?.length).toBeLessThanOrEqual(512)
      }
    })

    test('token ids lose theirs too', async () => {
      const rows = await rowsWith({}, 3)
      expect(ids(await rows.embed({ inputs: [[1, 2, 3, 4, 5]], truncate: 'end' }))).toEqual([[1, 2, 3]])
      expect(ids(await rows.embed({ inputs: [[1, 2, 3, 4, 5]], truncate: 'start' }))).toEqual([[3, 4, 5]])
    })
  })

  test('no more of a document is read than is asked for', async () => {
    const query = 'reset'
    const request = { query, documents: ['moon '.repeat(100), 'moon'], documentTokens: 2 }
    const cut = { query, documents: ['moon moon', 'moon'] }
    for (const settings of [{}, { pairTemplate: { prefix: 'a', body: 'q {query} d {document}', suffix: 'b' } }]) {
      const rows = await rowsWith(settings)
      expect(ids(await rows.rerank(request))).toEqual(ids(await rows.rerank(cut)))
    }
  })

  test('a document that does not fit is refused where it is not to be cut', async () => {
    const rows = await rowsWith({}, 10)
    const request = { query: 'moon', documents: ['moon '.repeat(6)], refuseLong: true }
    expect(await rows.rerank(request)).toHaveLength(1)
    for (const long of ['moon '.repeat(7), `moon${'\n'.repeat(10_000)}`]) {
      const refused = rows.rerank({ ...request, documents: ['moon', long] })
      await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'documents[1]' })
    }
  })

  test('a document that is not to be cut is read whole', async () => {
    const rows = await rowsWith({}, 10)
    const request = { query: 'moon', documents: [`moon${'\n'.repeat(500)}moon`], refuseLong: true }
    expect(ids(await rows.rerank(request))).toEqual(ids(await rows.rerank({ ...request, documents: ['moon moon'] })))
    const refused = rows.rerank({ ...request, documents: ['moon '.repeat(100)] })
    await expect(refused).rejects.toMatchObject({ length: { promptTokens: 104, limitTokens: 10 } })
  })

  test('a query that leaves no room for a document is refused', async () => {
    const query = 'moon '.repeat(20)
    const rows = await rowsWith({}, 23)
    await expect(rows.rerank({ query, documents: [''] })).rejects.toMatchObject({
      code: 'context_length_exceeded',
      param: 'query',
    })
    expect(await (await rowsWith({}, 24)).rerank({ query, documents: ['moon'] })).toHaveLength(1)
    const huge = rows.rerank({ query: 'x'.repeat(10_000), documents: [''] })
    await expect(huge).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'query' })
  })
})

test('texts are not read to their end when one is refused, or nobody wants them any more', async () => {
  const rows = await rowsWith({}, 20)
  const inputs = ['moon '.repeat(30), ...Array<string>(500).fill('moon')]
  let asked = 0
  const refused = rows.embed({ inputs }, () => ++asked > 0)
  await expect(refused).rejects.toMatchObject({ param: 'input[0]' })
  expect(asked).toBe(1)
  const left = rows.rerank({ query: 'x', documents: Array(500).fill('moon') }, () => ++asked < 4)
  await expect(left).rejects.toThrow('nobody waits')
  expect(asked).toBe(4)
})

test('a pair of nothing is refused by its number', async () => {
  const rows = await rowsWith({ specialTokens: false })
  const refused = rows.rerank({ query: ' ', documents: ['moon', ''] })
  await expect(refused).rejects.toMatchObject({ kind: 'invalid_request', param: 'documents[1]' })
})

describe('a pair in the words of a template', () => {
  const pairTemplate = { prefix: '[CLS]judge', body: 'q {query} d {document}', suffix: 'answer[SEP]' }

  test('is written out, special tokens by their names', async () => {
    const rows = await rowsWith({ pairTemplate })
    const written = ids(await rows.rerank({ query: 'moon', documents: ['sun', '{query} {document}'] }))
    const expected = async (body: string) => [
      ...(await bare('[CLS]judge')),
      ...(await bare(body)),
      ...(await bare('answer[SEP]')),
    ]
    expect(written).toEqual([await expected('q moon d sun'), await expected('q moon d {query} {document}')])
    expect(written[0]?.at(-1)).toBe((await whole('')).at(-1) ?? -1)
  })

  test('is cut in its body, never at its end', async () => {
    const rows = await rowsWith({ pairTemplate }, 20)
    const [row] = ids(await rows.rerank({ query: 'moon', documents: ['sun '.repeat(100)] }))
    expect(row).toHaveLength(20)
    expect(row?.slice(-2)).toEqual((await bare('answer[SEP]')).slice(-2))
    const refused = (await rowsWith({ pairTemplate }, 8)).rerank({ query: 'moon', documents: [''] })
    await expect(refused).rejects.toMatchObject({ code: 'context_length_exceeded', param: 'query' })
  })

  test('the answers that are compared must be tokens', () => {
    const settings = starterTextModel('rerank').manifest.encoder
    if (settings === undefined) throw new Error('the starter has settings')
    expect(answerIdsOf(tokenizer, settings)).toBeUndefined()
    expect(answerIdsOf(tokenizer, { ...settings, answerTokens: { yes: 'yes', no: 'no' } })).toEqual({
      yes: tokenizer.tokenToId('yes') ?? -1,
      no: tokenizer.tokenToId('no') ?? -1,
    })
    expect(() => answerIdsOf(tokenizer, { ...settings, answerTokens: { yes: 'yessir!', no: 'no' } })).toThrow('yessir!')
  })
})
