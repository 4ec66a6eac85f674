import { join } from 'node:path'
import type { Command } from 'commander'
import { requireModel } from './choose-model.ts'
import { type Io, UsageError, wantsJson } from './io.ts'
import { isStyled } from './layout.ts'
import { loadModel } from './load-model.ts'
import { configOf, newCommand, optionText } from './options.ts'
import { stoppable } from './stoppable.ts'
import { type AnswerSettings, withSetting } from './terminal/answer-settings.ts'
import { readAttachment } from './terminal/attachments.ts'
import { Conversation } from './terminal/conversation.ts'
import { talk } from './terminal/session.ts'
import { figuresText, showAnswer } from './terminal/show-answer.ts'
import { type UsedServer, withServer } from './with-server.ts'

export function runCommand(io: Io): Command {
  const collect = (value: string, others: readonly string[] = []) => [...others, value]
  const command = newCommand('run', 'talk to a model, or ask it one thing')
    .argument('<model>', 'its id or an alias')
    .argument('[prompt...]', 'what to ask; text from a pipe follows it; without both, a conversation begins')
    .option('-f, --file <path>', 'a picture or a text file for the first message; can be given several times', collect)
    .option('--system <text>', 'text that precedes the conversation')
    .option('--set <name=value>', 'how the model answers, such as temperature=0.2; can be given several times', collect)
    .option('--no-history', 'keep no typed lines for later conversations')
    .option('--verbose', 'show tokens and times of each answer')
  return command.action(async (model: string, words: string[]) => {
    const id = await requireModel(command, io, model)
    const attachments = listOption(command, 'file').map(readAttachment)
    const system = optionText(command, 'system') ?? ''
    const conversation = new Conversation({ model, system, settings: settingsOf(command) })
    const isTalk = words.length === 0 && io.terminal !== undefined && !wantsJson(command)
    const prompt = isTalk ? '' : await promptOf(words, io)
    await stoppable(
      'stopped',
      (signal) =>
        withServer(command, io, async (server) => {
          if (io.redraw !== undefined) await loadModel(server.target, io, id)
          if (!isTalk) {
            conversation.ask(prompt, attachments)
            return answerOnce(command, io, { conversation, server, signal })
          }
          const { terminal } = io
          if (terminal === undefined) return
          const load = async (name: string) => loadModel(server.target, io, await requireModel(command, io, name))
          const isKept = command.getOptionValue('history') !== false
          const historyPath = isKept ? join(configOf(command, io).data, 'terminal-history') : undefined
          const isVerbose = command.getOptionValue('verbose') === true
          await talk(conversation, {
            ...{ api: server.api, io, terminal, historyPath, attachments },
            isVerbose,
            load,
            signal,
          })
          signal.throwIfAborted()
        }),
      { hasSignalCode: true },
    )
  })
}

interface Asked {
  readonly conversation: Conversation
  readonly server: UsedServer
  readonly signal: AbortSignal
}

/** Answers one question: as JSON in the API's form, or as text while it comes. */
async function answerOnce(command: Command, io: Io, { conversation, server, signal }: Asked): Promise<void> {
  if (wantsJson(command)) {
    const response = await server.api.post('/chat/completions', conversation.body(), signal)
    return io.out(`${await response.text()}\n`)
  }
  const { output } = io.terminal ?? {}
  const isStyledHere = isStyled(io.environment, io.isTerminal)
  const screen = {
    // Styles and text are safe by then, and the output would escape styles.
    write: io.isTerminal ? io.outStyled : io.out,
    width: output?.columns ?? io.width,
    isStyled: isStyledHere,
  }
  const shown = await showAnswer(server.api, conversation.body(), { screen, signal })
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

function listOption(command: Command, name: string): readonly string[] {
  const value: unknown = command.getOptionValue(name)
  return Array.isArray(value) ? value.map(String) : []
}
