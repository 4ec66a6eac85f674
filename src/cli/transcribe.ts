import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { Command } from 'commander'
import { modelOption } from './choose-model.ts'
import { CommandError, type Io, UsageError, wantsJson } from './io.ts'
import { newCommand, optionText } from './options.ts'
import { showElapsed } from './show-elapsed.ts'
import { stoppable } from './stoppable.ts'
import { withServer } from './with-server.ts'

const formats = ['text', 'srt', 'vtt']

export function transcribeCommand(io: Io): Command {
  const command = newCommand('transcribe', 'write down what is said in a recording')
    .argument('<file>', 'a recording in any usual format')
    .option('--model <model>', 'its id or an alias (default: one that is on this disk)')
    .option('--language <code>', 'language of the recording, such as de (default: found by the model)')
    .option('--format <text|srt|vtt>', 'form of the text', 'text')
    .option('--speakers', 'say who speaks')
  return command.action(async (file: string) => {
    const format = optionText(command, 'format') ?? ''
    if (!formats.includes(format)) throw new UsageError(`--format takes ${formats.join(', ')}, not "${format}"`)
    if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new CommandError(`there is no file ${file}`)
    const model = await modelOption(command, io, 'stt')
    const form = new FormData()
    form.set('model', model)
    form.set('file', Bun.file(file), basename(file))
    form.set('response_format', wantsJson(command) ? 'verbose_json' : format)
    const language = optionText(command, 'language')
    if (language !== undefined) form.set('language', language)
    if (command.getOptionValue('speakers') === true) form.set('diarize', 'true')
    const text = await stoppable(
      'stopped',
      (signal) =>
        withServer(command, io, async ({ api }) => {
          const answer = api.post('/audio/transcriptions', form, signal).then((response) => response.text())
          return showElapsed(io, `Transcribing ${basename(file)} by ${model}`, answer)
        }),
      { hasSignalCode: true },
    )
    io.out(text.endsWith('\n') ? text : `${text}\n`)
  })
}
