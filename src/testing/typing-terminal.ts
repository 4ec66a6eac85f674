import { join } from 'node:path'

/** Program in a pseudo terminal, as a person sees it. */
export interface TypingTerminal {
  /** Types text and waits until the text that follows shows one of `next`. Returns what was shown until then. */
  type(text: string, next: string): Promise<string>
  /** Waits until all that is shown contains the text. */
  until(next: string): Promise<string>
  /** All that was shown, with styles. */
  shown(): string
  /** Resolves with the exit code. */
  readonly exited: Promise<number>
  readonly pid: number
  /** Changes the width, in columns. */
  resize(columns: number): void
  /** Closes the terminal, as when its window is closed. */
  hangUp(): void
  kill(signal?: NodeJS.Signals): void
}

/** Line that was erased, such as one about a wait. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that erases
const erased = /[^\n]*\r\u001b\[2K/g

/** Words that start `inferd` from its sources. */
export const inferdCommand = [process.execPath, join(import.meta.dir, '..', 'main.ts')] as const

/** Starts `inferd` in a pseudo terminal of 80 columns with only the given environment. */
export function openTypingTerminal(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): TypingTerminal {
  return openTerminal([...inferdCommand, ...words], environment)
}

/** Starts a program in such a terminal. */
export function openTerminal(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): TypingTerminal {
  const decoder = new TextDecoder()
  let shown = ''
  let changed = Promise.withResolvers<void>()
  const child = Bun.spawn([...command], {
    env: { PATH: '/usr/bin:/bin', TERM: 'xterm-256color', ...environment },
    terminal: {
      ...{ cols: 80, rows: 24 },
      data: (_, bytes) => {
        shown += decoder.decode(bytes, { stream: true })
        changed.resolve()
        changed = Promise.withResolvers<void>()
      },
    },
  })
  const untilAfter = async (from: number, next: string) => {
    while (!shown.slice(from).includes(next)) {
      const isOver = await Promise.race([changed.promise, child.exited.then(() => true)])
      if (isOver && !shown.slice(from).includes(next)) throw new Error(`ended before "${next}": ${shown}`)
    }
    return Bun.stripANSI(shown.slice(from).replaceAll(erased, '')).replaceAll('\r', '')
  }
  return {
    type: (text, next) => {
      const from = shown.length
      child.terminal?.write(text)
      return untilAfter(from, next)
    },
    until: (next) => untilAfter(0, next),
    shown: () => shown,
    exited: child.exited,
    pid: child.pid,
    resize: (columns) => child.terminal?.resize(columns, 24),
    hangUp: () => child.terminal?.close(),
    kill: (signal = 'SIGKILL') => child.kill(signal),
  }
}
