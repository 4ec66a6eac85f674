/** Entry of the program: the hidden word `engine` makes it an engine child, everything else is the command line. */
import { forbidCoreDumps } from './machine/no-core-dumps.ts'

forbidCoreDumps()
const words = process.argv.slice(2)

if (words[0] === 'engine') {
  const { runEngineChild } = await import('./engines/host/child.ts')
  runEngineChild()
} else {
  const { runCli } = await import('./cli/cli.ts')
  process.exitCode = await runCli(words)
}
