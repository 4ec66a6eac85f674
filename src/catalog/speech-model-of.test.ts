import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { commonVoices, findVoice } from '../core/speech-model-settings.ts'
import { manifestToToml } from './manifest-to-toml.ts'
import { parseManifest } from './parse-manifest.ts'
import { neededRoles } from './speech-model-of.ts'

const files = (...roles: string[]) => roles.map((role) => ({ role, path: `${role}.bin` }))

const heard = {
  id: 'org/heard',
  type: 'stt',
  engine: 'speech',
  files: files('encoder', 'decoder', 'tokens', 'vad', 'segmentation', 'speaker-embedding'),
  transcriber: { kind: 'whisper', languages: ['en', 'yue'] },
  diarizer: { threshold: 0.7 },
  capabilities: { diarization: true },
}

const spoken = {
  id: 'org/spoken',
  type: 'tts',
  engine: 'speech',
  files: files('model', 'tokens'),
  synthesizer: {
    kind: 'vits',
    language: 'en-gb',
    voices: [
      { name: 'Ada', speaker: 0, aliases: ['Nova'] },
      { name: 'Ben', speaker: 1, language: 'fr' },
    ],
  },
}

function problemOf(model: object, change: object): string {
  try {
    // The round trip through JSON removes undefined fields.
    parseManifest('x', JSON.parse(JSON.stringify({ ...model, ...change })))
  } catch (error) {
    return error instanceof Error ? error.message.slice('x: '.length) : String(error)
  }
  return 'accepted'
}

test('tables of speech models are read, and written as they are read', () => {
  const manifests = [parseManifest('x', heard), parseManifest('x', spoken)]
  expect(manifests[0]).toMatchObject({ transcriber: heard.transcriber, diarizer: heard.diarizer })
  for (const manifest of manifests)
    expect(parseManifest('y', Bun.TOML.parse(manifestToToml(manifest)))).toEqual(manifest)
})

test('what is said of all voices is said of each that says nothing else', () => {
  const { synthesizer } = parseManifest('x', spoken)
  expect(synthesizer?.voices.map(({ name, speaker, language }) => [name, speaker, language])).toEqual([
    ['Ada', 0, 'en-gb'],
    ['Ben', 1, 'fr'],
  ])
})

test('voices are found by their names in any case, and the common names are shared among them', () => {
  const { synthesizer } = parseManifest('x', spoken)
  if (synthesizer === undefined) throw new Error('the manifest has a synthesizer')
  const speakers = commonVoices.map((name) => findVoice(synthesizer, name.toUpperCase())?.speaker)
  expect(speakers.filter((speaker) => speaker === 0).length).toBe(7)
  expect(speakers.filter((speaker) => speaker === 1).length).toBe(6)
  expect(findVoice(synthesizer, 'nova')?.name).toBe('Ada')
  expect(findVoice(synthesizer, 'BEN')?.name).toBe('Ben')
  expect(findVoice(synthesizer, 'Eve')).toBeUndefined()
})

test('with enough voices each common name is a voice of its own', () => {
  const voices = commonVoices.map((_, speaker) => ({ name: `speaker-${speaker}`, speaker }))
  const { synthesizer } = parseManifest('x', { ...spoken, synthesizer: { kind: 'vits', voices } })
  expect(new Set(synthesizer?.voices.map(({ aliases }) => aliases.length))).toEqual(new Set([1]))
})

test.each([
  [heard, { transcriber: undefined }, 'engine "speech" needs a table "transcriber" for models of type stt'],
  [heard, { files: files('encoder', 'tokens') }, 'kind "whisper" needs a file with role "decoder"'],
  [heard, { transcriber: { kind: 'wisper' } }, '"transcriber.kind" must be one of whisper, '],
  [heard, { transcriber: { kind: 'whisper', languages: ['english'] } }, '"transcriber.languages[0]" must be the code'],
  [
    heard,
    { transcriber: { kind: 'whisper', languages: [] } },
    '"transcriber.languages" must be a list of at least one',
  ],
  [
    heard,
    { files: files('encoder', 'decoder', 'tokens', 'segmentation') },
    'diarization = true needs a file with role "speaker-embedding"',
  ],
  [heard, { capabilities: {} }, '"diarizer" is for models with diarization = true in [capabilities]'],
  [heard, { diarizer: { threshold: 3 } }, '"diarizer.threshold" must be a distance above 0, up to 2, not 3'],
  [
    heard,
    { capabilities: { diarization: true, prompt: true } },
    '"capabilities.prompt" is for transcribers of the kinds transducer, nemo-transducer',
  ],
  [
    heard,
    { files: files('model', 'tokens'), transcriber: { kind: 'nemo-ctc' }, capabilities: { translation: true } },
    '"capabilities.translation" is for transcribers of kind "whisper"',
  ],
  [spoken, { synthesizer: undefined }, 'engine "speech" needs a table "synthesizer" for models of type tts'],
  [spoken, { capabilities: { diarization: true } }, '"capabilities.diarization" is for models of type stt'],
  [spoken, { synthesizer: { kind: 'vits', voices: [] } }, '"synthesizer.voices" must be a list of at least one table'],
  [spoken, { type: 'stt' }, '"synthesizer" is for models of type tts'],
  [heard, { type: 'tts' }, '"transcriber" is for models of type stt'],
  [
    spoken,
    {
      synthesizer: {
        kind: 'vits',
        voices: [
          { name: 'Ada', speaker: 0 },
          { name: 'Ben', speaker: 1, aliases: ['ADA'] },
        ],
      },
    },
    '"synthesizer.voices": two voices have the name "ada"',
  ],
])('%#: a speech model that cannot be right is refused by name', (model, change, problem) => {
  expect(problemOf(model, change)).toStartWith(problem)
})

test('the files of an unpacked archive are not listed, of kinds whose files are found there', () => {
  const archive = [{ role: 'model', name: 'model', url: 'https://example.org/a.tar.bz2', unpack: true }]
  const ofKind = (kind: string) => ({ files: archive, synthesizer: { ...spoken.synthesizer, kind } })
  const problem = 'an archive with all files is for the kinds vits, kokoro, matcha: name the files of kind '
  expect(problemOf(spoken, ofKind('kokoro'))).toBe('accepted')
  expect(problemOf(spoken, ofKind('supertonic'))).toStartWith(problem)
  expect(problemOf(heard, { files: archive })).toStartWith(problem)
})

test('docs/reference/manifest.md names the files of every kind', () => {
  const text = readFileSync(join(import.meta.dir, '../../docs/reference/manifest.md'), 'utf8')
  const rows = text.split('\n').filter((line) => line.startsWith('| `'))
  for (const [kind, roles] of Object.entries(neededRoles)) {
    const [, files = ''] =
      rows.map((row) => row.slice(2).split(' | ')).find(([kinds]) => kinds?.includes(`\`${kind}\``)) ?? []
    expect([kind, ...roles.filter((role) => !files.includes(`\`${role}\``))]).toEqual([kind])
  }
})
