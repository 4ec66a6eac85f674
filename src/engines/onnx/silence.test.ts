/**
 * ONNX Runtime's own builds store a machine id and send telemetry, unless the process is started with a variable that
 * forbids it.
 */
import { expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { starterTextModel, startTextModels } from '../../testing/starter-text-models.ts'

/** Returns the inodes of all network sockets of all processes. */
function networkSockets(): Set<string> {
  const tables = ['tcp', 'tcp6', 'udp', 'udp6', 'raw', 'raw6'].map((name) => readFileSync(`/proc/net/${name}`, 'utf8'))
  const rows = tables.flatMap((table) => table.split('\n').slice(1))
  return new Set(rows.flatMap((row) => row.trim().split(/\s+/)[9] ?? []))
}

function socketsOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    const target = readlinkSync(`/proc/${pid}/fd/${fd}`)
    return /^socket:\[(\d+)\]$/.exec(target)?.[1] ?? []
  })
}

test('an engine writes nothing and opens no socket', async () => {
  const home = mkdtempSync(join(tmpdir(), 'inferd-home-'))
  // The child does not inherit the environment: with CI set, ONNX Runtime would be silent anyway.
  const environment = {
    HOME: home,
    TMPDIR: home,
    XDG_CACHE_HOME: join(home, 'cache'),
    BUN_RUNTIME_TRANSPILER_CACHE_PATH: '0', // a cache written only in development
  }
  await using models = startTextModels({ threads: 1 }, environment)
  await models.embed(starterTextModel('embedding'), 'moon')
  const pid = models.pool.status()[0]?.pid ?? 0
  const open = networkSockets()
  expect(socketsOf(pid).filter((inode) => open.has(inode))).toEqual([])
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')).toContain('ORT_DISABLE_TELEMETRY=1')
  expect(readFileSync(`/proc/${pid}/environ`, 'utf8')).not.toMatch(/(^|\0)CI=/)
  expect(readdirSync(home)).toEqual([])
  rmSync(home, { recursive: true })
})
