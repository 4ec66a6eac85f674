import { join } from 'node:path'
import type { Command } from 'commander'
import { type Io, UsageError, wantsJson } from './io.ts'
import { isStyled } from './layout.ts'
import { collect, configOf, listOption, newModelCommand, optionText } from './options.ts'
import { type AnswerSettings, withSetting } from './terminal/answer-settings.ts'
import { type Attachment, readAttachment } from './terminal/attachments.ts'
import { Conversation } from './terminal/conversation.ts'
import { talk } from './terminal/session.ts'
import { figuresText, showAnswer } from './terminal/show-answer.ts'
import { type UsedServer, withServer } from './with-server.ts'

export function runCommand(io: Io): Command {
  const command = newModelCommand('run', 'talk to a model, or ask it one thing')
    .argument('[model]', 'its id or an alias (default: the loaded one, or one that is on this disk)')
    .argument('[prompt...]', 'what to ask; text from a pipe follows it; without both, a conversation begins')
    .option(
      '-f, --file <path>',
      'a picture, a document or a text file for the first message; can be given several times',
      collect,
    )
    .option('--system <text>', 'text that precedes the conversation')
    .option('--set <name=value>', 'how the model answers, such as temperature=0.2; can be given several times', collect)
    .option('--no-history', 'keep no typed lines for later conversations')
    .option('--verbose', 'show tokens and times of each answer')
  return command.action(async (model: string | undefined, words: string[]) => {
    const attachments = listOption(command, 'file').map(readAttachment)
    const system = optionText(command, 'system') ?? ''
    const settings = settingsOf(command)
    const isTalk = words.length === 0 && io.terminal !== undefined && !wantsJson(command)
    const prompt = isTalk ? '' : await promptOf(words, io)
    await withServer(command, io, async (server) => {
      const chosen = await server.choose({ kind: 'chat' }, model)
      const conversation = new Conversation({ model: chosen.name, system, settings })
      if (io.redraw !== undefined) await server.load(chosen.id, server.signal)
      const answering = { command, io, conversation, server }
      await (isTalk ? converse(answering, attachments) : answerOnce(answering, prompt, attachments))
    })
  })
}

interface Answering {
  readonly command: Command
  readonly io: Io
  readonly conversation: Conversation
  readonly server: UsedServer
}

async function converse({ command, io, conversation, server }: Answering, attachments: readonly Attachment[]) {
  const { terminal } = io
  if (terminal === undefined) return
  const isKept = command.getOptionValue('history') !== false
  const historyPath = isKept ? join(configOf(command, io).data, 'terminal-history') : undefined
  const isVerbose = command.getOptionValue('verbose') === true
  await talk(conversation, { server, io, terminal, historyPath, attachments, isVerbose })
  server.signal.throwIfAborted()
}

/** Answers one question: as JSON in the API's form, or as text while it comes. */
async function answerOnce(
  { command, io, conversation, server }: Answering,
  prompt: string,
  attachments: readonly Attachment[],
): Promise<void> {
  const { api, signal } = server
  conversation.ask(prompt, attachments)
  if (wantsJson(command)) {
    const answer = await api.post('/chat/completions', conversation.body(), signal)
    return io.out(`${await answer.text()}\n`)
  }
  const { output } = io.terminal ?? {}
  const screen = {
    // `showAnswer` itself makes text safe for a terminal; `out` would escape its styles.
    write: io.isTerminal ? io.outStyled : io.out,
    width: () => output?.columns ?? io.width,
    isStyled: isStyled(io.environment, io.isTerminal),
    redraw: io.redraw,
  }
  const shown = await showAnswer(api, conversation.body(), { screen, signal })
  signal.throwIfAborted()
  if (command.getOptionValue('verbose') === true) io.error(`${figuresText(shown)}\n`)
}

/** Returns the words with the text from a pipe after them. Throws UsageError if there is neither. */
async function promptOf(words: readonly string[], io: Io): Promise<string> {
  const piped = await io.readInput?.({ mayType: words.length === 0 })
  const prompt = [words.join(' '), piped?.trimEnd() ?? ''].filter((text) => text !== '').join('\n\n')
  if (prompt !== '') return prompt
  throw new UsageError('there is nothing to ask; type a prompt after the model, or pipe it in')
}

function settingsOf(command: Command): AnswerSettings {
  return listOption(command, 'set').reduce<AnswerSettings>((settings, text) => {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined) throw new UsageError(`--set takes NAME=VALUE, not "${text}"`)
    return withSetting(settings, name, value)
  }, {})
}
