/** What a command may touch of the world besides the data folder. */
export interface Io {
  /** Data, for pipes: stdout. */
  readonly out: (text: string) => void
  /** Like `out`, for what is shown only once: resolves when the output has taken it, else rejects with the reason. */
  readonly deliver: (text: string) => Promise<void>
  /** Everything said to people on the way: stderr. */
  readonly error: (text: string) => void
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A command that did not do its work. The message is one line: what failed and the next step. */
export class CommandError extends Error {
  override name = 'CommandError'
}

/** Wrong words on the command line, or a setting with a value that is not allowed. */
export class UsageError extends Error {
  override name = 'UsageError'
}
