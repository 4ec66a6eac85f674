/** Tests with real processes, under a shell that allows core files of any size. */

import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { engineSpawn } from '../engines/host/spawn-engine.ts'
import { testedProgram } from '../testing/tested-program.ts'

const folder = mkdtempSync(join(tmpdir(), 'inferd-cores-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const shell = ['/bin/sh', '-c', `cd '${folder}' && ulimit -c unlimited && exec "$@"`, 'sh']
const program = [...shell, ...testedProgram]

function dumpsOf(pid: number): { readonly limits: string | undefined; readonly filter: string } {
  const limits = readFileSync(`/proc/${pid}/limits`, 'utf8').match(/^Max core file size +(\S+ +\S+)/m)?.[1]
  return { limits: limits?.replaceAll(/ +/g, ' '), filter: readFileSync(`/proc/${pid}/coredump_filter`, 'utf8').trim() }
}

const noDumps = { limits: '0 0', filter: '00000000' }

test.each(['SIGSEGV', 'SIGABRT'] as const)('an engine that ends by %s leaves no core file', async (signal) => {
  const exited = Promise.withResolvers<string>()
  const failed = Promise.withResolvers<void>()
  const engine = engineSpawn({ command: program, environment: {} })('fake', {
    onMessage: () => failed.resolve(),
    onExit: exited.resolve,
    onLogLine: () => undefined,
  })
  // An answer shows that it has started.
  engine.send({ type: 'stats', id: 1 })
  await failed.promise
  expect(dumpsOf(engine.pid)).toEqual(noDumps)
  process.kill(engine.pid, signal)
  await exited.promise
  expect(readdirSync(folder)).toEqual([])
})

test('a server may not leave one either', async () => {
  const data = join(folder, 'data')
  const server = Bun.spawn([...program, 'serve', '--port', '0', '--json', '--data', data], {
    env: { PATH: process.env.PATH },
    stdout: 'pipe',
    stderr: 'ignore',
  })
  try {
    for await (const text of server.stdout.pipeThrough(new TextDecoderStream())) {
      if (text.includes('"listening"')) break
    }
    expect(dumpsOf(server.pid)).toEqual(noDumps)
  } finally {
    server.kill()
    await server.exited
  }
})

test('a program that is started inherits it', async () => {
  const script = `import { forbidCoreDumps } from ${JSON.stringify(join(import.meta.dir, 'process-limits.ts'))}
    forbidCoreDumps()
    const child = Bun.spawn(['/bin/sh', '-c', 'ulimit -Sc; ulimit -Hc; cat /proc/self/coredump_filter'])
    process.stdout.write(await child.stdout.text())`
  const child = Bun.spawn([...shell, process.execPath, '-e', script], { stdout: 'pipe' })
  expect(await child.stdout.text()).toBe('0\n0\n00000000\n')
})
