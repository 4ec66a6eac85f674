/** Io of a command line that nobody reads, for looking at its commands. */
export const silentIo = {
  out: () => undefined,
  deliver: async () => undefined,
  error: () => undefined,
  environment: {},
  ask: async () => undefined,
  command: (words: string) => words,
  hint: (text: string) => text,
}
