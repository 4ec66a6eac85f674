import { testedProgram } from './tested-program.ts'

/** Program in a pseudo terminal, as a person sees it. */
export interface TypingTerminal {
  /** Types text and waits until all that is shown after it contains `next`. Returns what was shown since. */
  type(text: string, next: string): Promise<string>
  /** Waits until all that was ever shown contains `next`. Returns it without styles. */
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

/** Erased line, such as one about a wait. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the sequence that erases
const erased = /[^\n]*\r\u001b\[2K/g

/** Beginning of a line for the next message of a conversation. */
export const prompt = '\n\u001b[1G\u001b[0J>>> '

/** Message to the fake engine whose answer begins, and ends only when it is cancelled. */
export const endless = '{"script":[{"text":"begun "},{"text":"then "},{"waitForCancel":true}]}'

/** Starts `inferd` as `openTerminal` starts a program. */
export function openTypingTerminal(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): TypingTerminal {
  return openTerminal([...testedProgram, ...words], environment)
}

/** Starts a program in a pseudo terminal of 80 columns with only the given environment. */
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
