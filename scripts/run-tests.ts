/**
 * Runs all tests but those of the pages, in two processes side by side: most tests wait for an engine or a server, so that one process
 * leaves half of a small machine idle. Prints the first one's output as it comes, then the second one's, then what each failed test
 * said, and the sum of both. Their temporary files go with them.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'

/** Twice what a test may take alone. */
const timeoutMs = '40000'
const engines = ['./src/engines']
const others = [
  '--path-ignore-patterns',
  'ui/flows/**',
  '--path-ignore-patterns',
  'src/engines/**',
  './src',
  './scripts',
  './ui',
]

function start(files: readonly string[], TMPDIR: string): Subprocess<'ignore', 'pipe', 'pipe'> {
  const command = [process.execPath, 'test', '--timeout', timeoutMs, ...files]
  return Bun.spawn(command, { env: { ...process.env, TMPDIR }, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
}

/** What it says, in the end; shown at once if `isShown`. */
async function outputOf(run: Subprocess<'ignore', 'pipe', 'pipe'>, isShown: boolean): Promise<string> {
  let output = ''
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      output += decoder.decode(bytes, { stream: true })
      if (isShown) await Bun.write(Bun.stderr, bytes)
    }
  }
  await Promise.all([read(run.stdout), read(run.stderr), run.exited])
  return output
}

/** The last line such as ' 123 pass': tests that run tests print others before it. */
function countOf(output: string, word: 'pass' | 'fail'): number {
  return Number([...output.matchAll(new RegExp(`^ *(\\d+) ${word}$`, 'gm'))].at(-1)?.[1] ?? 0)
}

/** Stands before and after an error outside of tests. */
const rule = '-'.repeat(31)
const isFile = (line: string) => /^\S+\.test\.tsx?:$/.test(line)

/**
 * Each failed test and each error outside of tests, after the name of its file, with at most 40 of the lines that were printed for it.
 * The list of failed tests that ends a long run is left out: it has neither.
 */
function failuresOf(output: string): string {
  const failures: string[] = []
  let file = ''
  let printed: string[] = []
  // The last one: tests that run tests print others before it.
  const list = [...output.matchAll(/^\d+ tests? failed:$/gm)].at(-1)
  for (const line of output.slice(0, list?.index).split('\n')) {
    const isEnd = line.startsWith('(fail) ') || (line === rule && printed.includes(rule))
    if (isEnd) failures.push('', file, ...printed.slice(-40), line)
    // Such a line follows that of its test.
    if (line.startsWith('  ^ ')) failures.push(line)
    if (isFile(line)) file = line
    if (isEnd || isFile(line) || /^\((pass|skip|todo)\) /.test(line)) printed = []
    else printed.push(line)
  }
  return failures.map((line) => `${line}\n`).join('')
}

// Short: paths of sockets are, and some tests put them there.
const folder = mkdtempSync(join(tmpdir(), 'it-'))
// As the system's own: some tests become another user.
chmodSync(folder, 0o1777)
const runs = [start(engines, folder), start(others, folder)] as const
const outputs = await Promise.all([outputOf(runs[0], true), outputOf(runs[1], false)])
rmSync(folder, { recursive: true, force: true })
const sums = (['pass', 'fail'] as const).map(
  (word) => ` ${outputs.reduce((sum, output) => sum + countOf(output, word), 0)} ${word}\n`,
)
// It is written whole before this process ends: a pipe takes a part at a time.
await Bun.write(Bun.stderr, `${outputs[1]}\n${outputs.map(failuresOf).join('')}${sums.join('')}`)
process.exitCode = runs.every(({ exitCode }) => exitCode === 0) ? 0 : 1
