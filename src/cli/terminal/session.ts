/** A conversation at a terminal. */
import { printable } from '../../core/printable.ts'
import { unreachable } from '../../core/unreachable.ts'
import { usableModels } from '../choose-model.ts'
import { CommandError, type Io, type Terminal, UsageError } from '../io.ts'
import { isStyled } from '../layout.ts'
import type { UsedServer } from '../with-server.ts'
import { settingsText, withSetting } from './answer-settings.ts'
import { type Attachment, pathsIn, readAttachment } from './attachments.ts'
import { type ChatCommandName, chatHelp, commandWords, readTyped } from './chat-command.ts'
import type { Conversation } from './conversation.ts'
import { HistoryFile } from './history-file.ts'
import { LineEditor } from './line-editor.ts'
import { figuresText, type ShownAnswer, showAnswer } from './show-answer.ts'
import { faint } from './styled-words.ts'
import { TypedLines } from './typed-lines.ts'

interface SessionOptions {
  /** Its signal ends the session. */
  readonly server: UsedServer
  readonly io: Io
  readonly terminal: Terminal
  /** File of typed lines. Undefined if none is kept. */
  readonly historyPath: string | undefined
  /** Files for the first message. */
  readonly attachments: readonly Attachment[]
  /** Figures follow each answer. */
  readonly isVerbose: boolean
}

const prompts = { first: '>>> ', further: '... ' } as const

/** Talks until `/exit`, Ctrl-D, two Ctrl-C or the signal. */
export async function talk(conversation: Conversation, options: SessionOptions): Promise<void> {
  await new Session(conversation, options).run()
}

class Session {
  readonly #conversation: Conversation
  readonly #options: SessionOptions
  readonly #typed = new TypedLines()
  #attachments: Attachment[]
  /** Stops the answer that is being written, or the wait for a model. */
  #working: AbortController | undefined
  #wasInterrupted = false
  #isOver = false

  constructor(conversation: Conversation, options: SessionOptions) {
    this.#conversation = conversation
    this.#options = options
    this.#attachments = [...options.attachments]
  }

  async run(): Promise<void> {
    const { terminal, historyPath, io, server } = this.#options
    const { TERM: kind = 'dumb' } = io.environment
    const history = historyPath === undefined ? undefined : new HistoryFile(historyPath)
    using editor = new LineEditor(terminal, {
      history: history?.read() ?? [],
      words: commandWords(),
      isPlain: kind === 'dumb' || kind === '',
      onInterrupt: () => this.#interrupt(editor),
    })
    server.signal.addEventListener('abort', () => this.#end(editor), { once: true })
    this.#say(`${this.#conversation.model}. /help shows the commands, Ctrl-D ends.`)
    while (!this.#isOver) {
      const line = await editor.read(this.#typed.isOpen ? prompts.further : prompts.first)
      if (line === undefined) break
      this.#wasInterrupted = false
      history?.add(line)
      const text = this.#typed.add(line)
      if (text !== undefined && text.trim() !== '') await this.#take(text)
    }
    terminal.output.write('\n')
  }

  #end(editor: LineEditor): void {
    this.#isOver = true
    this.#working?.abort(new CommandError('stopped'))
    editor.close()
  }

  /** Stops the answer, drops what is typed, says how to end, or ends the session. */
  #interrupt(editor: LineEditor): void {
    const isSecond = this.#wasInterrupted
    const isDrop = this.#working === undefined && (!editor.isEmpty || this.#typed.isOpen)
    this.#wasInterrupted = !isDrop
    if (isDrop) {
      this.#typed.clear()
      editor.clearLine(prompts.first)
    } else if (isSecond) this.#end(editor)
    else if (this.#working !== undefined) this.#working.abort(new CommandError('stopped'))
    else editor.clearLine(prompts.first, () => this.#say('Ctrl-C again, Ctrl-D or /exit ends.'))
  }

  /** Performs a command or answers a message. Its failure does not end the session. */
  async #take(typed: string): Promise<void> {
    const read = readTyped(typed)
    try {
      if (read.kind === 'message') await this.#ask(read.text)
      else if (read.kind === 'command') await this.#perform(read.name, read.argument)
      else {
        const hint = read.hint === undefined ? '' : ` (did you mean /${read.hint}?)`
        throw new UsageError(`there is no command /${read.word}${hint}; /help shows all`)
      }
    } catch (error) {
      if (!(error instanceof CommandError) && !(error instanceof UsageError)) throw error
      this.#options.io.error(`inferd: ${error.message}\n`)
    }
  }

  async #ask(text: string): Promise<void> {
    const named = [...new Set(pathsIn(text).map(({ path }) => path))].flatMap((path) => this.#attachNamed(path))
    this.#conversation.ask(text, [...this.#attachments, ...named])
    this.#attachments = []
    await this.#answer()
  }

  /** Returns the file that a message names, or nothing for one that no model reads: then only its name is sent. */
  #attachNamed(path: string): Attachment[] {
    try {
      return [this.#attach(path)]
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
      this.#say(`${error.message}. Only its name is sent.`)
      return []
    }
  }

  #attach(path: string): Attachment {
    const attachment = readAttachment(path)
    this.#say(`Added ${attachment.name}.`)
    return attachment
  }

  async #answer(): Promise<void> {
    const { server, terminal, io, isVerbose } = this.#options
    const { output } = terminal
    const screen = {
      write: (text: string) => void output.write(text),
      width: () => output.columns,
      isStyled: isStyled(io.environment, true),
    }
    let shown: ShownAnswer | undefined
    try {
      shown = await this.#stoppable((signal) => showAnswer(server.api, this.#conversation.body(), { screen, signal }))
    } finally {
      this.#conversation.answer(shown?.text ?? '')
    }
    if (isVerbose || shown.end === undefined) this.#say(figuresText(shown))
    else if (shown.end.finish === 'length') this.#say('The answer ended at its greatest length.')
    output.write('\n')
  }

  /** Runs work that Ctrl-C stops. */
  async #stoppable<Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> {
    const working = new AbortController()
    this.#working = working
    try {
      return await work(working.signal)
    } finally {
      this.#working = undefined
    }
  }

  async #changeModel(name: string): Promise<void> {
    const { server } = this.#options
    const chosen = await server.choose('chat', name)
    await this.#stoppable((signal) => server.load(chosen.id, signal))
    this.#conversation.model = chosen.name
  }

  async #showModel(): Promise<void> {
    const { model } = this.#conversation
    this.#say(`The model is ${model}.`)
    const ids = usableModels(await this.#options.server.models(), 'chat').map(({ id }) => id)
    const others = ids.filter((id) => id !== model)
    if (others.length > 0) this.#say(`Others that can chat: ${others.join(', ')}.`)
  }

  async #perform(name: ChatCommandName, argument: string): Promise<void> {
    const conversation = this.#conversation
    switch (name) {
      case 'help':
        return this.#print(chatHelp())
      case 'clear':
        conversation.clear()
        this.#attachments = []
        return this.#say('A new conversation begins.')
      case 'system':
        if (argument !== '') conversation.system = argument === '-' ? '' : argument
        return this.#say(
          conversation.system === '' ? 'There is no system text.' : `System text: ${conversation.system}`,
        )
      case 'set':
        return this.#set(argument)
      case 'file':
        if (argument === '') throw new UsageError('/file takes a path')
        this.#attachments.push(this.#attach(pathsIn(argument)[0]?.path ?? argument))
        return
      case 'again':
        if (!conversation.reopen()) throw new UsageError('there is no answer yet')
        return this.#answer()
      case 'model':
        if (argument !== '') await this.#changeModel(argument)
        return this.#showModel()
      case 'exit':
        this.#isOver = true
        return
      default:
        unreachable(name)
    }
  }

  #set(argument: string): void {
    const [, name = '', value = ''] = /^(\S*)\s*(.*)$/s.exec(argument) ?? []
    const conversation = this.#conversation
    if (name !== '') conversation.settings = withSetting(conversation.settings, name, value)
    this.#print(settingsText(conversation.settings))
  }

  #print(text: string): void {
    this.#options.io.out(text)
  }

  /** Says something about the conversation, apart from its text. */
  #say(text: string): void {
    const { io, terminal } = this.#options
    terminal.output.write(`${isStyled(io.environment, true) ? faint(printable(text)) : printable(text)}\n`)
  }
}
