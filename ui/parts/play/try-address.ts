import type { ModelType } from '../../../src/core/model.ts'

/** Pages that try models of a type. */
const tryPages: Readonly<Partial<Record<ModelType, string>>> = {
  chat: '/dashboard/chat?',
  vision: '/dashboard/chat?',
  embedding: '/dashboard/search?',
  rerank: '/dashboard/search?tab=rank&',
  tts: '/dashboard/speak?',
  stt: '/dashboard/transcribe?',
}

/** Returns the address of the page that tries a model; undefined if no page tries its type. */
export function tryAddress({ type, id }: { readonly type: ModelType; readonly id: string }): string | undefined {
  const page = tryPages[type]
  return page && `${page}model=${encodeURIComponent(id)}`
}
