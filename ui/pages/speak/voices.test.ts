import { expect, test } from 'bun:test'
import { commonVoices as known } from '../../../src/core/speech-model-settings.ts'
import { commonVoices, voiceGroups } from './voices.ts'

test('the common voices are those that the server knows', () => {
  expect([...commonVoices] as string[]).toEqual([...known])
})

test('a model without voices of its own has the common ones alone', () => {
  expect(voiceGroups('org/voice', []).map(({ voices }) => voices.length)).toEqual([13])
  expect(voiceGroups('org/voice', ['Ada'])[1]).toEqual({ label: 'Of org/voice', voices: ['Ada'] })
})
