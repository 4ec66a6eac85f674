/** The check of a model's files, which runs beside the load: nobody is served before it has passed. */
export class FileCheck {
  #state: 'runs' | 'passed' | 'failed'
  #waiting: { readonly act: () => void; readonly wantsPass: boolean }[] = []

  /** `check`: rejects where files are damaged; undefined where there is nothing to check. */
  constructor(check: Promise<void> | undefined, onFailed: (error: unknown) => void) {
    this.#state = check === undefined ? 'passed' : 'runs'
    check?.then(
      () => this.#end('passed'),
      (error: unknown) => {
        onFailed(error)
        this.#end('failed')
      },
    )
  }

  /** Acts when the check has passed, at once where it has; never where it fails. */
  passed(act: () => void): void {
    this.#await({ act, wantsPass: true })
  }

  /** Acts when the check has ended, at once where it has. */
  ended(act: () => void): void {
    this.#await({ act, wantsPass: false })
  }

  #await(waiting: { readonly act: () => void; readonly wantsPass: boolean }): void {
    if (this.#state === 'runs') this.#waiting.push(waiting)
    else if (this.#state === 'passed' || !waiting.wantsPass) waiting.act()
  }

  #end(state: 'passed' | 'failed'): void {
    this.#state = state
    for (const waiting of this.#waiting.splice(0)) this.#await(waiting)
  }
}
