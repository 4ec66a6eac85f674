import { runCli } from '../cli/cli.ts'

/** Runs a command line in this process: its exit code, and what it prints where. */
export async function runCommand(words: readonly string[], environment: Readonly<Record<string, string>>) {
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
  })
  return { code, out, error }
}
