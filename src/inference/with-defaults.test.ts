import { expect, test } from 'bun:test'
import type { ChatRequest } from '../core/chat.ts'
import { withDefaults } from './with-defaults.ts'

const request: ChatRequest = { messages: [{ role: 'user', content: 'Hi' }], sampling: {}, stop: [], choices: 1 }
const manifest = { defaults: { temperature: 0.7, topP: 0.9, topK: 20, minP: 0.1, reasoning: 'on' as const } }

test('what the request leaves open comes from the manifest', () => {
  const { sampling, reasoning } = withDefaults(request, manifest, undefined)
  expect(sampling).toEqual({ temperature: 0.7, topP: 0.9, topK: 20, minP: 0.1 })
  expect(reasoning).toBe('on')
})

test('what the request says wins, zero too', () => {
  const sampling = { temperature: 0, topP: 0, topK: 0, minP: 0, seed: 4 }
  const own = withDefaults({ ...request, sampling, reasoning: 'off' }, manifest, { id: 'x', reasoning: 'on' })
  expect(own).toEqual({ ...request, sampling, reasoning: 'off' })
})

test("an alias's thinking default stands between the two", () => {
  expect(withDefaults(request, manifest, { id: 'old', reasoning: 'off' }).reasoning).toBe('off')
  expect(withDefaults(request, manifest, { id: 'old' }).reasoning).toBe('on')
})
