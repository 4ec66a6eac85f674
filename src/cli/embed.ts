import type { Command } from 'commander'
import { modelOption } from './choose-model.ts'
import { type Io, jsonLine, wantsJson } from './io.ts'
import { newCommand } from './options.ts'
import { readTexts } from './read-texts.ts'
import { showElapsed } from './show-elapsed.ts'
import { stoppable } from './stoppable.ts'
import { withServer } from './with-server.ts'

/** Texts of one request. */
const textsTogether = 256

interface EmbeddingAnswer {
  readonly data: readonly { readonly embedding: readonly number[] }[]
}

export function embedCommand(io: Io): Command {
  const command = newCommand('embed', 'print the vector of a text')
    .argument('[text...]', 'the text; - or none: each line from a pipe has a vector of its own')
    .option('--model <model>', 'its id or an alias (default: one that is on this disk)')
  return command.action(async (words: string[]) => {
    const isTyped = words.length > 0 && words.join(' ') !== '-'
    const text = await readTexts(words, io)
    const texts = isTyped ? [text] : text.split(/\r?\n/).filter((line) => line.trim() !== '')
    const model = await modelOption(command, io, 'embedding')
    await stoppable(
      'stopped',
      (signal) =>
        withServer(command, io, async ({ api }) => {
          for (let from = 0; from < texts.length; from += textsTogether) {
            const input = texts.slice(from, from + textsTogether)
            const answer = api
              .post('/embeddings', { model, input }, signal)
              .then(async (response) => (await response.json()) as EmbeddingAnswer) // our own server's answer
            const { data } = await showElapsed(io, `${from} of ${texts.length} vectors by ${model}`, answer)
            const lines = data.map(({ embedding }, index) =>
              wantsJson(command)
                ? jsonLine({ text: input[index], model, embedding })
                : `${JSON.stringify(embedding)}\n`,
            )
            io.out(lines.join(''))
          }
        }),
      { hasSignalCode: true },
    )
  })
}
