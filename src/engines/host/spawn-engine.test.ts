import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../../testing/until.ts'
import { protocolVersion } from '../protocol/messages.ts'
import { engineSpawn } from './spawn-engine.ts'

const main = join(import.meta.dir, '..', '..', 'main.ts')

test('a child whose parent is killed ends by itself', async () => {
  const script = `
    const { engineSpawn } = await import(${JSON.stringify(join(import.meta.dir, 'spawn-engine.ts'))})
    const spawn = engineSpawn({ command: [process.execPath, ${JSON.stringify(main)}], environment: {} })
    const child = spawn('fake', { onMessage: (message) => console.log(message.type), onExit() {}, onLogLine() {} })
    console.log(child.pid)
    child.send({ type: 'load', version: ${protocolVersion}, kind: 'fake', model: { manifest: {}, filePaths: {} }, settings: {}, runtime: {} })
  `
  const parent = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const pid = await firstLines(parent.stdout, ['ready'])
  parent.kill('SIGKILL')
  await parent.exited
  // The child shares no pipe with the test, so the test waits until its process is gone.
  await until(
    'the child has ended',
    () => isRunning(pid),
    (isThere) => !isThere,
  )
})

test('tells why a child ended', async () => {
  const reason = await new Promise<string>((resolve) => {
    const spawn = engineSpawn({ command: [process.execPath, main], environment: {} })
    const child = spawn('fake', { onMessage: () => undefined, onExit: resolve, onLogLine: () => undefined })
    child.kill('SIGKILL')
  })
  expect(reason).toBe('signal SIGKILL')
})

test('passes on what a child writes to its error output, line by line and without colours', async () => {
  const lines: string[] = []
  await new Promise<string>((resolve) => {
    const spawn = engineSpawn({
      command: ['sh', '-c', 'printf "\\033[1;31mone\\033[m\\n\\033[m\\ntwo" >&2'],
      environment: { PATH: '/bin:/usr/bin' },
    })
    spawn('fake', { onMessage: () => undefined, onExit: resolve, onLogLine: (line) => lines.push(line) })
  })
  expect(lines).toEqual(['one', 'two'])
})

test('the end of a child is known although a process of its own lives on', async () => {
  const lines: string[] = []
  const reason = await new Promise<string>((resolve) => {
    const spawn = engineSpawn({
      command: ['sh', '-c', 'sleep 60 & echo $! >&2; exit 3'],
      environment: { PATH: '/bin:/usr/bin' },
    })
    spawn('fake', { onMessage: () => undefined, onExit: resolve, onLogLine: (line) => lines.push(line) })
  })
  expect(reason).toBe('exit code 3')
  process.kill(Number(lines[0]), 'SIGKILL')
})

/** Reads lines until all of `wanted` were seen; resolves with the number among them. */
async function firstLines(stream: ReadableStream<Uint8Array>, wanted: readonly string[]): Promise<number> {
  let text = ''
  for await (const bytes of stream) {
    text += new TextDecoder().decode(bytes)
    if (wanted.every((line) => text.split('\n').includes(line))) return Number(/^\d+$/m.exec(text)?.[0])
  }
  throw new Error(`the parent ended early: ${text}`)
}

/** Returns whether a process runs. An ended one that was not collected yet has an empty command line. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== ''
  } catch {
    return false
  }
}
