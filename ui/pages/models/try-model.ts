/** Playground pages and example calls of models. */
import { type ApiCall, exampleCall } from '../../parts/code-text.ts'
import type { ModelListed } from './model-state.ts'

type Kind = Pick<ModelListed, 'id' | 'type'>

const pages: Readonly<Partial<Record<ModelListed['type'], string>>> = {
  chat: 'chat',
  vision: 'chat',
  embedding: 'vectors',
  rerank: 'vectors',
  tts: 'speak',
  stt: 'transcribe',
}

/** Returns the playground page of a model; undefined for types without one. */
export function tryAddress({ id, type }: Kind): string | undefined {
  const page = pages[type]
  return page === undefined ? undefined : `/dashboard/play/${page}?model=${encodeURIComponent(id)}`
}

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
    stt: { path: '/audio/transcriptions', body: { model: id }, file: { field: 'file', name: 'recording.mp3' } },
  }
  return calls[type] ?? exampleCall(id)
}
