import { printable } from '../../core/printable.ts'
import { usableModels } from '../choose-model.ts'
import { CommandError, type Io, type Terminal, UsageError } from '../io.ts'
import { isStyled } from '../layout.ts'
import type { UsedServer } from '../with-server.ts'
import { type Attachment, pathsIn, readAttachment } from './attachments.ts'
import type { Conversation } from './conversation.ts'
import { figuresText, type ShownAnswer, showAnswer } from './show-answer.ts'
import { faint } from './styled-words.ts'

export interface TurnsOptions {
  readonly server: UsedServer
  readonly io: Io
  readonly terminal: Terminal
  /** Files for the first message. */
  readonly attachments: readonly Attachment[]
  /** True to show figures after each answer. */
  readonly isVerbose: boolean
}

/** Messages and answers of a conversation at a terminal. Methods throw CommandError and UsageError for the person. */
export class Turns {
  readonly #conversation: Conversation
  readonly #options: TurnsOptions
  /** Files for the next message. */
  #attachments: Attachment[]
  /** Stops the answer that is being written, or the wait for a model. */
  #working: AbortController | undefined

  constructor(conversation: Conversation, options: TurnsOptions) {
    this.#conversation = conversation
    this.#options = options
    this.#attachments = [...options.attachments]
  }

  /** True while an answer is written, or a model loads. */
  get isWorking(): boolean {
    return this.#working !== undefined
  }

  stop(): void {
    this.#working?.abort(new CommandError('stopped'))
  }

  /** Answers a message, with the files that it names. */
  async ask(text: string): Promise<void> {
    const named = [...new Set(pathsIn(text))].flatMap((path) => this.#readNamed(path))
    this.#conversation.ask(text, [...this.#attachments, ...named])
    this.#attachments = []
    await this.#answer()
  }

  /** Answers the last message once more. */
  async again(): Promise<void> {
    if (!this.#conversation.reopen()) throw new UsageError('there is no message yet')
    await this.#answer()
  }

  /** Adds a file to the next message. */
  attach(path: string): void {
    this.#attachments.push(this.#read(path))
  }

  clear(): void {
    this.#conversation.clear()
    this.#attachments = []
  }

  async changeModel(name: string): Promise<void> {
    const { server } = this.#options
    const chosen = await server.choose({ kind: 'chat' }, name)
    await this.#stoppable((signal) => server.load(chosen.id, signal))
    this.#conversation.model = chosen.name
  }

  async showModel(): Promise<void> {
    const { model } = this.#conversation
    this.say(`The model is ${model}.`)
    const usable = usableModels(await this.#options.server.models(), 'chat')
    const others = usable.filter(({ id, aliases }) => id !== model && !aliases.includes(model))
    if (others.length > 0) this.say(`Others here: ${others.map(({ id }) => id).join(', ')}.`)
  }

  /** Says something about the conversation, apart from its text. */
  say(text: string): void {
    const { io, terminal } = this.#options
    terminal.output.write(`${isStyled(io.environment, true) ? faint(printable(text)) : printable(text)}\n`)
  }

  /** Returns the file that a message names, or nothing for one that no model reads: then only its name is sent. */
  #readNamed(path: string): Attachment[] {
    try {
      return [this.#read(path)]
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      this.say(`${error.message}. Only its name is sent.`)
      return []
    }
  }

  #read(path: string): Attachment {
    const attachment = readAttachment(path)
    this.say(`Added ${attachment.name}.`)
    return attachment
  }

  async #answer(): Promise<void> {
    const { server, terminal, io, isVerbose } = this.#options
    const { output } = terminal
    const screen = {
      write: (text: string) => void output.write(text),
      width: () => output.columns,
      isStyled: isStyled(io.environment, true),
      redraw: io.redraw,
    }
    let shown: ShownAnswer | undefined
    try {
      shown = await this.#stoppable((signal) => showAnswer(server.api, this.#conversation.body(), { screen, signal }))
    } finally {
      this.#conversation.answer(shown?.text ?? '')
    }
    if (isVerbose || shown.end === undefined) this.say(figuresText(shown))
    else if (shown.end.finish === 'length') this.say('The answer ended at its greatest length.')
    output.write('\n')
  }

  /** Runs work that `stop` ends. */
  async #stoppable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const working = new AbortController()
    this.#working = working
    try {
      return await work(working.signal)
    } finally {
      this.#working = undefined
    }
  }
}
