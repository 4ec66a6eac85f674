/** Prompts and given answers, made of this repository's own texts. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Task {
  readonly prompt: string
  readonly answer: string
}

export type TaskKind = 'copy' | 'code edit' | 'prose'

const root = join(import.meta.dir, '..', '..', '..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

/** Returns this many characters, from a different place for each stream. */
function piece(text: string, stream: number, characters: number): string {
  const start = (stream * characters) % Math.max(1, text.length - characters)
  return text.slice(start, start + characters)
}

/** Renames some names in the code, and adds a line in some places. */
function edited(code: string): string {
  const renamed = code.replaceAll('sequence', 'lane').replaceAll('units', 'places')
  return renamed
    .split('\n')
    .flatMap((line, index) => (index % 15 === 14 ? ['  // Checked.', line] : [line]))
    .join('\n')
}

export const tasks: Readonly<Record<TaskKind, (stream: number, characters: number) => Task>> = {
  copy: (stream, characters) => {
    const text = piece(read('docs/operations.md'), stream, characters)
    return { prompt: `Repeat this text:\n\n${text}\n`, answer: text }
  },
  'code edit': (stream, characters) => {
    const code = piece(read('src/engines/llama/steps/sequences.ts'), stream % 3, characters)
    return { prompt: `Rename the sequences and the units:\n\n${code}\n`, answer: edited(code) }
  },
  prose: (stream, characters) => ({
    prompt: `Tell me about this: ${piece(read('docs/models.md'), stream, 200)}\n`,
    answer: piece(read('docs/memory.md'), stream, characters),
  }),
}
