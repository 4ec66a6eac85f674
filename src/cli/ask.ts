import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CommandError } from './io.ts'

/**
 * Asks the person at the terminal; undefined without a terminal. Hidden input is not shown while typing. Throws
 * CommandError after Ctrl-C or Ctrl-D.
 */
export async function askOnTerminal(
  question: string,
  { isHidden = false }: { readonly isHidden?: boolean } = {},
): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  process.stderr.write(question)
  const lines = createInterface({ input: process.stdin, output: isHidden ? nowhere : process.stderr, terminal: true })
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('line', resolve)
      lines.once('close', () => reject(new CommandError('nothing was done: no answer')))
    })
  } finally {
    lines.close()
    if (isHidden) process.stderr.write('\n')
  }
}
