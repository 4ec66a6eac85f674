import { dirname, extname } from 'node:path'
import type { Command } from 'commander'
import { sizeText } from '../core/quantities.ts'
import { modelOption } from './choose-model.ts'
import { type Io, jsonLine, requireFolderToWrite, UsageError, wantsJson } from './io.ts'
import { newCommand, optionText } from './options.ts'
import { readTexts } from './read-texts.ts'
import { showElapsed } from './show-elapsed.ts'
import { stoppable } from './stoppable.ts'
import { withServer } from './with-server.ts'

const formats = ['wav', 'mp3', 'opus', 'flac', 'pcm']

export function speakCommand(io: Io): Command {
  const command = newCommand('speak', 'read a text aloud into a file')
    .argument('[text...]', 'the text; - or none: from a pipe')
    .requiredOption('-o, --output <file>', `the file, whose end says its format: ${formats.join(', ')}`)
    .option('--model <model>', 'its id or an alias (default: one that is on this disk)')
    .option('--voice <name>', 'the voice', 'alloy')
    .option('--speed <factor>', 'such as 1.2 (default: 1)')
  return command.action(async (words: string[]) => {
    const output = optionText(command, 'output') ?? ''
    const format = extname(output).slice(1).toLowerCase()
    if (!formats.includes(format)) throw new UsageError(`--output takes a name that ends with .${formats.join(', .')}`)
    requireFolderToWrite(dirname(output))
    const input = (await readTexts(words, io)).trim()
    const model = await modelOption(command, io, 'tts')
    const speed = optionText(command, 'speed')
    const body = {
      ...{ model, input, voice: optionText(command, 'voice'), response_format: format },
      ...(speed === undefined ? {} : { speed: Number(speed) }),
    }
    const bytes = await stoppable(
      'stopped; nothing was written',
      (signal) =>
        withServer(command, io, async ({ api }) => {
          const answer = api.post('/audio/speech', body, signal).then((response) => response.bytes())
          return showElapsed(io, `Speaking by ${model}`, answer)
        }),
      { hasSignalCode: true },
    )
    await Bun.write(output, bytes)
    if (wantsJson(command)) io.out(jsonLine({ file: output, bytes: bytes.length, model }))
    else if (io.redraw !== undefined) io.error(`${output}, ${sizeText(bytes.length)}, by ${model}.\n`)
  })
}
