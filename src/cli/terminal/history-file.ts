import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { createPrivateFile } from '../../db/private-file.ts'

/** Lines that a start offers again. */
export const keptLines = 1_000

/** Most characters of a kept line. A longer one was pasted, and would make each start slower. */
const longestLine = 10_000

/** Typed lines of former conversations. Only the owner of the data folder can read the file. */
export class HistoryFile {
  readonly #path: string
  #last: string | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the latest lines, the newest first. Empty if there is no readable file. */
  read(): string[] {
    const lines = this.#lines()
    this.#last = lines.at(-1)
    if (lines.length > 2 * keptLines)
      this.#write(() => writeFileSync(this.#path, `${lines.slice(-keptLines).join('\n')}\n`))
    return lines.slice(-keptLines).reverse()
  }

  /** Adds a line, unless it is empty, very long, or repeats the last one. */
  add(line: string): void {
    if (line.trim() === '' || line === this.#last || line.length > longestLine) return
    this.#last = line
    this.#write(() => {
      createPrivateFile(this.#path)
      appendFileSync(this.#path, `${line}\n`)
    })
  }

  #lines(): string[] {
    try {
      return readFileSync(this.#path, 'utf8')
        .split('\n')
        .filter((line) => line !== '' && line.length <= longestLine)
    } catch {
      return []
    }
  }

  /** Writes to the file. Ignores failures: a conversation goes on without history if the disk is full or read-only. */
  #write(write: () => void): void {
    try {
      write()
    } catch {
      this.#last = undefined
    }
  }
}
