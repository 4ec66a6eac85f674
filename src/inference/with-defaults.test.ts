import { expect, test } from 'bun:test'
import { chatRequest } from '../testing/chat-request.ts'
import { withDefaults } from './with-defaults.ts'

const request = chatRequest()
const manifest = { defaults: { temperature: 0.7, topP: 0.9, topK: 20, minP: 0.1, reasoning: 'on' as const } }

test('what the request leaves open comes from the manifest', () => {
  const { sampling, reasoning } = withDefaults(request, manifest, undefined)
  expect(sampling).toEqual({ temperature: 0.7, topP: 0.9, topK: 20, minP: 0.1 })
  expect(reasoning).toEqual({ mode: 'on' })
})

test('what the request says wins, zero too', () => {
  const sampling = { temperature: 0, topP: 0, topK: 0, minP: 0, seed: 4 }
  const own = withDefaults({ ...request, sampling, reasoning: { mode: 'off' } }, manifest, { id: 'x', reasoning: 'on' })
  expect(own).toEqual({ ...request, sampling, reasoning: { mode: 'off' } })
})

test("an alias's thinking default stands between the two", () => {
  expect(withDefaults(request, manifest, { id: 'old', reasoning: 'off' }).reasoning.mode).toBe('off')
  expect(withDefaults(request, manifest, { id: 'old' }).reasoning.mode).toBe('on')
})

test("a wish made to the template stands between an alias's default and the manifest's", () => {
  const wishing = { ...request, reasoning: { templateMode: 'off' } as const }
  expect(withDefaults(wishing, manifest, undefined).reasoning.mode).toBe('off')
  expect(withDefaults(wishing, manifest, { id: 'old', reasoning: 'on' }).reasoning.mode).toBe('on')
})
