import type { Command } from 'commander'
import { type Io, jsonLine, wantsJson } from './io.ts'
import { newModelCommand, optionText } from './options.ts'
import { areText, readTexts } from './read-texts.ts'
import { showElapsed } from './show-elapsed.ts'
import { withServer } from './with-server.ts'

/** Texts of one request. */
const textsTogether = 256

interface EmbeddingAnswer {
  readonly data: readonly { readonly embedding: readonly number[] }[]
}

export function embedCommand(io: Io): Command {
  const command = newModelCommand('embed', 'print the vector of a text')
    .argument('[text...]', 'the text; - or none: each line from a pipe has a vector of its own')
    .option('--model <model>', 'its id or an alias (default: one that is on this disk)')
  return command.action(async (words: string[]) => {
    const text = await readTexts(words, io)
    const texts = areText(words) ? [text] : text.split(/\r?\n/).filter((line) => line.trim() !== '')
    await withServer(command, io, async (server) => {
      const { name: model } = await server.choose({ kind: 'embed' }, optionText(command, 'model'))
      for (let from = 0; from < texts.length; from += textsTogether) {
        const input = texts.slice(from, from + textsTogether)
        const answer = server.api
          .post('/embeddings', { model, input }, server.signal)
          .then((response) => response.json<EmbeddingAnswer>())
        const { data } = await showElapsed(io, `${from} of ${texts.length} vectors by ${model}`, answer)
        const lines = data.map(({ embedding }, index) =>
          wantsJson(command) ? jsonLine({ text: input[index], model, embedding }) : `${JSON.stringify(embedding)}\n`,
        )
        io.out(lines.join(''))
      }
    })
  })
}
