/**
 * Runs all tests except those of the pages, in one process per core: most tests wait for an engine or a server, so one
 * process leaves half of a small machine idle. Ends with the output of each failed test, and the sums. Removes
 * temporary files.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildTestProgram } from './build/test-program.ts'

/** Time limit of a test in milliseconds, twice what a test may take alone. */
const timeoutMs = '40000'
/** Most test processes. Each loads engines, and some tests need a whole core for a moment. */
const mostProcesses = 4

/** Line before and after an error outside of tests. */
const rule = '-'.repeat(31)
const isFile = (line: string) => /^\S+\.test\.tsx?:$/.test(line)

/**
 * Returns each failed test and each error outside of tests, with the name of its file and at most its last 40 lines of
 * output. Leaves out the list of failed tests at the end of a long run, which has neither.
 */
function failuresOf(output: string): string {
  const failures: string[] = []
  let file = ''
  let printed: string[] = []
  // The last list counts, since tests that run tests print others before it.
  const list = [...output.matchAll(/^\d+ tests? failed:$/gm)].at(-1)
  for (const line of output.slice(0, list?.index).split('\n')) {
    const isEnd = line.startsWith('(fail) ') || (line === rule && printed.includes(rule))
    if (isEnd) failures.push('', file, ...printed.slice(-40), line)
    // This line continues the test's line before it.
    if (line.startsWith('  ^ ')) failures.push(line)
    if (isFile(line)) file = line
    if (isEnd || isFile(line) || /^\((pass|skip|todo)\) /.test(line)) printed = []
    else printed.push(line)
  }
  return failures.map((line) => `${line}\n`).join('')
}

/** Returns the last lines such as ` 123 pass`. Tests that run tests print others before them. */
function sumsOf(output: string): string {
  return ['pass', 'fail']
    .map((word) => `${output.match(new RegExp(`^ *\\d+ ${word}$`, 'gm'))?.at(-1) ?? ` 0 ${word}`}\n`)
    .join('')
}

/** Copies the output of the tests to stderr as it comes and returns all of it. */
async function show(stream: ReadableStream<Uint8Array>): Promise<string> {
  let output = ''
  const decoder = new TextDecoder()
  for await (const bytes of stream) {
    output += decoder.decode(bytes, { stream: true })
    await Bun.write(Bun.stderr, bytes)
  }
  return output
}

// A short path, since some tests put sockets there, whose paths must be short.
const folder = mkdtempSync(join(tmpdir(), 'it-'))
// With the permissions of the system's folder, since some tests become another user.
chmodSync(folder, 0o1777)
const processes = Math.min(availableParallelism(), mostProcesses)
const run = Bun.spawn(
  [process.execPath, 'test', '--timeout', timeoutMs, `--parallel=${processes}`, '--no-isolate'].concat([
    '--path-ignore-patterns',
    'ui/flows/**',
    './src',
    './scripts',
    './ui',
  ]),
  {
    env: { ...process.env, TMPDIR: folder, TESTED_PROGRAM: await buildTestProgram() },
    stdin: 'ignore',
    stdout: 'inherit',
    stderr: 'pipe',
  },
)
const output = await show(run.stderr)
await run.exited
rmSync(folder, { recursive: true, force: true })
const failures = failuresOf(output)
// Written last, since the output of a failed test may look like sums.
if (failures !== '') await Bun.write(Bun.stderr, `${failures}${sumsOf(output)}`)
process.exitCode = run.exitCode ?? 1
