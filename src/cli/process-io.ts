import { fstatSync, statSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { processEnvironment } from '../config/sources.ts'
import { ownCommand } from '../engines/host/spawn-engine.ts'
import { CommandError, type ProcessIo } from './io.ts'
import { Output } from './output.ts'

/** Returns this process's terminal or pipes. */
export function processIo(): ProcessIo {
  const environment = processEnvironment()
  const output = new Output()
  for (const stream of [process.stdout, process.stderr]) {
    // A reader may close our output early (`| head`, a script that saw its line), which must not end a server.
    stream.on('error', () => undefined)
  }
  return {
    out: (text) => void output.write(text).catch(() => undefined),
    outBytes: (bytes) => output.write(bytes),
    outputClosed: output.closed,
    finishOutput: () => output.finish(),
    deliver: (text) => deliver(output, text),
    error: (text) => void process.stderr.write(text),
    isTerminal: process.stdout.isTTY === true,
    width: process.stdout.isTTY ? process.stdout.columns : undefined,
    environment,
    program: ownCommand(),
    ask: askOnTerminal,
    redraw: process.stderr.isTTY && environment.TERM !== 'dumb' ? redraw : undefined,
    readInput,
    readBytes: async () => (isPiped() ? new Response(Bun.stdin.stream()).blob() : undefined),
    terminal:
      process.stdin.isTTY && process.stdout.isTTY ? { input: process.stdin, output: process.stdout } : undefined,
  }
}

/** Redraws the last line, cut to the terminal's width: a wrapped line would stay. */
function redraw(line: string): void {
  process.stderr.write(`\r\u001b[2K${line.slice(0, Math.max((process.stderr.columns ?? 80) - 1, 0))}`)
}

/** Reads a pipe or a file, with `mayType` also a terminal. Other inputs, such as /dev/null, have no text. */
async function readInput({ mayType }: { readonly mayType: boolean }): Promise<string | undefined> {
  const isTyped = mayType && process.stdin.isTTY
  if (!isTyped && !isPiped()) return undefined
  if (isTyped && process.stderr.isTTY) process.stderr.write('Type a text; Ctrl-D at the beginning of a line ends it.\n')
  return Bun.stdin.text()
}

function isPiped(): boolean {
  const input = fstatSync(0)
  return input.isFIFO() || input.isFile() || input.isSocket()
}

async function deliver(output: Output, text: string): Promise<void> {
  // The runtime replaces a closed output by /dev/null.
  if (fstatSync(1).rdev === statSync('/dev/null').rdev) throw new Error('it is closed, or /dev/null')
  await output.write(text)
}

/**
 * Asks the person at the terminal; undefined without a terminal. Hidden input is not shown while typing. Throws
 * CommandError after Ctrl-C or Ctrl-D.
 */
async function askOnTerminal(
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
