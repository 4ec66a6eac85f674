/** Example calls of models. */
import { type ApiCall, exampleCall } from '../../parts/code-text.ts'
import type { ModelListed } from './model-state.ts'

type Kind = Pick<ModelListed, 'id' | 'type'>

export function useItCall({ id, type }: Kind): ApiCall {
  const calls: Readonly<Partial<Record<ModelListed['type'], ApiCall>>> = {
    embedding: { path: '/embeddings', body: { model: id, input: 'The sky is blue.' } },
    rerank: {
      path: '/rerank',
      body: { model: id, query: 'What is blue?', documents: ['The sky is blue.', 'Grass is green.'] },
    },
    tts: {
      path: '/audio/speech',
      body: { model: id, input: 'Good morning.', voice: 'alloy', response_format: 'mp3' },
      output: 'speech.mp3',
    },
    moderation: { path: '/moderations', body: { model: id, input: 'I will find you.' } },
    image: { path: '/images/generations', body: { model: id, prompt: 'A red apple on a table.' } },
    stt: { path: '/audio/transcriptions', body: { model: id }, file: { field: 'file', name: 'recording.mp3' } },
  }
  return calls[type] ?? exampleCall(id)
}
