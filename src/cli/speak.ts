import { dirname, extname } from 'node:path'
import type { Command } from 'commander'
import { errorText } from '../core/error-text.ts'
import { sizeText } from '../core/quantities.ts'
import { CommandError, type Io, jsonLine, requireFolderToWrite, UsageError, wantsJson } from './io.ts'
import { newModelCommand, optionText } from './options.ts'
import { readTexts } from './read-texts.ts'
import { showElapsed } from './show-elapsed.ts'
import { withServer } from './with-server.ts'

const formats = ['wav', 'mp3', 'opus', 'flac', 'pcm']
const standardOutput = '-'

export function speakCommand(io: Io): Command {
  const command = newModelCommand('speak', 'read a text aloud into a file')
    .argument('[text...]', 'the text; - or none: from a pipe')
    .requiredOption('-o, --output <file>', 'the file; - writes to the output, for a pipe to a player')
    .option('--format <format>', `${formats.join(', ')} (default: by the end of the file's name; wav for -)`)
    .option('--model <model>', 'its id or an alias (default: one that is on this disk)')
    .option('--voice <name>', 'the voice', 'alloy')
    .option('--speed <factor>', 'such as 1.2 (default: 1)')
  return command.action(async (words: string[]) => {
    const output = optionText(command, 'output') ?? ''
    const format = formatOf(output, optionText(command, 'format'))
    if (output !== standardOutput) requireFolderToWrite(dirname(output))
    else if (io.isTerminal) throw new UsageError('-o - writes sound, which a terminal cannot show; pipe it to a player')
    const speed = speedOf(optionText(command, 'speed'))
    const input = (await readTexts(words, io)).trim()
    await withServer(
      command,
      io,
      async (server) => {
        const { name: model } = await server.choose({ kind: 'speak' }, optionText(command, 'model'))
        const body = { model, input, voice: optionText(command, 'voice'), response_format: format, ...speed }
        const answer = server.api.post('/audio/speech', body, server.signal).then((response) => response.bytes())
        const bytes = await showElapsed(io, `Speaking by ${model}`, answer)
        if (output === standardOutput) return io.outBytes?.(bytes)
        await writeSound(output, bytes)
        if (wantsJson(command)) io.out(jsonLine({ file: output, bytes: bytes.length, model }))
        else if (io.redraw !== undefined) io.error(`${output}, ${sizeText(bytes.length)}, by ${model}.\n`)
      },
      'stopped; nothing was written',
    )
  })
}

/** Returns the form of the sound. Throws UsageError if neither the option nor the file's name says one. */
function formatOf(output: string, option: string | undefined): string {
  const named = extname(output).slice(1).toLowerCase()
  const format = option ?? (output === standardOutput ? 'wav' : named)
  if (formats.includes(format)) return format
  if (option !== undefined) throw new UsageError(`--format takes ${formats.join(', ')}, not "${option}"`)
  throw new UsageError(`--output takes a name that ends with .${formats.join(', .')}; or say --format`)
}

function speedOf(text: string | undefined): { readonly speed?: number } {
  if (text === undefined) return {}
  if (/^\d+(\.\d+)?$/.test(text)) return { speed: Number(text) }
  throw new UsageError(`--speed takes a number such as 1.2, not "${text}"`)
}

async function writeSound(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await Bun.write(path, bytes)
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${errorText(error)}`)
  }
}
