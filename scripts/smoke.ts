/**
 * Proves that the executable works on a bare machine: `bun run smoke [EXECUTABLE]`. If permitted, everything runs in a
 * network with only loopback.
 */
import { join, resolve } from 'node:path'
import packageJson from '../package.json'
import { toPdf } from '../src/testing/pdfs.ts'
import { residentMib } from './shared/process-usage.ts'
import { withoutNetwork } from './shared/without-network.ts'
import { BareMachine } from './smoke/bare-machine.ts'
import {
  ask,
  askStreaming,
  type Client,
  chatStatus,
  countDocument,
  embed,
  hear,
  modelStatuses,
  rerank,
  see,
  speak,
} from './smoke/client.ts'
import type { RunningServer } from './smoke/running-server.ts'

const executable = resolve(process.argv[2] ?? join(import.meta.dir, '..', 'inferd'))
const alreadyOffline = process.argv[3] === '--offline'

async function smoke(machine: BareMachine): Promise<void> {
  const version = (await machine.run('--version')).trim()
  expect(version.includes(packageJson.version), `--version prints ${packageJson.version}, not ${version}`)

  const server = machine.startServer()
  try {
    const { url, key, afterMs } = await server.listening()
    report('listening, first start', `${afterMs.toFixed(0)} ms`)
    expect(key !== undefined, 'the first start prints an API key')
    const client: Client = { url, key: key ?? '' }

    await checkModels(client)
    const startedMs = performance.now()
    const answer = await ask(client)
    report('first answer', `${(performance.now() - startedMs).toFixed(0)} ms: ${JSON.stringify(answer)}`)
    const streamed = await askStreaming(client)
    expect(streamed === answer, `the same question streamed gives the same text, not ${JSON.stringify(streamed)}`)
    report('an answer about a picture', JSON.stringify(await see(client, await readWebp())))
    const pages = toPdf([{ lines: ['one'] }, { lines: ['two'] }])
    report('tokens of two pages', String(await countDocument(client, pages)))
    await checkKeys(machine, client)
    await checkEngineCrash(server, client)
    expectEqual(await embed(client), 256, 'dimensions of a vector')
    expectEqual(await rerank(client), 1, 'document that comes first')
    const spoken = await speak(client, 'The meeting begins at nine.')
    report('a sentence, spoken and heard', JSON.stringify((await hear(client, spoken)).text))
    expectEqual((await hear(client, spoken, { diarize: 'true' })).speakers?.join(), 'SPEAKER_00', 'speakers of it')
    report('memory of the server after that', `${residentMib(server.pid).toFixed(0)} MiB`)
    expectEqual(await server.stop(), 0, 'exit code after SIGTERM')
    await checkSecondStart(machine, client.key)
  } catch (error) {
    console.error(await server.killAndReadLog())
    throw error
  }
}

/** Reads WebP, which a thread of the server decodes; the engine decodes the other formats. */
async function readWebp(): Promise<Uint8Array> {
  return await Bun.file(join(import.meta.dir, '..', 'src', 'testing', 'picture-fixtures', 'lossless.webp')).bytes()
}

async function checkModels(client: Client): Promise<void> {
  const statuses = await modelStatuses(client)
  for (const name of ['chat', 'embed', 'rerank', 'tts', 'stt']) {
    expectEqual(statuses.get(`inferd/starter-${name}`), 'ready', `status of the starter model for ${name}`)
  }
}

/** Manages keys by a second process while the server runs. */
async function checkKeys(machine: BareMachine, client: Client): Promise<void> {
  const { key, id } = await machine.runJson('keys', 'create', '--name', 'smoke')
  const second = { ...client, key: String(key) }
  expectEqual(await chatStatus(second), 200, 'status with a new key')

  const listed = JSON.stringify(await machine.runJson('keys', 'list'))
  expect(listed.includes('"smoke"') && !listed.includes(second.key), 'keys list shows names and no secrets')

  await machine.run('keys', 'revoke', String(id), '--data', machine.dataDir)
  expectEqual(await chatStatus(second), 401, 'status with a revoked key')
}

async function checkEngineCrash(server: RunningServer, client: Client): Promise<void> {
  const [pid] = server.enginePids()
  expect(pid !== undefined, 'an engine runs')
  if (pid === undefined) return
  process.kill(pid, 'SIGKILL')
  // A request to the dying engine fails with an error, and the next one is served.
  const status = await chatStatus(client)
  expect(status === 502 || status === 200, `a chat during the crash gets 502 or 200, not ${status}`)
  await ask(client)
  const [restarted] = server.enginePids()
  expect(restarted !== undefined && restarted !== pid, 'a killed engine is replaced')
}

async function checkSecondStart(machine: BareMachine, key: string): Promise<void> {
  const server = machine.startServer()
  const { url, key: anotherKey, afterMs } = await server.listening()
  report('listening, second start', `${afterMs.toFixed(0)} ms`)
  expectEqual(anotherKey, undefined, 'key printed by a second start')
  report('memory of the idle server', `${residentMib(server.pid).toFixed(0)} MiB`)
  expectEqual(await chatStatus({ url, key }), 200, 'status with the key of the first start')
  expectEqual(await server.stop(), 0, 'exit code after SIGTERM')
}

function report(what: string, value: string): void {
  console.log(`${what.padEnd(32)} ${value}`)
}

function expect(holds: boolean, claim: string): void {
  if (!holds) throw new Error(`does not hold: ${claim}`)
}

function expectEqual(actual: unknown, wanted: unknown, what: string): void {
  expect(actual === wanted, `${what} is ${JSON.stringify(wanted)}, not ${JSON.stringify(actual)}`)
}

async function main(): Promise<number> {
  const offline = alreadyOffline ? [] : withoutNetwork()
  if (offline.length > 0) {
    const command = [...offline, process.execPath, import.meta.path, executable, '--offline']
    return Bun.spawn(command, { stdio: ['ignore', 'inherit', 'inherit'] }).exited
  }
  if (!(await Bun.file(executable).exists())) throw new Error(`${executable} is not there: run \`bun run build\` first`)
  report('network', alreadyOffline ? 'loopback only' : 'not cut off (not permitted here)')
  const machine = new BareMachine(executable)
  try {
    await smoke(machine)
  } finally {
    machine.remove()
  }
  return 0
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    console.error(`smoke: ${error instanceof Error ? error.message : error}`)
    process.exit(1)
  },
)
