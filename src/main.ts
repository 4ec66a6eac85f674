/**
 * Entry of the program: the hidden words `engine` and `document` make it a child that computes or reads a file,
 * everything else is the command line.
 */
import { endWithParent, forbidCoreDumps, limitProcessorTime } from './machine/process-limits.ts'

forbidCoreDumps()
const words = process.argv.slice(2)

if (words[0] === 'engine') {
  const { runEngineChild } = await import('./engines/host/child.ts')
  runEngineChild()
} else if (words[0] === 'document') {
  endWithParent(Number(words[1]))
  limitProcessorTime(90)
  const { runDocumentChild } = await import('./documents/document-child.ts')
  await runDocumentChild(words[2])
} else {
  const { runCli } = await import('./cli/cli.ts')
  process.exitCode = await runCli(words)
}
