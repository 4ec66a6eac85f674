import { expect, test } from 'bun:test'
import type { PlayModel } from '../play/play-models.ts'
import { movedTo, type PickerRow, pickerRows } from './picker-rows.ts'

function model(id: string, status: PlayModel['status'], more: Partial<PlayModel> = {}): PlayModel {
  return { id, canonical: id, type: 'chat', status, aliases: [], capabilities: {}, ...more } as unknown as PlayModel
}

const models = [
  model('a/ready', 'ready', { aliases: ['quick'] }),
  model('quick', 'ready', { canonical: 'a/ready' }),
  model('a/seeing', 'loading', { type: 'vision', capabilities: { vision: true } }),
  model('a/voice', 'ready', { type: 'tts' }),
  model('a/broken', 'broken'),
  model('b/far', 'available'),
  model('b/coming', 'downloading'),
]
const wanted = { types: ['chat', 'vision'], search: '', isOperator: false } as const
const shown = (rows: readonly PickerRow[]) => rows.map(({ model: { id }, act }) => [id, act])

test('members choose among models on this disk, and find others by a search alone', () => {
  const here = [
    ['a/ready', 'choose'],
    ['a/seeing', 'choose'],
    ['a/broken', 'none'],
  ]
  const all = pickerRows(models, wanted)
  expect([shown(all.here), shown(all.absent)]).toEqual([here, []])
  const searched = pickerRows(models, { ...wanted, search: 'b/' })
  expect(shown(searched.absent)).toEqual([
    ['b/far', 'none'],
    ['b/coming', 'none'],
  ])
})

test('operators are led to models that cannot be chosen', () => {
  const { here, absent } = pickerRows(models, { ...wanted, isOperator: true })
  expect(shown([...here, ...absent]).slice(2)).toEqual([
    ['a/broken', 'manage'],
    ['b/far', 'manage'],
    ['b/coming', 'manage'],
  ])
})

test.each([
  ['Quick', ['a/ready']],
  ['pictures', ['a/seeing']],
  [' a/  sees ', ['a/seeing']],
  ['voice', []],
])('a search for %p finds %p by name, alias and ability', (search, ids) => {
  expect(pickerRows(models, { ...wanted, search }).here.map(({ model: { id } }) => id)).toEqual(ids)
})

test('the arrow keys go round, and pass over rows that nobody can choose', () => {
  const { here } = pickerRows(models, wanted)
  expect(movedTo(here, 'a/ready', 1)).toBe('a/seeing')
  expect(movedTo(here, 'a/seeing', 1)).toBe('a/ready')
  expect(movedTo(here, 'a/ready', -1)).toBe('a/seeing')
  expect(movedTo(here, undefined, 1)).toBe('a/ready')
  expect(movedTo(here, undefined, -1)).toBe('a/seeing')
  expect(movedTo([], undefined, 1)).toBeUndefined()
})
