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
  /** The terminal understands no control sequences: it edits lines itself, and there is no history. */
  readonly isPlain: boolean
  readonly onInterrupt: () => void
}

/** Line editor with history. Keys that are typed during an answer wait, unseen, for the next line. */
export class LineEditor implements Disposable {
  readonly #terminal: Terminal
  readonly #isPlain: boolean
  readonly #lines: Interface
  readonly #typed: string[] = []
  readonly #closing = new DisposableStack()
  #isReading = false
  #isClosed = false
  #wake: (() => void) | undefined

  constructor(terminal: Terminal, { history, words, isPlain, onInterrupt }: EditorOptions) {
    this.#terminal = terminal
    this.#isPlain = isPlain
    this.#lines = isPlain
      ? createInterface({ input: terminal.input, output: terminal.output, terminal: false })
      : createInterface({
          ...{ input: this.#keys(), output: this.#screen(), terminal: true },
          ...{ history, historySize: history.length + 1_000 },
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
    this.#lines.on('SIGTSTP', () => this.#suspend())
    // A terminal that is gone ends with an error.
    for (const event of ['end', 'error'] as const) this.#listen(terminal.input, event, () => this.#lines.close())
    this.#listen(process, 'SIGCONT', () => this.#resume())
    this.#resume()
  }

  /** True if the current line has no text. */
  get isEmpty(): boolean {
    return this.#lines.line === ''
  }

  /** Returns the next line; undefined after Ctrl-D or `close`. */
  async read(prompt: string): Promise<string | undefined> {
    this.#lines.setPrompt(prompt)
    const isTypedAhead = this.#typed.length > 0
    this.#isReading = true
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
    this.#closing.dispose()
    this.#setMode(false)
    this.#terminal.input.pause()
  }

  /** Stops this process until the shell continues it. */
  #suspend(): void {
    this.#setMode(false)
    process.kill(process.pid, 'SIGTSTP')
  }

  /** Takes the keys of the terminal, again after the shell has had it. */
  #resume(): void {
    this.#setMode(false)
    this.#setMode(true)
    if (this.#isReading) this.#lines.prompt(true)
  }

  /** Makes the terminal pass on each key and mark pasted text, or ends that. */
  #setMode(isOurs: boolean): void {
    if (this.#isPlain) return
    this.#terminal.input.setRawMode(isOurs)
    this.#terminal.output.write(isOurs ? pasteMode.on : pasteMode.off)
  }

  /** Returns the keys of the terminal, without the marks of pasted text. */
  #keys(): PassThrough {
    const keys = new PassThrough()
    const decoder = new StringDecoder('utf8')
    const pasted = new PastedText()
    this.#listen(this.#terminal.input, 'data', (bytes: Buffer) => keys.write(pasted.filter(decoder.write(bytes))))
    return keys
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
    this.#listen(output, 'resize', () => screen.emit('resize'))
    return screen
  }

  #listen<Value>(source: NodeJS.EventEmitter, event: string, listener: (value: Value) => void): void {
    source.on(event, listener)
    this.#closing.defer(() => source.off(event, listener))
  }
}
