import { expect, test } from 'bun:test'
import { refusalOf } from '../../testing/refusal.ts'
import { parsePageQuery, toModelsPage } from './models-page.ts'

const rows = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, type: 'chat' }))

function page(query: string) {
  const { data, ...rest } = Object(toModelsPage(rows, parsePageQuery(new URLSearchParams(query))))
  return { ids: data.map(({ id }: { id: string }) => id).join(''), ...rest }
}

test.each<[string, string, boolean]>([
  ['', 'abcde', false],
  ['limit=2', 'ab', true],
  ['limit=5', 'abcde', false],
  ['limit=1000', 'abcde', false],
  ['limit=2&after_id=b', 'cd', true],
  ['limit=2&after_id=c', 'de', false],
  ['after_id=d', 'e', false],
  ['limit=2&before_id=e', 'cd', true],
  ['limit=2&before_id=c', 'ab', false],
  ['before_id=c', 'ab', false],
])('%p', (query, ids, has_more) => {
  expect(page(query)).toEqual({ ids, has_more, first_id: ids.at(0) ?? null, last_id: ids.at(-1) ?? null })
})

test('behind the end and in front of the beginning there is nothing', () => {
  const nothing = { ids: '', has_more: false, first_id: null, last_id: null }
  expect([page('after_id=e'), page('before_id=a')]).toEqual([nothing, nothing])
})

test.each([
  ['limit', 'limit=0'],
  ['limit', 'limit=1001'],
  ['limit', 'limit=-1'],
  ['limit', 'limit=all'],
  ['limit', 'limit='],
  ['after_id', 'after_id=x'],
  ['before_id', 'before_id='],
  ['before_id', 'after_id=a&before_id=b'],
])('%s of %p is refused', (param, query) => {
  expect(refusalOf(() => page(query))).toMatchObject({ kind: 'invalid_request', code: 'invalid_value', param })
})

test('every row is of the type model, and keeps what it was', () => {
  expect(toModelsPage([{ id: 'a', type: 'stt' }], parsePageQuery(new URLSearchParams()))).toMatchObject({
    data: [{ id: 'a', type: 'model', model_type: 'stt' }],
  })
})

test.each([
  [['text', 'image', 'file'], true, true],
  [['text', 'file'], false, true],
  [['audio'], false, false],
])('a model that takes %j says so as this dialect does', (input_modalities, image, pdf) => {
  const row = { id: 'a', type: 'chat', capabilities: { tools: true }, architecture: { input_modalities } }
  expect(toModelsPage([row], parsePageQuery(new URLSearchParams()))).toMatchObject({
    data: [{ capabilities: { tools: true, image_input: { supported: image }, pdf_input: { supported: pdf } } }],
  })
})
