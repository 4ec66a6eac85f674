import type { ModelType } from '../../../src/core/model.ts'

/** Pages that try models of a type. */
const tryPages: Readonly<Record<ModelType, string>> = {
  chat: '/dashboard/chat?',
  vision: '/dashboard/chat?',
  embedding: '/dashboard/search?',
  rerank: '/dashboard/search?tab=rank&',
  tts: '/dashboard/speak?',
  stt: '/dashboard/transcribe?',
}

/** Returns the address of the page that tries a model. */
export function tryAddress({ type, id }: { readonly type: ModelType; readonly id: string }): string {
  return `${tryPages[type]}model=${encodeURIComponent(id)}`
}
