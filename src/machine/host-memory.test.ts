import { expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ControlGroup, controlGroupFolders, ownControlGroups } from './control-groups.ts'
import { hostMemory, readHostMemory } from './host-memory.ts'

const gibibyte = 2 ** 30

/** `/proc/meminfo` of a machine with 64 GiB, of which 40 are available. */
const meminfo = `MemTotal:       67108864 kB
MemFree:         1048576 kB
MemAvailable:   41943040 kB
Buffers:          524288 kB
SwapTotal:       8388608 kB
SwapFree:        8388608 kB
`

function group(files: Record<string, string>): ControlGroup {
  return (file) => files[file]
}

const unlimited = group({ 'memory.max': 'max\n', 'memory.high': 'max\n', 'memory.current': `${gibibyte}\n` })

test('without control groups, what the kernel has available is free; swap is not', () => {
  expect(hostMemory(meminfo, [])).toEqual({ totalBytes: 64 * gibibyte, freeBytes: 40 * gibibyte })
})

test('a group without a limit, and the root that has no such files, change nothing', () => {
  expect(hostMemory(meminfo, [group({}), unlimited])).toEqual({ totalBytes: 64 * gibibyte, freeBytes: 40 * gibibyte })
})

test('page cache of a group is free memory, active or not', () => {
  const limited = group({
    'memory.max': `${16 * gibibyte}\n`,
    'memory.high': 'max\n',
    'memory.current': `${10 * gibibyte}\n`,
    'memory.stat': `anon ${gibibyte}\nfile ${9 * gibibyte}\ninactive_anon 0\nactive_anon ${gibibyte}\ninactive_file ${3 * gibibyte}\nactive_file ${4 * gibibyte}\n`,
  })
  expect(hostMemory(meminfo, [limited])).toEqual({ totalBytes: 16 * gibibyte, freeBytes: 13 * gibibyte })
})

test('of nested groups each limits: one may be the smallest, another the fullest', () => {
  const inner = group({ 'memory.max': `${8 * gibibyte}`, 'memory.current': `${gibibyte}` })
  const outer = group({ 'memory.max': `${20 * gibibyte}`, 'memory.current': `${18 * gibibyte}` })
  expect(hostMemory(meminfo, [outer, unlimited, inner])).toEqual({ totalBytes: 8 * gibibyte, freeBytes: 2 * gibibyte })
})

test('a group is slowed down above memory.high, so that counts as its limit', () => {
  const high = { 'memory.max': `${32 * gibibyte}`, 'memory.high': `${4 * gibibyte}`, 'memory.current': `${gibibyte}` }
  expect(hostMemory(meminfo, [group(high)])).toEqual({ totalBytes: 4 * gibibyte, freeBytes: 3 * gibibyte })
})

test('a group above its limit leaves nothing, not less', () => {
  const full = group({ 'memory.max': `${gibibyte}`, 'memory.current': `${gibibyte + 4096}` })
  expect(hostMemory(meminfo, [full])?.freeBytes).toBe(0)
})

test('a kernel that does not tell what is available leaves it unknown', () => {
  expect(hostMemory('MemTotal: 1024 kB\nMemFree: 512 kB\n', [])).toBeUndefined()
})

test.each([
  ['systemd', '0::/system.slice/inferd.service\n', ['/g', '/g/system.slice/inferd.service', '/g/system.slice']],
  ['a container with groups of its own', '0::/\n', ['/g']],
  ['version 1 beside version 2', '4:memory:/docker/1\n1:cpu:/docker/1\n0::/docker\n', ['/g', '/g/docker']],
  ['version 1 alone', '4:memory:/docker/1\n', []],
  ['a path above what is mounted', '0::/../../init.scope\n', ['/g', '/g/init.scope']],
])('groups of %s', (_, selfCgroup, folders) => {
  expect(controlGroupFolders(selfCgroup, '/g').sort()).toEqual([...folders].sort())
})

test('reads the files of groups where they are', () => {
  const root = mkdtempSync('/tmp/inferd-groups-')
  mkdirSync(join(root, 'inner'))
  writeFileSync(join(root, 'inner', 'memory.max'), `${gibibyte}\n`)
  writeFileSync(join(root, 'inner', 'memory.current'), `${gibibyte / 2}\n`)
  const groups = ownControlGroups('0::/inner\n', root)
  expect(hostMemory(meminfo, groups)).toEqual({ totalBytes: gibibyte, freeBytes: gibibyte / 2 })
  rmSync(root, { recursive: true })
})

test('reads this machine', () => {
  const { totalBytes = 0, freeBytes = 0 } = readHostMemory() ?? {}
  expect(freeBytes).toBeGreaterThan(64 * 2 ** 20)
  expect(totalBytes).toBeGreaterThan(freeBytes)
})
