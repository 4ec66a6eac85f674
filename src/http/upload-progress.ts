import type { Owner } from '../core/owner.ts'
import { type AudioFile, audioMsOf } from '../core/speech.ts'
import type { WorkEvent } from '../core/work.ts'
import type { Progress, ProgressPhase } from '../wire/pages/progress.ts'

/** Reported progress of a request, with the model whose queue it waits in, and as whom. */
export type ProgressState = Omit<Progress, 'position'> & {
  readonly modelId: string | undefined
  readonly owner: Owner | undefined
}

type Listener = (state: ProgressState) => void

interface Entry {
  state: ProgressState
  hasRequest: boolean
  readonly listeners: Set<Listener>
}

const nothing: ProgressState = { phase: 'waiting', done_s: 0, total_s: null, modelId: undefined, owner: undefined }

/**
 * Progress of requests with uploads, for the pages that sent them. Owners see only their own requests: the same id of
 * another owner is a different entry. Entries last until their request and last listener end.
 */
export class UploadProgress {
  readonly #entries = new Map<string, Entry>()

  /** Number of known ids. */
  get size(): number {
    return this.#entries.size
  }

  /**
   * Begins the progress of a request with an upload, which waits for its model as `waitsAs`. Returns undefined if a
   * request with this id is already running.
   */
  begin(owner: Owner, id: string, waitsAs = owner): RequestProgress | undefined {
    const entry = this.#entry(owner, id)
    if (entry.hasRequest) return undefined
    entry.hasRequest = true
    const tell = (change: Partial<ProgressState>) => {
      entry.state = { ...entry.state, ...change }
      for (const listener of entry.listeners) listener(entry.state)
    }
    tell({ phase: 'uploading', owner: waitsAs })
    return new RequestProgress(tell, () => {
      entry.hasRequest = false
      if (entry.state.phase !== 'done') tell({ phase: 'failed' })
      this.#forget(owner, id)
    })
  }

  /** Calls the listener now and at each change. Returns the function that stops it. */
  listen(owner: Owner, id: string, listener: Listener): () => void {
    const entry = this.#entry(owner, id)
    entry.listeners.add(listener)
    listener(entry.state)
    return () => {
      entry.listeners.delete(listener)
      this.#forget(owner, id)
    }
  }

  #entry(owner: Owner, id: string): Entry {
    const key = keyOf(owner, id)
    const found = this.#entries.get(key) ?? { state: nothing, hasRequest: false, listeners: new Set() }
    this.#entries.set(key, found)
    return found
  }

  #forget(owner: Owner, id: string): void {
    const entry = this.#entries.get(keyOf(owner, id))
    if (entry !== undefined && !entry.hasRequest && entry.listeners.size === 0) {
      this.#entries.delete(keyOf(owner, id))
    }
  }
}

function keyOf(owner: Owner, id: string): string {
  return `${owner} ${id}`
}

/** Progress reporter of one request. Disposal ends it, as failed unless a `finish` event came. */
export class RequestProgress implements AsyncDisposable {
  readonly #tell: (change: Partial<ProgressState>) => void
  readonly #end: () => void
  #phaseAfterSpeech: ProgressPhase = 'transcribing'

  constructor(tell: (change: Partial<ProgressState>) => void, end: () => void) {
    this.#tell = tell
    this.#end = end
  }

  /** Reports the upload as complete. */
  decoding(): void {
    this.#tell({ phase: 'decoding' })
  }

  /** Reports the recording as decoded and waiting for the model. `hasSpeakers` is true if speakers are labelled too. */
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
      // This event comes once the whole recording is processed.
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
