import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { CommandError, type Io, UsageError, wantsJson } from './io.ts'
import { newModelCommand, optionText } from './options.ts'
import { showElapsed } from './show-elapsed.ts'
import { withServer } from './with-server.ts'

const formats = ['text', 'srt', 'vtt']

export function transcribeCommand(io: Io): Command {
  const command = newModelCommand('transcribe', 'write down what is said in a recording')
    .argument('<file>', 'a recording in any usual format; - reads it from a pipe')
    .option('--model <model>', 'its id or an alias (default: one that is on this disk)')
    .option('--language <code>', 'language of the recording, such as de (default: found by the model)')
    .option('--format <text|srt|vtt>', 'form of the text', 'text')
    .option('--speakers', 'say who speaks')
    .option('--translate', 'write English, by a model that translates')
  return command.action(async (file: string) => {
    const format = optionText(command, 'format') ?? ''
    if (!formats.includes(format)) throw new UsageError(`--format takes ${formats.join(', ')}, not "${format}"`)
    const [language, speakers] = [optionText(command, 'language'), command.getOptionValue('speakers') === true]
    const translates = command.getOptionValue('translate') === true
    if (translates && (speakers || language !== undefined))
      throw new UsageError(
        '--translate finds the language itself and labels nobody; leave --language and --speakers out',
      )
    const capability = translates ? 'translation' : speakers ? 'diarization' : undefined
    const { recording, name } = await recordingOf(file, io)
    await withServer(command, io, async (server) => {
      const { name: model } = await server.choose({ kind: 'transcribe', capability }, optionText(command, 'model'))
      const form = new FormData()
      form.set('model', model)
      form.set('file', recording, name)
      form.set('response_format', wantsJson(command) ? 'verbose_json' : format)
      if (language !== undefined) form.set('language', language)
      if (speakers) form.set('diarize', 'true')
      const path = translates ? '/audio/translations' : '/audio/transcriptions'
      const answer = server.api.post(path, form, server.signal).then((response) => response.text())
      const text = await showElapsed(io, `${translates ? 'Translating' : 'Transcribing'} ${name} by ${model}`, answer)
      io.out(text.endsWith('\n') ? text : `${text}\n`)
    })
  })
}

async function recordingOf(file: string, io: Io): Promise<{ readonly recording: Blob; readonly name: string }> {
  if (file === '-') {
    const recording = await io.readBytes?.()
    if (recording === undefined) throw new UsageError('there is no recording in the pipe')
    return { recording, name: 'recording' }
  }
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw new CommandError(`there is no file ${file}`)
  if (found.isDirectory()) throw new CommandError(`${file} is a folder; name a recording in it`)
  return { recording: Bun.file(file), name: basename(file) }
}
