/**
 * Pictures decoded ahead of their encoding, by a thread during steps and encodings: one at a time, within a limit of
 * bytes.
 */
import type { NativePreparedPicture, NativeProjector, NativeReadyPicture } from '../native-projector.ts'
import type { PromptPicture } from './prompt-layout.ts'
import type { Slot } from './slot.ts'

/** Picture that a slot needs. */
export interface WantedPicture {
  readonly slot: Slot
  readonly picture: PromptPicture
  /** Key in the cache. */
  readonly key: string
}

interface PreparedPicturesOptions {
  readonly projector: Pick<NativeProjector, 'prepare' | 'drop'>
  /** Bytes of pictures that wait for encoding. The next one is begun while there are fewer. */
  readonly limitBytes: number
  readonly isSuspect: (wanted: WantedPicture) => boolean
  /** Returns the pictures being encoded. A suspect is never handled together with others. */
  readonly encoding: () => readonly WantedPicture[]
  /** Called before a picture is decoded, and afterwards. */
  readonly onChange: (wanted: WantedPicture) => void
  /** Called when a picture is ready, or cannot be decoded. */
  readonly onPrepared: () => void
  readonly onFatal: (error: unknown) => void
}

export class PreparedPictures {
  readonly #options: PreparedPicturesOptions
  #wanted: readonly WantedPicture[] = []
  #current: WantedPicture | undefined
  readonly #ready = new Map<string, NativeReadyPicture>()
  /** Reasons why pictures cannot be decoded. */
  readonly #problems = new Map<string, string>()

  constructor(options: PreparedPicturesOptions) {
    this.#options = options
  }

  /** Picture being decoded. */
  get current(): WantedPicture | undefined {
    return this.#current
  }

  /** Returns its number for the projector; undefined until it has been decoded. */
  numberOf(key: string): number | undefined {
    return this.#ready.get(key)?.number
  }

  problemOf(key: string): string | undefined {
    return this.#problems.get(key)
  }

  /**
   * True if ready pictures should be encoded before more are decoded: there is no room, or a suspect waits to be alone.
   */
  get isPaused(): boolean {
    const { limitBytes, isSuspect } = this.#options
    const bytes = [...this.#ready.values()].reduce((sum, picture) => sum + picture.bytes, 0)
    return bytes >= limitBytes || this.#wanted.some((wanted) => this.#ready.has(wanted.key) && isSuspect(wanted))
  }

  /**
   * Decodes these pictures in order. Other ready ones are dropped; one that is being decoded is dropped when it is
   * ready.
   */
  want(wanted: readonly WantedPicture[]): void {
    this.#wanted = wanted
    const keys = new Set(wanted.map(({ key }) => key))
    for (const key of this.#ready.keys()) if (!keys.has(key)) this.drop(key)
    for (const key of this.#problems.keys()) if (!keys.has(key)) this.#problems.delete(key)
    this.#beginNext()
  }

  drop(key: string): void {
    const ready = this.#ready.get(key)
    if (ready === undefined) return
    this.#ready.delete(key)
    this.#options.projector.drop(ready.number)
  }

  #beginNext(): void {
    const missing = this.#wanted.findIndex(({ key, slot }) => !this.#ready.has(key) && !slot.request.isOver)
    const next = this.#wanted[missing]
    // An undecodable picture ends its request first, and with it its other pictures.
    if (this.#current !== undefined || this.#problems.size > 0 || next === undefined || !this.#mayBegin(next)) return
    // The first picture in order begins nevertheless, because the others may wait for it.
    if (this.isPaused && this.#wanted.slice(0, missing).some(({ key }) => this.#ready.has(key))) return
    this.#current = next
    this.#prepare(next).catch(this.#options.onFatal)
  }

  #mayBegin(next: WantedPicture): boolean {
    const { encoding, isSuspect } = this.#options
    return !encoding().some((other) => isSuspect(other) || isSuspect(next))
  }

  async #prepare(wanted: WantedPicture): Promise<void> {
    const { projector, onChange, onPrepared } = this.#options
    // Reported before decoding begins: a file can crash this process.
    onChange(wanted)
    this.#note(wanted, await projector.prepare(wanted.picture))
    this.#current = undefined
    onChange(wanted)
    this.#beginNext()
    onPrepared()
  }

  #note(wanted: WantedPicture, result: NativePreparedPicture): void {
    if (result.kind === 'ready') this.#ready.set(wanted.key, result)
    if (result.kind === 'ready' && hasItsPlaces(wanted, result)) return
    this.drop(wanted.key)
    this.#problems.set(wanted.key, result.kind === 'ready' ? 'it is not what its header says' : result.message)
  }
}

/**
 * Returns whether the picture fits its places. One that differs from its header may have other parts than its prompt
 * has places for.
 */
function hasItsPlaces({ slot, picture: { key } }: WantedPicture, { entries }: NativeReadyPicture): boolean {
  return slot.answer.runs.every((run) => run.picture.key !== key || entries[run.part] === run.entries)
}
