/** A conversation at a terminal. */
import { unreachable } from '../../core/unreachable.ts'
import { CommandError, UsageError } from '../io.ts'
import { settingsText, withSetting } from './answer-settings.ts'
import { pathsIn } from './attachments.ts'
import { type ChatCommandName, chatHelp, commandWords, readTyped } from './chat-command.ts'
import type { Conversation } from './conversation.ts'
import { HistoryFile } from './history-file.ts'
import { LineEditor } from './line-editor.ts'
import { Turns, type TurnsOptions } from './turns.ts'
import { TypedLines } from './typed-lines.ts'

interface SessionOptions extends TurnsOptions {
  /** File of typed lines. Undefined if none is kept. */
  readonly historyPath: string | undefined
}

const prompts = { first: '>>> ', further: '... ' } as const

/** Talks until `/exit`, Ctrl-D, two Ctrl-C or the server's signal. */
export async function talk(conversation: Conversation, options: SessionOptions): Promise<void> {
  await new Session(conversation, options).run()
}

class Session {
  readonly #conversation: Conversation
  readonly #options: SessionOptions
  readonly #turns: Turns
  readonly #typed = new TypedLines()
  #wasInterrupted = false
  #isOver = false

  constructor(conversation: Conversation, options: SessionOptions) {
    this.#conversation = conversation
    this.#options = options
    this.#turns = new Turns(conversation, options)
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
    this.#turns.say(`${this.#conversation.model}. /help shows the commands, Ctrl-D ends.`)
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
    this.#turns.stop()
    editor.close()
  }

  /** Stops the answer, drops what is typed, says how to end, or ends the session. */
  #interrupt(editor: LineEditor): void {
    const { isWorking } = this.#turns
    const isSecond = this.#wasInterrupted
    const isDrop = !isWorking && (!editor.isEmpty || this.#typed.isOpen)
    this.#wasInterrupted = !isDrop
    if (isDrop) {
      this.#typed.clear()
      editor.clearLine(prompts.first)
    } else if (isSecond) this.#end(editor)
    else if (isWorking) this.#turns.stop()
    else editor.clearLine(prompts.first, () => this.#turns.say('Ctrl-C again, Ctrl-D or /exit ends.'))
  }

  /** Performs a command or answers a message. Its failure does not end the session. */
  async #take(typed: string): Promise<void> {
    const read = readTyped(typed)
    try {
      if (read.kind === 'message') await this.#turns.ask(read.text)
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

  async #perform(name: ChatCommandName, argument: string): Promise<void> {
    const turns = this.#turns
    switch (name) {
      case 'help':
        return this.#print(chatHelp())
      case 'clear':
        turns.clear()
        return turns.say('A new conversation begins.')
      case 'system':
        return this.#setSystem(argument)
      case 'set':
        return this.#set(argument)
      case 'file':
        if (argument === '') throw new UsageError('/file takes a path')
        return turns.attach(pathsIn(argument)[0] ?? argument)
      case 'again':
        return turns.again()
      case 'model':
        if (argument !== '') await turns.changeModel(argument)
        return turns.showModel()
      case 'exit':
        this.#isOver = true
        return
      default:
        unreachable(name)
    }
  }

  #setSystem(text: string): void {
    const conversation = this.#conversation
    if (text !== '') conversation.system = text === '-' ? '' : text
    const { system } = conversation
    this.#turns.say(system === '' ? 'There is no system text.' : `System text: ${system}`)
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
}
