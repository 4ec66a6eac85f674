import { createInterface, type Interface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import type { Terminal } from '../io.ts'
import { KeyMode } from './key-mode.ts'
import { PastedText } from './pasted-text.ts'

/** Ctrl-C. */
const interruptKey = '\u0003'

interface EditorOptions {
  /** Former lines, the newest first. */
  readonly history: string[]
  /** Words that a tab completes. */
  readonly words: readonly string[]
  /** True if the terminal understands no control sequences. It then edits lines itself, without history. */
  readonly isPlain: boolean
  readonly onInterrupt: () => void
}

/** Line editor with history. Keys that are typed during an answer wait, unseen, for the next line. */
export class LineEditor implements Disposable {
  readonly #terminal: Terminal
  readonly #lines: Interface
  readonly #pasted = new PastedText()
  /** Lines that are not read yet, as they were shown. */
  readonly #typed: string[] = []
  readonly #onInterrupt: () => void
  readonly #closing = new DisposableStack()
  #isReading = false
  #isClosed = false
  #wake: (() => void) | undefined

  constructor(terminal: Terminal, { history, words, isPlain, onInterrupt }: EditorOptions) {
    this.#terminal = terminal
    this.#onInterrupt = onInterrupt
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
    // A terminal that is gone ends with an error.
    for (const event of ['end', 'error'] as const) this.#listen(terminal.input, event, () => this.#lines.close())
    if (isPlain) return
    const mode = this.#closing.use(new KeyMode(terminal, () => this.#isEditing && this.#lines.prompt(true)))
    this.#lines.on('SIGTSTP', () => mode.suspend())
  }

  /** True if the current line has no text. */
  get isEmpty(): boolean {
    return this.#lines.line === ''
  }

  get #isEditing(): boolean {
    return this.#isReading && !this.#isClosed
  }

  /** Returns the next line; undefined after Ctrl-D or `close`. */
  async read(prompt: string): Promise<string | undefined> {
    this.#lines.setPrompt(prompt)
    const isTypedAhead = this.#typed.length > 0
    this.#isReading = true
    if (!isTypedAhead && this.#isEditing) this.#lines.prompt(true)
    while (this.#typed.length === 0 && !this.#isClosed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#isReading = false
    const line = this.#typed.shift()
    if (isTypedAhead) this.#terminal.output.write(`${prompt}${line}\n`)
    return line && this.#pasted.expand(line)
  }

  /** Drops the current line and begins it again below, after what `write` writes. */
  clearLine(prompt: string, write: () => void = () => undefined): void {
    if (this.#isClosed) return
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
    this.#terminal.output.write('\n')
    write()
    this.#lines.setPrompt(prompt)
    if (this.#isEditing) this.#lines.prompt()
  }

  /** Ends the input. */
  close(): void {
    this.#lines.close()
  }

  [Symbol.dispose](): void {
    this.#lines.close()
    this.#closing.dispose()
    this.#terminal.input.pause()
  }

  /** Returns the keys of the terminal, without the marks of pasted text. */
  #keys(): PassThrough {
    const keys = new PassThrough()
    const decoder = new StringDecoder('utf8')
    this.#listen(this.#terminal.input, 'data', (bytes: Buffer) => {
      const typed = decoder.write(bytes)
      // Ctrl-C between lines is handled here, since the editor takes no keys after Ctrl-D.
      const isInterrupt = !this.#isReading && typed.includes(interruptKey)
      keys.write(this.#pasted.filter(isInterrupt ? typed.replaceAll(interruptKey, '') : typed))
      if (isInterrupt) this.#onInterrupt()
    })
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
