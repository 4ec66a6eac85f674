import { type ExampleSections, fields } from './example.ts'

/** Of everything that docs/compatibility.md says of speech. */
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
}
