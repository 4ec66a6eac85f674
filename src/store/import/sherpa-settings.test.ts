import { expect, test } from 'bun:test'
import type { OnnxGraph } from './onnx-graph.ts'
import { type SherpaKind, sherpaSettings } from './sherpa-settings.ts'

function read(kind: SherpaKind, role: string, metadata: Record<string, string>, inputs: readonly string[] = []) {
  const graph: OnnxGraph = {
    inputs: inputs.map((name) => ({ name, shape: [] })),
    outputs: [],
    sideFiles: [],
    metadata: new Map(Object.entries(metadata)),
  }
  return sherpaSettings(kind, new Map([[role, graph]]))
}

test.each<[string, SherpaKind, Record<string, string>, readonly string[]]>([
  ['transducer', 'transducer', { model_type: 'zipformer2' }, []],
  ['nemo-transducer', 'transducer', { normalize_type: 'per_feature' }, []],
  ['nemo-ctc', 'ctc', { normalize_type: '' }, ['audio_signal', 'length']],
  ['sense-voice', 'ctc', {}, ['x', 'x_length', 'language', 'text_norm']],
  ['zipformer-ctc', 'ctc', {}, ['x', 'x_lens']],
  ['zipformer-ctc', 'ctc', { model_type: 'zipformer2_ctc' }, ['x', 'x_lens']],
  ['moonshine', 'moonshine', {}, []],
  ['whisper', 'whisper', {}, []],
])('a %s is told from others by its graph', (expected, kind, metadata, inputs) => {
  const { transcriber, capabilities } = read(kind, kind === 'ctc' ? 'model' : 'encoder', metadata, inputs)
  expect(transcriber?.kind).toBe(expected as never)
  expect(capabilities).toEqual({ word_timestamps: !['moonshine', 'whisper'].includes(expected) })
})

test('a model whose graph no recogniser reads is refused', () => {
  expect(() => read('ctc', 'model', { model_type: 'wenet_ctc' }, ['x', 'x_lens'])).toThrow(
    'inputs x, x_lens is of a kind',
  )
  expect(() => read('ctc', 'model', {}, ['x', 'x_length', 'sid'])).toThrow('inputs x, x_length, sid is of a kind')
})

test('Whisper tells its languages, in the codes that clients use', () => {
  const languages = (metadata: Record<string, string>) => read('whisper', 'encoder', metadata).transcriber?.languages
  expect(languages({ is_multilingual: '1', all_language_codes: 'en,jw,haw' })).toEqual(['en', 'jv', 'haw'])
  expect(languages({ is_multilingual: '0', all_language_codes: 'en,de' })).toEqual(['en'])
  expect(languages({})).toBeUndefined()
})

test('Whisper translates if it was trained for it, in several languages', () => {
  const translates = (metadata: Record<string, string>) =>
    read('whisper', 'encoder', metadata).capabilities?.translation === true
  expect(translates({ is_multilingual: '1', model_type: 'whisper-large-v3' })).toBe(true)
  expect(translates({ is_multilingual: '1', model_type: 'whisper-turbo' })).toBe(false)
  expect(translates({ is_multilingual: '1', model_type: 'whisper-distil-large-v3' })).toBe(false)
  expect(translates({ is_multilingual: '0', model_type: 'whisper-tiny.en' })).toBe(false)
  expect(translates({})).toBe(false)
})

test('every speaker is a voice, by name where the graph has names for all', () => {
  const voices = (metadata: Record<string, string>) =>
    read('kokoro', 'model', metadata).synthesizer?.voices.map(({ name, speaker }) => `${speaker} ${name}`)
  expect(voices({ n_speakers: '2', speaker_names: 'af_bella, am_adam' })).toEqual(['0 af_bella', '1 am_adam'])
  expect(voices({ n_speakers: '3', speaker_names: 'a,b' })).toEqual(['0 speaker-0', '1 speaker-1', '2 speaker-2'])
  expect(voices({ n_speakers: '2', speaker_names: 'a,A' })).toEqual(['0 speaker-0', '1 speaker-1'])
  expect(voices({})).toEqual(['0 speaker-0'])
  expect(voices({ n_speakers: '99999999' })).toHaveLength(1000)
})

test.each([
  ['vits', 'English', 'en'],
  ['matcha', 'English', 'en'],
  ['vits', 'eng', 'en'],
  ['vits', 'Chinese', undefined],
  ['vits', 'Chinese + English', undefined],
  ['kokoro', 'English', undefined],
  ['vits', undefined, undefined],
] as const)('%s that says its language is %s: voices read %s', (kind, language, expected) => {
  const metadata = language === undefined ? {} : { language }
  expect(read(kind, 'model', metadata).synthesizer?.voices.map((voice) => voice.language)).toEqual([expected])
})
