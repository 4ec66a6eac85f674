import { runCli } from '../cli/cli.ts'

/** Runs a command line in this process. Returns its exit code and its outputs. `answers` are typed at a terminal. */
export async function runCommand(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  answers: readonly string[] = [],
) {
  const typed = [...answers]
  let out = ''
  let error = ''
  const print = (text: string) => {
    out += text
  }
  const code = await runCli([...words], {
    out: print,
    deliver: async (text) => print(text),
    error: (text) => {
      error += text
    },
    environment,
    ask: async () => typed.shift(),
  })
  return { code, out, error }
}
