/** Check of a model's files, in parallel to the load. No request is served before it has passed. */
export class FileCheck {
  readonly #abort = new AbortController()
  #state: 'runs' | 'passed' | 'failed' | 'cancelled'
  #waiting: { readonly act: () => void; readonly wantsPass: boolean }[] = []

  /** `check` rejects if files are damaged; it returns undefined if there is nothing to check. */
  constructor(check: (signal: AbortSignal) => Promise<void> | undefined, onFailed: (error: unknown) => void) {
    const checked = check(this.#abort.signal)
    this.#state = checked === undefined ? 'passed' : 'runs'
    checked?.then(
      () => this.#end('passed'),
      (error: unknown) => {
        if (this.#state === 'runs') onFailed(error)
        this.#end('failed')
      },
    )
  }

  /**
   * Calls back once the check has passed, immediately if it already has. Never calls back if it fails or is cancelled.
   */
  passed(act: () => void): void {
    this.#await({ act, wantsPass: true })
  }

  /** Calls back once the check has ended or is cancelled, immediately if it already is. */
  ended(act: () => void): void {
    this.#await({ act, wantsPass: false })
  }

  /** Cancels the check of a load that is no longer wanted. Reading a large file may take minutes. */
  cancel(): void {
    this.#end('cancelled')
    this.#abort.abort()
  }

  #await(waiting: { readonly act: () => void; readonly wantsPass: boolean }): void {
    if (this.#state === 'runs') this.#waiting.push(waiting)
    else if (this.#state === 'passed' || !waiting.wantsPass) waiting.act()
  }

  #end(state: 'passed' | 'failed' | 'cancelled'): void {
    if (this.#state !== 'runs') return
    this.#state = state
    for (const waiting of this.#waiting.splice(0)) this.#await(waiting)
  }
}
