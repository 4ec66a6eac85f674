/** Io that discards all output, for tests that inspect commands. */
export const silentIo = {
  out: () => undefined,
  outStyled: () => undefined,
  deliver: async () => undefined,
  error: () => undefined,
  environment: {},
  ask: async () => undefined,
  command: (words: string) => words,
  hint: (text: string) => text,
}
