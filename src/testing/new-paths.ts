import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Unused paths in a folder that is removed on disposal. */
export class NewPaths implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'inferd-new-paths-'))
  #count = 0

  next(): string {
    return join(this.#folder, `${this.#count++}`)
  }

  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
