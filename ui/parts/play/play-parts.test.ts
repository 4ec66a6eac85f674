import { expect, test } from 'bun:test'
import { textNodes } from '../long-text.tsx'
import { stateOf } from './model-state.tsx'
import { chosenModel, type PlayModel, usableModels } from './play-models.ts'
import { priceText } from './price-text.ts'
import { shortenedJson } from './shortened.ts'
import { waitText } from './wait-text.ts'

function model(id: string, status: PlayModel['status'], more: Partial<PlayModel> = {}): PlayModel {
  return { id, canonical: id, type: 'chat', status, aliases: [], capabilities: {}, ...more } as unknown as PlayModel
}

test('models that can answer come first; aliases, other types and what is not installed are left out', () => {
  const rows = [
    model('a/broken', 'broken'),
    model('a/far', 'available'),
    model('a/ready', 'ready'),
    model('alias', 'ready', { canonical: 'a/ready' }),
    model('a/voice', 'ready', { type: 'tts' }),
    model('a/loading', 'loading'),
  ]
  const found = usableModels(rows, ['chat', 'vision'])
  expect(found.map(({ id }) => id)).toEqual(['a/ready', 'a/loading', 'a/broken'])
})

test('a wanted model is chosen by its id or alias, and the first one instead of one that cannot answer', () => {
  const models = [model('a/one', 'ready'), model('a/two', 'ready', { aliases: ['second'] }), model('a/bad', 'broken')]
  expect(['a/two', 'second', 'a/bad', 'a/none', undefined].map((wanted) => chosenModel(models, wanted))).toEqual([
    'a/two',
    'a/two',
    'a/one',
    'a/one',
    'a/one',
  ])
})

test('prices are shown for their unit, to the last digit', () => {
  const tokens = { input: 0.08, cached_input: 0.02, output: 0.35, price: undefined, unit: '1M_tokens' } as const
  const minutes = {
    input: undefined,
    cached_input: undefined,
    output: undefined,
    price: 0.000002,
    unit: 'minute',
  } as const
  const free = { ...minutes, price: 0 }
  const shown = [tokens, minutes, free, undefined].map((pricing) => priceText({ pricing } as PlayModel))
  expect(shown.map((text) => text.replaceAll('\u00a0', ' '))).toEqual([
    '$0.08 in, $0.35 out per 1M tokens',
    '$0.000002 per minute',
    'free',
    'no price',
  ])
})

test('a long text is cut into nodes that never split a character', () => {
  const text = `${'a'.repeat(1_999)}😀${'b'.repeat(3_000)}`
  const parts = textNodes(text)
  expect(parts.join('')).toBe(text)
  expect(parts.every((part) => part.isWellFormed())).toBe(true)
})

test('files in requests are shortened, other long texts are not', () => {
  const shown = shortenedJson({ url: `data:image/png;base64,${'A'.repeat(5_000)}`, text: 'long words '.repeat(200) })
  expect(shown).toContain('data:image/png;base64,AAA')
  expect(shown.length).toBeLessThan(2_500)
  expect(shown).toContain('characters are not shown')
})

test('an installed model is loaded when it is in memory, and says what a request finds otherwise', () => {
  const [ready, broken] = [{ id: 'm', status: 'ready' } as const, { id: 'm', status: 'broken' } as const]
  const row = {
    id: 'm',
    state: 'ready',
    loadedFraction: null,
    loadingSinceMs: null,
    waiting: 0,
    loadMs: 1_400,
  } as const
  const stopped = (loadMs: number) => [{ ...row, state: 'stopped', loadMs } as const]
  const texts = [
    stateOf(ready, undefined),
    stateOf(ready, [{ ...row, id: 'other' }]),
    stateOf(ready, [row]),
    stateOf(ready, [{ ...row, state: 'loading' }]),
    stateOf(ready, [{ ...row, state: 'loading', loadedFraction: 0.639 }]),
    stateOf(ready, [{ ...row, state: 'failed' }]),
    stateOf(ready, [{ ...row, state: 'unloading' }]),
    stateOf(ready, stopped(999)),
    stateOf(ready, stopped(12_345)),
    stateOf(ready, stopped(200_000)),
    stateOf(broken, [row]),
    // The list of models was loaded while the model was loading.
    stateOf(model('m', 'loading'), [row]),
    stateOf(model('m', 'loading'), undefined),
    stateOf(model('m', 'available'), [row]),
  ].map(({ text }) => text)
  expect(texts).toEqual([
    'installed',
    'installed',
    'loaded',
    'loading',
    'loading, 63 %',
    'failed, loads again on request',
    'loads in about 1 s',
    'loads at once',
    'loads in about 12 s',
    'loads in about 3 min',
    'broken',
    'loaded',
    'loading',
    'not installed',
  ])
})

test('waiting says what for, how long, how far and who is before', () => {
  const row = {
    id: 'm',
    state: 'loading',
    loadedFraction: 0.637,
    loadingSinceMs: null,
    waiting: 4,
    loadMs: null,
  } as const
  expect(waitText(row, 12)).toBe('Loading the model, 12 s, 63 %, 3 before you')
  expect(waitText(undefined, 0)).toBe('Waiting, 0 s')
  expect(waitText({ ...row, state: 'ready', waiting: 1 }, 2)).toBe('Waiting, 2 s')
})
