/**
 * Runs all tests but those of the pages, in one process per core: most tests wait for an engine or a server, so one process leaves half
 * of a small machine idle. Ends with the printed lines of each failed test and the sums. Temporary files are removed.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

/** Milliseconds that a test may take: twice what it may take alone. */
const timeoutMs = '40000'
/** Test processes at most: each loads engines, and some tests need a core to themselves for a moment. */
const mostProcesses = 4

/** The line before and after an error outside of tests. */
const rule = '-'.repeat(31)
const isFile = (line: string) => /^\S+\.test\.tsx?:$/.test(line)

/**
 * Returns each failed test and each error outside of tests, after the name of its file, with at most 40 of the lines printed for it. The
 * list of failed tests at the end of a long run is left out: it has neither.
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

/** Returns the last lines such as ` 123 pass`: tests that run tests print others before them. */
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

// Short: paths of sockets are, and some tests put them there.
const folder = mkdtempSync(join(tmpdir(), 'it-'))
// As the system's own: some tests become another user.
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
  { env: { ...process.env, TMPDIR: folder }, stdin: 'ignore', stdout: 'inherit', stderr: 'pipe' },
)
const output = await show(run.stderr)
await run.exited
rmSync(folder, { recursive: true, force: true })
const failures = failuresOf(output)
// Last, since the lines of a failed test may look like sums.
if (failures !== '') await Bun.write(Bun.stderr, `${failures}${sumsOf(output)}`)
process.exitCode = run.exitCode ?? 1
