import { type AudioFile, audioMsOf } from '../core/speech.ts'
import type { WorkEvent } from '../core/work.ts'
import type { Progress, ProgressPhase } from '../wire/pages/progress.ts'

/** What is told of a request, and what its place in the queue is looked up by. */
export type ProgressState = Omit<Progress, 'position'> & { readonly modelId: string | undefined }

type Listener = (state: ProgressState) => void

interface Entry {
  state: ProgressState
  hasRequest: boolean
  readonly listeners: Set<Listener>
}

const nothing: ProgressState = { phase: 'waiting', done_s: 0, total_s: null, modelId: undefined }

/**
 * How far requests with uploads are, for the pages that sent them. An account sees its own alone: another one that names the same
 * id hears nothing. What is kept of an id ends with its request and its last listener.
 */
export class UploadProgress {
  readonly #entries = new Map<string, Entry>()

  /** Ids that are known now. */
  get size(): number {
    return this.#entries.size
  }

  /** For the request that sends the upload. A second one with the id of one that runs is not told of. */
  begin(accountId: string, id: string): RequestProgress | undefined {
    const entry = this.#entry(accountId, id)
    if (entry.hasRequest) return undefined
    entry.hasRequest = true
    const tell = (change: Partial<ProgressState>) => {
      entry.state = { ...entry.state, ...change }
      for (const listener of entry.listeners) listener(entry.state)
    }
    tell({ phase: 'uploading' })
    return new RequestProgress(tell, () => {
      entry.hasRequest = false
      if (entry.state.phase !== 'done') tell({ phase: 'failed' })
      this.#forget(accountId, id)
    })
  }

  /** Calls the listener now and at each change. Returns the function that ends that. */
  listen(accountId: string, id: string, listener: Listener): () => void {
    const entry = this.#entry(accountId, id)
    entry.listeners.add(listener)
    listener(entry.state)
    return () => {
      entry.listeners.delete(listener)
      this.#forget(accountId, id)
    }
  }

  #entry(accountId: string, id: string): Entry {
    const key = keyOf(accountId, id)
    const found = this.#entries.get(key) ?? { state: nothing, hasRequest: false, listeners: new Set() }
    this.#entries.set(key, found)
    return found
  }

  #forget(accountId: string, id: string): void {
    const entry = this.#entries.get(keyOf(accountId, id))
    if (entry !== undefined && !entry.hasRequest && entry.listeners.size === 0) {
      this.#entries.delete(keyOf(accountId, id))
    }
  }
}

function keyOf(accountId: string, id: string): string {
  return `${accountId} ${id}`
}

/** What the request itself tells of its progress. Its disposal is its end, which was a good one if `finish` was heard. */
export class RequestProgress implements AsyncDisposable {
  readonly #tell: (change: Partial<ProgressState>) => void
  readonly #end: () => void
  #phaseAfterSpeech: ProgressPhase = 'transcribing'

  constructor(tell: (change: Partial<ProgressState>) => void, end: () => void) {
    this.#tell = tell
    this.#end = end
  }

  /** The upload is complete. */
  decoding(): void {
    this.#tell({ phase: 'decoding' })
  }

  /** The recording is decoded, and waits for the model. `hasSpeakers`: they are wanted too. */
  queued(modelId: string, audio: AudioFile, hasSpeakers: boolean): void {
    if (hasSpeakers) this.#phaseAfterSpeech = 'speakers'
    this.#tell({ phase: 'queued', total_s: audioMsOf(audio) / 1000, modelId })
  }

  heard(event: WorkEvent): void {
    const change = this.#changeAfter(event)
    if (change !== undefined) this.#tell(change)
  }

  #changeAfter(event: WorkEvent): Partial<ProgressState> | undefined {
    switch (event.type) {
      case 'start':
        return { phase: 'transcribing' }
      case 'segment':
        return { done_s: event.endSeconds }
      // It is told when everything has been heard.
      case 'language':
        return { phase: this.#phaseAfterSpeech }
      case 'finish':
        return { phase: 'done' }
      default:
        return undefined
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end()
  }
}
