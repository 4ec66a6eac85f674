import { expect, test } from 'bun:test'
import { examplesFor } from './example-list.ts'

const textModel = { id: 'org/model', capabilities: {} }

test('a model gets four examples, those of its abilities first', () => {
  const plain = examplesFor(textModel)
  expect(plain).toHaveLength(4)
  expect(plain.some(({ hasPicture, tool }) => hasPicture === true || tool !== undefined)).toBe(false)
  const able = examplesFor({ ...textModel, capabilities: { vision: true, tools: true } })
  expect(able).toHaveLength(4)
  expect(able.slice(0, 2)).toMatchObject([{ hasPicture: true }, { tool: 'get_weather' }])
  expect(able.slice(2)).toEqual(plain.slice(0, 2))
})

test('the tiny model is asked what it was trained to answer', () => {
  const tiny = examplesFor({ id: 'inferd/starter-chat', capabilities: {} }).map(({ text }) => text)
  expect(tiny).toContain('Who are you?')
  expect(tiny.some((text) => examplesFor(textModel).some((other) => other.text === text))).toBe(false)
})
