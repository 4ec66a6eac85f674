import { createInterface, type Interface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Terminal } from '../io.ts'
import { PastedText, pasteMode } from './pasted-text.ts'

interface EditorOptions {
  /** Former lines, the newest first. */
  readonly history: string[]
  /** Words that a tab completes. */
  readonly words: readonly string[]
  readonly onInterrupt: () => void
}

/** Line editor with history. Keys that are typed during an answer wait, unseen, for the next line. */
export class LineEditor implements Disposable {
  readonly #terminal: Terminal
  readonly #lines: Interface
  readonly #typed: string[] = []
  readonly #onData: (bytes: Buffer) => void
  #isReading = false
  #isClosed = false
  #wake: (() => void) | undefined

  constructor(terminal: Terminal, { history, words, onInterrupt }: EditorOptions) {
    this.#terminal = terminal
    const keys = new PassThrough()
    const decoder = new StringDecoder('utf8')
    const pasted = new PastedText()
    this.#onData = (bytes) => void keys.write(pasted.filter(decoder.write(bytes)))
    terminal.input.setRawMode(true)
    terminal.input.on('data', this.#onData)
    terminal.input.once('end', () => this.#lines.close())
    this.#lines = createInterface({
      ...{ input: keys, output: this.#screen(), terminal: true, history, historySize: history.length + 1_000 },
      completer: (line: string) => [line === '' ? [] : words.filter((word) => word.startsWith(line)), line],
    })
    this.#lines.on('line', (line) => {
      this.#typed.push(line)
      this.#wake?.()
    })
    this.#lines.on('close', () => {
      this.#isClosed = true
      this.#wake?.()
    })
    this.#lines.on('SIGINT', onInterrupt)
    terminal.output.write(pasteMode.on)
  }

  /** True if the current line has no text. */
  get isEmpty(): boolean {
    return this.#lines.line === ''
  }

  /** Returns the next line; undefined after Ctrl-D or `close`. */
  async read(prompt: string): Promise<string | undefined> {
    this.#isReading = true
    this.#lines.setPrompt(prompt)
    const isTypedAhead = this.#typed.length > 0
    if (!isTypedAhead && !this.#isClosed) this.#lines.prompt(true)
    while (this.#typed.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#isReading = false
    const line = this.#typed.shift()
    if (isTypedAhead) this.#terminal.output.write(`${prompt}${line}\n`)
    return line
  }

  /** Drops the current line and begins it again below, after what `write` writes. */
  clearLine(prompt: string, write: () => void = () => undefined): void {
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
    this.#terminal.output.write('\n')
    write()
    this.#lines.setPrompt(prompt)
    if (this.#isReading) this.#lines.prompt()
  }

  /** Ends the input. */
  close(): void {
    this.#lines.close()
  }

  [Symbol.dispose](): void {
    this.#lines.close()
    const { input, output } = this.#terminal
    input.off('data', this.#onData)
    input.setRawMode(false)
    input.pause()
    output.write(pasteMode.off)
  }

  /** Returns the editor's output, which is dropped while an answer is written. */
  #screen(): Writable {
    const { output } = this.#terminal
    const screen = new Writable({
      write: (chunk, _encoding, done) => {
        if (this.#isReading) output.write(chunk)
        done()
      },
    })
    Object.defineProperty(screen, 'columns', { get: () => output.columns })
    output.on('resize', () => screen.emit('resize'))
    return screen
  }
}
