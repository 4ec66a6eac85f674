/** Plays audio while it arrives. Audio beyond the browser's buffer is played once all of it is there. */
export class GrowingAudio {
  readonly #element: HTMLAudioElement
  readonly #source = new MediaSource()
  readonly #waiting: Uint8Array<ArrayBuffer>[] = []
  readonly #url = URL.createObjectURL(this.#source)
  #buffer: SourceBuffer | undefined
  #hasEnded = false
  #isFull = false

  /** Creates the player and starts playing. `type` must be a media type that MediaSource supports. */
  constructor(element: HTMLAudioElement, type: string) {
    this.#element = element
    this.#source.addEventListener(
      'sourceopen',
      () => {
        this.#buffer = this.#source.addSourceBuffer(type)
        this.#buffer.addEventListener('updateend', () => this.#feed())
        this.#feed()
      },
      { once: true },
    )
    element.src = this.#url
    play(element)
  }

  push(piece: Uint8Array<ArrayBuffer>): void {
    if (!this.#isFull) this.#waiting.push(piece)
    this.#feed()
  }

  /** Ends the audio. `whole` takes over if the browser had no room for all of it. */
  end(whole: Blob): void {
    this.#hasEnded = true
    if (!this.#isFull) {
      this.#feed()
      return
    }
    const at = this.#element.currentTime
    showWhole(this.#element, whole)
    this.#element.currentTime = at
  }

  close(): void {
    URL.revokeObjectURL(this.#url)
  }

  #feed(): void {
    if (this.#buffer === undefined || this.#buffer.updating || this.#source.readyState !== 'open') return
    const piece = this.#waiting.shift()
    if (piece !== undefined) this.#append(this.#buffer, piece)
    else if (this.#hasEnded) this.#source.endOfStream()
  }

  #append(buffer: SourceBuffer, piece: Uint8Array<ArrayBuffer>): void {
    try {
      buffer.appendBuffer(piece)
    } catch {
      // The buffer is full: the browser keeps only some megabytes of unplayed audio.
      this.#isFull = true
      this.#waiting.length = 0
    }
  }
}

/** Plays a whole file from its beginning. Returns its address. */
export function showWhole(element: HTMLAudioElement, whole: Blob): string {
  const url = URL.createObjectURL(whole)
  const earlier = element.src
  element.src = url
  if (earlier.startsWith('blob:')) URL.revokeObjectURL(earlier)
  play(element)
  return url
}

function play(element: HTMLAudioElement): void {
  // play() rejects if the browser requires a click first, or if another source replaces this one. Neither is a
  // failure.
  void element.play().catch(() => undefined)
}
