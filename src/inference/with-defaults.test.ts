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

test('a limit of the manifest counts where the request names none, beside the thinking that it asks for', () => {
  const limited = { defaults: { maxTokens: 1024 } }
  expect(withDefaults(request, limited, undefined).maxTokens).toBe(1024)
  expect(withDefaults({ ...request, maxTokens: 9 }, limited, undefined).maxTokens).toBe(9)
  expect(withDefaults({ ...request, reasoning: { budgetTokens: 2000 } }, limited, undefined).maxTokens).toBe(3024)
  expect(withDefaults(request, manifest, undefined).maxTokens).toBeUndefined()
})

test('a manifest may let answers repeat themselves, and a request may say otherwise', () => {
  const unguarded = { defaults: { repetitionDetection: false } }
  expect(withDefaults(request, unguarded, undefined).repetitionLimit).toBe('none')
  expect(withDefaults({ ...request, repetitionLimit: 'usual' }, unguarded, undefined).repetitionLimit).toBe('usual')
  expect(withDefaults(request, manifest, undefined).repetitionLimit).toBeUndefined()
  expect(withDefaults({ ...request, repetitionLimit: 'none' }, manifest, undefined).repetitionLimit).toBe('none')
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
