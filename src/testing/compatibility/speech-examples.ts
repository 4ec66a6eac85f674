import { type ExampleSections, fields } from './example.ts'

/** Examples for all rows of speech in docs/reference/fields.md. */
export const speechSections: ExampleSections = {
  'audio/speech: Request fields': {
    dialect: 'audio/speech',
    examples: fields({
      model: 'org/other',
      input: 'b',
      voice: 'nova',
      response_format: 'wav',
      speed: 2,
      stream_format: 'sse',
      instructions: 'Whisper.',
      user: 'a',
    }),
  },
  'audio/transcriptions: Request fields': {
    dialect: 'audio/transcriptions',
    examples: {
      ...fields({
        model: 'org/other',
        language: 'de',
        prompt: 'b',
        response_format: 'srt',
        stream: true,
        diarize: true,
        diarization: true,
        speaker_labels: true,
        known_speaker_names: ['Ann'],
        known_speaker_references: ['data:audio/wav;base64,AA'],
        temperature: 0.5,
        chunking_strategy: { type: 'server_vad', threshold: 0.25 },
        include: ['logprobs'],
        keywords: ['b'],
        languages: ['de'],
        user: 'a',
      }),
      timestamp_granularities: {
        body: { response_format: 'verbose_json', timestamp_granularities: ['word'] },
        without: { response_format: 'verbose_json' },
      },
      min_speakers: { body: { diarize: true, min_speakers: 2 }, without: { diarize: true } },
      max_speakers: { body: { diarize: true, max_speakers: 2 }, without: { diarize: true } },
    },
  },
  'audio/translations: Request fields': {
    dialect: 'audio/translations',
    examples: fields({
      model: 'org/other',
      prompt: 'b',
      response_format: 'srt',
      temperature: 0.5,
      language: 'de',
      user: 'a',
    }),
  },
}
