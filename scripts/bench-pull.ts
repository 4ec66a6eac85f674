/** Compares the speed and cost of a download with curl's. See docs/benchmarks.md. */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFlags, runScript } from './shared/command-line.ts'
import { describeMachine, readMachine } from './shared/machine.ts'
import { markdownTable } from './shared/markdown-table.ts'
import { median } from './shared/statistics.ts'

const usage = 'usage: bun run bench:pull [--megabytes 2000] [--rounds 5] [--folder DIR] [--source DIR]'
/** Least speed as a share of curl's. */
const goal = 0.9

interface Measurement {
  readonly seconds: number
  readonly cpuSeconds: number
  readonly memoryMib: number
}

type Subject = (address: string, target: string) => string[]

const once = join(import.meta.dir, '..', 'src', 'testing', 'download-once.ts')
const quiet = ['curl', '--silent', '--show-error', '--fail', '--output']

const fetchToFirst = `${quiet.join(' ')} "$1" "$2"`

/**
 * Subjects, measured one after the other in each round. The third does what inferd does: it flushes the bytes, and
 * computes their checksum.
 */
const subjects: Readonly<Record<string, Subject>> = {
  curl: (address, target) => [...quiet, target, address],
  'curl, sync': (address, target) => shell(`${fetchToFirst} && sync "$1"`, target, address),
  'curl, sync, sha256sum': (address, target) =>
    shell(`${fetchToFirst} && sync "$1" && sha256sum "$1" > /dev/null`, target, address),
  inferd: (address, target) => [process.execPath, once, address, target],
}

function shell(script: string, ...given: string[]): string[] {
  return ['sh', '-c', script, 'sh', ...given]
}

async function main(): Promise<number> {
  const { megabytes, rounds, folder, source } = readFlags({
    megabytes: 2000,
    rounds: 5,
    folder: tmpdir(),
    source: existsSync('/dev/shm') ? '/dev/shm' : tmpdir(),
  })
  const work = mkdtempSync(join(folder, 'inferd-bench-pull-'))
  const served = mkdtempSync(join(source, 'inferd-bench-pull-'))
  try {
    const path = join(served, 'model.bin')
    const sum = await makeFile(path, megabytes)
    const server = Bun.spawn([process.execPath, join(import.meta.dir, 'bench', 'pull', 'file-server.ts'), path])
    try {
      const address = await firstLine(server.stdout)
      const found = await measureAll(address, work, { rounds, sum })
      return report(await readMachine(), { megabytes, rounds, folder }, found)
    } finally {
      server.kill()
      await server.exited
    }
  } finally {
    rmSync(work, { recursive: true })
    rmSync(served, { recursive: true })
  }
}

async function makeFile(path: string, megabytes: number): Promise<string> {
  const file = await open(path, 'w')
  const hash = createHash('sha256')
  const piece = new Uint8Array(1_000_000)
  for (let index = 0; index < megabytes; index++) {
    for (let start = 0; start < piece.length; start += 50_000)
      crypto.getRandomValues(piece.subarray(start, start + 50_000))
    hash.update(piece)
    await file.write(piece)
  }
  await file.close()
  return hash.digest('hex')
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream.values({ preventCancel: true })) {
    text += decoder.decode(bytes)
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
  }
  throw new Error('the server of the file did not start')
}

async function measureAll(
  address: string,
  folder: string,
  { rounds, sum }: { readonly rounds: number; readonly sum: string },
): Promise<Map<string, Measurement[]>> {
  const found = new Map(Object.keys(subjects).map((name): [string, Measurement[]] => [name, []]))
  const target = join(folder, 'model.bin')
  for (let round = 0; round < rounds; round++) {
    for (const [name, words] of Object.entries(subjects)) {
      // Flushes the bytes of the previous subject before the next one begins.
      Bun.spawnSync(['sync'])
      found.get(name)?.push(await measure(words(address, target)))
      if (statSync(target).size > 0 && (await sumOf(target)) !== sum) throw new Error(`${name} made a wrong file`)
      rmSync(target)
    }
  }
  return found
}

async function measure(words: string[]): Promise<Measurement> {
  const startMs = performance.now()
  const child = Bun.spawn(words, { stdout: 'ignore', stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`${words.join(' ')} failed`)
  const seconds = (performance.now() - startMs) / 1_000
  const used = child.resourceUsage()
  return {
    seconds,
    cpuSeconds: Number(used?.cpuTime.total ?? 0) / 1_000_000,
    memoryMib: (used?.maxRSS ?? 0) / 2 ** 20,
  }
}

async function sumOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path, { highWaterMark: 2 ** 20 })) hash.update(piece)
  return hash.digest('hex')
}

function report(
  machine: Awaited<ReturnType<typeof readMachine>>,
  { megabytes, rounds, folder }: { readonly megabytes: number; readonly rounds: number; readonly folder: string },
  found: ReadonlyMap<string, readonly Measurement[]>,
): number {
  const of = (name: string, field: keyof Measurement) => median((found.get(name) ?? []).map((each) => each[field]))
  const curlSeconds = of('curl', 'seconds')
  const rows = [...found.keys()].map((name) => [
    name,
    of(name, 'seconds').toFixed(2),
    (megabytes / of(name, 'seconds')).toFixed(0),
    (curlSeconds / of(name, 'seconds')).toFixed(2),
    of(name, 'cpuSeconds').toFixed(2),
    of(name, 'memoryMib').toFixed(0),
  ])
  console.log(describeMachine(machine).join('\n'))
  console.log(`- ${megabytes} MB over loopback into ${folder}, median of ${rounds} rounds\n`)
  console.log(markdownTable(['', 'seconds', 'MB/s', 'of curl', 'CPU seconds', 'peak memory, MiB'], rows).join('\n'))
  const share = curlSeconds / of('inferd', 'seconds')
  if (share >= goal) return 0
  console.error(`misses the goal: ${share.toFixed(2)} of curl's speed instead of ${goal}`)
  return 1
}

runScript(usage, main)
