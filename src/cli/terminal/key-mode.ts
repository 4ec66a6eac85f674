import type { Terminal } from '../io.ts'
import { pasteMode } from './pasted-text.ts'

/** Mode of a terminal that passes on each key and marks pasted text. Disposal ends it. */
export class KeyMode implements Disposable {
  readonly #terminal: Terminal
  readonly #onContinue: () => void

  /** `onContinue` is called when the shell continues this process after `suspend` or a stop from outside. */
  constructor(terminal: Terminal, onContinue: () => void) {
    this.#terminal = terminal
    this.#onContinue = () => {
      // The shell changed the mode of the terminal, which the runtime has not noticed.
      this.#set(false)
      this.#set(true)
      onContinue()
    }
    process.on('SIGCONT', this.#onContinue)
    this.#set(true)
  }

  /** Gives the terminal to the shell, and stops this process until the shell continues it. */
  suspend(): void {
    this.#set(false)
    process.kill(process.pid, 'SIGTSTP')
  }

  [Symbol.dispose](): void {
    process.off('SIGCONT', this.#onContinue)
    this.#set(false)
  }

  #set(isOn: boolean): void {
    try {
      this.#terminal.input.setRawMode(isOn)
    } catch {
      return // the terminal is closed
    }
    this.#terminal.output.write(isOn ? pasteMode.on : pasteMode.off)
  }
}
