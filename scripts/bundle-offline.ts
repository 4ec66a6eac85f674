/**
 * Proves that a bundle brings everything to a box without a network: `bun run smoke:bundle [--executable FILE] [--model
 * FILE.gguf] [--kills N]`. Makes a bundle of the executable and the model (by default a generated one of 525 MB),
 * copies it as plain files, and installs it with the bundled program in a network of only loopback. Before that it
 * kills the install N times.
 */
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { flipByte } from '../src/testing/bundle-box.ts'
import { withoutNetwork } from './shared/without-network.ts'
import { BareMachine } from './smoke/bare-machine.ts'
import { ask } from './smoke/client.ts'

const { values } = parseArgs({
  options: {
    executable: { type: 'string', default: join(import.meta.dir, '..', 'inferd') },
    model: { type: 'string' },
    kills: { type: 'string', default: '5' },
    /** Set for the part that runs without a network. */
    carried: { type: 'string' },
    key: { type: 'string' },
  },
})
const modelId = 'bench/carried'

async function make(folder: string): Promise<{ carried: string; key: string }> {
  const machine = new BareMachine(resolve(values.executable))
  try {
    const model = values.model ?? (await generateModel(join(folder, 'generated.gguf')))
    const secret = join(folder, 'release.key')
    await machine.run('import', model, '--id', modelId, '--data', machine.dataDir)
    const { publicKey } = await machine.runJson('bundle', 'keygen', secret, '--no-password')
    const stick = join(folder, 'stick')
    mkdirSync(stick, { recursive: true })
    const create = () =>
      machine.runJson('bundle', 'create', modelId, 'inferd/starter-chat', '--to', stick, '--key', secret)
    const created = await timed('create', create)
    const again = await timed('create again, nothing to write', create)
    expect(Number(created.writtenBytes) > 0 && again.writtenBytes === 0, 'a second run writes nothing')
    const carried = join(folder, 'carried')
    carry(join(stick, 'inferd-bundle'), carried)
    await timed('verify', () => machine.run('bundle', 'verify', carried, '--public-key', String(publicKey)))
    await checkFlips(machine, carried, String(publicKey))
    return { carried, key: String(publicKey) }
  } finally {
    machine.remove()
  }
}

async function generateModel(output: string): Promise<string> {
  const command = [process.execPath, join(import.meta.dir, 'make-gguf.ts'), '--preset', 'bench', '--output', output]
  const code = await Bun.spawn(command, { stdio: ['ignore', 'ignore', 'inherit'] }).exited
  expect(code === 0, 'a model is generated')
  return output
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    statSync(join(folder, path)).isFile(),
  )
}

/** Copies as a disk without modes and links would. */
function carry(from: string, to: string): void {
  for (const path of filesBelow(from)) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    copyFileSync(join(from, path), join(to, path))
  }
}

/** Checks that one changed bit in any file is found, and the file named. */
async function checkFlips(machine: BareMachine, carried: string, key: string): Promise<void> {
  for (const path of filesBelow(carried)) {
    const offset = Math.floor(statSync(join(carried, path)).size * 0.7)
    flipByte(join(carried, path), offset, 1 << (offset % 8))
    const verify = machine.run('bundle', 'verify', carried, '--public-key', key)
    const said = await verify.then(
      () => 'nothing',
      (error: Error) => error.message,
    )
    expect(said.includes(path.split('/').at(-1) ?? ''), `a bit that is flipped in ${path} is found, not: ${said}`)
    flipByte(join(carried, path), offset, 1 << (offset % 8))
  }
  report('one bit flipped in each file', `found by name, ${filesBelow(carried).length} files`)
}

async function install(carried: string, key: string): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(carried, 'manifest.json'), 'utf8'))
  const sum: string = manifest.executable.sha256
  const machine = new BareMachine(join(carried, 'blobs', sum.slice(0, 2), `${sum}.000`))
  try {
    const words = ['bundle', 'install', carried, '--trust-key', key, '--data', machine.dataDir]
    const program = join(dirname(machine.dataDir), 'installed')
    await killInstalls(machine, words)
    const startedMs = performance.now()
    await timed('install', () => machine.run(...words, '--executable', program))
    expect(sumOf(program) === sum, 'the program is installed whole')
    const [file] = manifest.models[0].files
    const path = join(machine.dataDir, 'models', modelId, file.name)
    expect(sumOf(path) === file.sha256, 'the model is installed whole')
    const rate = (file.bytes + statSync(program).size) / (performance.now() - startedMs) / 1e3
    report('installed, sums read again', `${rate.toFixed(0)} MB/s in all`)
    await chat(machine)
  } finally {
    machine.remove()
  }
}

/** Kills the install at random moments, and checks that nothing incomplete has the model's name. */
async function killInstalls(machine: BareMachine, words: readonly string[]): Promise<void> {
  for (let kill = 0; kill < Number(values.kills); kill++) {
    const child = machine.start(...words)
    await Promise.race([child.exited, Bun.sleep(100 + Math.random() * 900)])
    child.kill('SIGKILL')
    await child.exited
  }
  report('installs that were killed', values.kills)
}

async function chat(machine: BareMachine): Promise<void> {
  const server = machine.startServer()
  try {
    const { url, key = '' } = await server.listening()
    const startedMs = performance.now()
    const answer = await ask({ url, key })
    report('first chat, starter model', `${(performance.now() - startedMs).toFixed(0)} ms: ${JSON.stringify(answer)}`)
    const carriedMs = performance.now()
    const noise = await ask({ url, key }, modelId)
    report('first chat, carried model', `${(performance.now() - carriedMs).toFixed(0)} ms: ${JSON.stringify(noise)}`)
    expect((await server.stop()) === 0, 'the server stops')
  } catch (error) {
    console.error(await server.killAndReadLog())
    throw error
  }
}

function sumOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}

async function timed<Result>(what: string, run: () => Promise<Result>): Promise<Result> {
  const startedMs = performance.now()
  const result = await run()
  report(what, `${((performance.now() - startedMs) / 1000).toFixed(1)} s`)
  return result
}

function report(what: string, value: string): void {
  console.log(`${what.padEnd(32)} ${value}`)
}

function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`does not hold: ${claim}`)
}

async function main(): Promise<void> {
  const { carried, key, kills } = values
  if (carried !== undefined && key !== undefined) return await install(carried, key)
  const offline = withoutNetwork()
  if (offline.length === 0)
    throw new Error('a network of its own is not permitted here: run it as root, with ip and unshare')
  const folder = mkdtempSync(join(tmpdir(), 'inferd-bundle-'))
  try {
    const made = await make(folder)
    const inside = [import.meta.path, '--carried', made.carried, '--key', made.key, '--kills', kills]
    const child = Bun.spawn([...offline, process.execPath, ...inside], { stdio: ['ignore', 'inherit', 'inherit'] })
    expect((await child.exited) === 0, 'the bundle is installed without a network')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

await main()
