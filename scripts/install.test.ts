/**
 * Tests `install.sh --cuda` with stand-ins for Bun, the CUDA toolkit and NVIDIA's driver that print their arguments.
 */
import { afterEach, beforeEach, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const root = join(import.meta.dir, '..')
const version = /"bun@([\d.]+)"/.exec(readFileSync(join(root, 'package.json'), 'utf8'))?.[1]

let checkout = ''
beforeEach(() => {
  checkout = mkdtempSync(join(tmpdir(), 'inferd-install-'))
  for (const folder of ['bin', 'build/toolchain', 'node_modules', 'src'])
    mkdirSync(join(checkout, folder), { recursive: true })
  for (const name of ['install.sh', 'package.json', 'bun.lock']) copyFileSync(join(root, name), join(checkout, name))
  writeFileSync(join(checkout, 'node_modules/.installed'), '')
  writeFileSync(join(checkout, 'library.so'), '')
  program('g++')
  program('git')
  program('ffmpeg')
  program('npm', 'exit 1')
  program(
    'bun',
    `case "$*" in --version) echo ${version}; exit ;; esac`,
    `echo "$*" >> "${join(checkout, 'calls')}"`,
    'case "$1" in',
    `scripts/build-cuda.ts) [ ! -e "${join(checkout, 'fails')}" ] || exit 1; cat "${join(checkout, 'chosen')}" ;;`,
    // The last word names the executable. Its default is inferd.
    `scripts/build.ts) for word; do last=$word; done; [ "$last" != scripts/build.ts ] || last=inferd; echo > "$last"; chmod +x "$last" ;;`,
    'esac',
  )
  choose('library.so')
})
afterEach(() => rmSync(checkout, { recursive: true }))

function program(name: string, ...lines: readonly string[]): void {
  writeFileSync(join(checkout, 'bin', name), `#!/bin/sh\n${lines.join('\n')}\n`, { mode: 0o755 })
}

/** Makes this library the result of the CUDA build. */
function choose(name: string): void {
  writeFileSync(join(checkout, name), '')
  // Makes the file as old as those from before the first build.
  utimesSync(join(checkout, name), 0, 0)
  writeFileSync(join(checkout, 'chosen'), `${join(checkout, name)}\n`)
}

function install(...words: readonly string[]) {
  rmSync(join(checkout, 'calls'), { force: true })
  const { exitCode, stderr } = Bun.spawnSync(['sh', join(checkout, 'install.sh'), ...words], {
    env: { PATH: `${join(checkout, 'bin')}:/usr/bin:/bin`, HOME: checkout },
    stdin: 'ignore',
    stderr: 'pipe',
  })
  const calls = existsSync(join(checkout, 'calls'))
    ? readFileSync(join(checkout, 'calls'), 'utf8').trim().split('\n')
    : []
  return { exitCode, said: stderr.toString(), calls }
}

const cards = 'scripts/build-cuda.ts --archs cards'
const built = (library = 'library.so', executable = 'inferd-cuda') =>
  `scripts/build.ts --cuda --cuda-library ${join(checkout, library)} --output ${executable}`
const minutes = 'compiling for the cards of this machine: 3 to 10 minutes'

test('--cuda builds with code for the cards of this machine, and says how long that takes', () => {
  program('nvcc')
  program('nvidia-smi')
  const { exitCode, said, calls } = install('--cuda')
  expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [cards, built()] })
  expect(said).toContain(minutes)
  expect(said).toContain(`built ${checkout}/inferd-cuda`)
})

test.each(['nvcc', 'nvidia-smi'])('--cuda with %s alone promises no compilation, and takes what is given', (name) => {
  // A toolkit in the usual place counts too.
  if (name === 'nvidia-smi' && existsSync('/usr/local/cuda/bin/nvcc')) return
  program(name)
  const { exitCode, said, calls } = install('--cuda')
  expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: [cards, built()] })
  expect(said).not.toContain(minutes)
})

test('--cuda again builds nothing, until another library is right for this machine or the sources change', () => {
  install('--cuda')
  expect(install('--cuda').calls).toEqual([cards])
  choose('library-for-90.so')
  expect(install('--cuda').calls).toEqual([cards, built('library-for-90.so')])
  writeFileSync(join(checkout, 'src/new.ts'), '')
  utimesSync(join(checkout, 'src/new.ts'), 4e9, 4e9)
  expect(install('--cuda').calls).toEqual([cards, built('library-for-90.so')])
})

test('without --cuda nothing of CUDA is looked at', () => {
  program('nvcc')
  program('nvidia-smi')
  expect(install().calls).toEqual(['scripts/build.ts'])
  expect(install().calls).toEqual([])
})

test('--cuda-release builds for all cards into an executable of its own', () => {
  const { said, calls } = install('--cuda-release')
  expect(calls).toEqual(['scripts/build-cuda.ts', built('library.so', 'inferd-cuda-release')])
  expect(said).toContain('compiling for every card: half an hour on 16 cores')
})

test('a build for all cards that was interrupted goes on by the same command, and makes no executable before', () => {
  writeFileSync(join(checkout, 'fails'), '')
  const stopped = install('--cuda-release')
  expect({ exitCode: stopped.exitCode, calls: stopped.calls }).toEqual({
    exitCode: 1,
    calls: ['scripts/build-cuda.ts'],
  })
  expect(stopped.said).toContain('then run ./install.sh again: it goes on where it stopped')
  rmSync(join(checkout, 'fails'))
  const { exitCode, calls } = install('--cuda-release')
  const both = ['scripts/build-cuda.ts', built('library.so', 'inferd-cuda-release')]
  expect({ exitCode, calls }).toEqual({ exitCode: 0, calls: both })
})

test('code that cannot be built ends it with the next step, and the executable of before stays', () => {
  install('--cuda')
  writeFileSync(join(checkout, 'fails'), '')
  const { exitCode, said, calls } = install('--cuda')
  expect({ exitCode, calls }).toEqual({ exitCode: 1, calls: [cards] })
  expect(said).toContain('install.sh: the CUDA backend could not be built (see above)\nNext step: fix what it names')
  expect(existsSync(join(checkout, 'inferd-cuda'))).toBe(true)
})

test('--test builds the executable beside the tests, and ends where one of them fails', () => {
  program('chromium')
  program('chromium-headless-shell')
  const calls = install('--test').calls
  expect(calls.filter((call) => call === 'scripts/build.ts')).toHaveLength(1)
  expect(calls.indexOf('scripts/build.ts')).toBeLessThan(calls.indexOf('run flows'))
  expect(calls.at(-1)).toBe('run smoke')

  rmSync(join(checkout, 'inferd'))
  program('bun', `case "$*" in --version) echo ${version} ;; scripts/build.ts) echo no room; exit 1 ;; esac`)
  const { exitCode, said } = install('--test')
  expect(exitCode).toBe(1)
  expect(said).toContain('no room')
  expect(said).not.toContain('== flows')
})
