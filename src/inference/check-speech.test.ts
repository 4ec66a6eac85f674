import { expect, test } from 'bun:test'
import { ApiError } from '../core/errors.ts'
import type { ModelManifest } from '../core/model.ts'
import { testManifest } from '../testing/test-manifest.ts'
import { requireTranscribable, requireVoice } from './check-speech.ts'

function refusal(work: () => void) {
  try {
    work()
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, param: error.param, message: error.message }
    throw error
  }
  return undefined
}

const listens = (parts: Partial<ModelManifest> = {}) => testManifest({ id: 'test/listens', type: 'stt', ...parts })
const speaks = (names: readonly string[]) =>
  testManifest({
    id: 'test/speaks',
    type: 'tts',
    synthesizer: { kind: 'vits', voices: names.map((name, speaker) => ({ name, speaker, aliases: [`${name}-too`] })) },
  })

test('a model that does not label speakers says so, whatever else is wrong', () => {
  const request = { speakers: {}, language: 'xx' }
  expect(refusal(() => requireTranscribable(request, listens()))).toEqual({
    code: 'diarization_unsupported',
    param: 'diarize',
    message:
      "Model 'test/listens' does not label speakers. Use one that does: GET /models shows 'diarization' among its capabilities.",
  })
  const labels = listens({ capabilities: { diarization: true } })
  expect(refusal(() => requireTranscribable({ speakers: {} }, labels))).toBeUndefined()
})

test('a language that the model does not know is refused with those that it does', () => {
  const model = listens({ transcriber: { kind: 'whisper', languages: ['en', 'de'] } })
  expect(refusal(() => requireTranscribable({ language: 'fr' }, model))).toEqual({
    code: 'invalid_value',
    param: 'language',
    message: "'language' must be absent or one that model 'test/listens' knows: en, de.",
  })
  for (const language of ['de', undefined])
    expect(refusal(() => requireTranscribable({ language }, model))).toBeUndefined()
  expect(refusal(() => requireTranscribable({ language: 'fr' }, listens()))).toBeUndefined()
})

test('a translation is for models that translate, and servers behind decide themselves', () => {
  const refused = (parts: Partial<ModelManifest>) =>
    refusal(() => requireTranscribable({ translates: true }, listens(parts)))
  expect(refused({ transcriber: { kind: 'whisper' } })).toEqual({
    code: 'translation_unsupported',
    param: 'model',
    message:
      "Model 'test/listens' does not translate. Use one that does: GET /models shows 'translation' among its capabilities.",
  })
  expect(refused({ capabilities: { translation: true } })).toBeUndefined()
  expect(refused({ engine: 'upstream' })).toBeUndefined()
  expect(refused({ engine: 'upstream', capabilities: { translation: false } })).toMatchObject({ param: 'model' })
})

test('scores of tokens are for transducers', () => {
  const refused = (parts: Partial<ModelManifest>) =>
    refusal(() => requireTranscribable({ wantsTokens: true }, listens(parts)))
  for (const kind of ['whisper', 'nemo-ctc', 'sense-voice'] as const)
    expect(refused({ transcriber: { kind } })).toMatchObject({ code: 'unsupported_parameter', param: 'include' })
  expect(refused({})).toMatchObject({ param: 'include' })
  for (const kind of ['transducer', 'nemo-transducer'] as const)
    expect(refused({ transcriber: { kind } })).toBeUndefined()
})

test('a voice that the model does not have is refused with those that it has', () => {
  const model = speaks(['Ada', 'Ben'])
  expect(refusal(() => requireVoice({ voice: 'Eve' }, model))).toEqual({
    code: 'invalid_value',
    param: 'voice',
    message: "'voice' must be one that model 'test/speaks' has: Ada-too, Ben-too, Ada, Ben.",
  })
  for (const voice of ['ada', 'BEN-TOO']) expect(refusal(() => requireVoice({ voice }, model))).toBeUndefined()
  expect(refusal(() => requireVoice({ voice: 'any' }, testManifest({ type: 'tts' })))).toBeUndefined()
})

test('of very many voices the first are named', () => {
  const names = Array.from({ length: 900 }, (_, speaker) => `speaker-${speaker}`)
  const { message = '' } = refusal(() => requireVoice({ voice: 'x' }, speaks(names))) ?? {}
  expect(message).toEndWith('and 1700 more.')
  expect(message.length).toBeLessThan(2_500)
})
