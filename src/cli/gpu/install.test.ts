import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { elfLibrary } from '../../testing/elf-library.ts'
import { type FakeHub, startFakeHub } from '../../testing/fake-hub/fake-hub.ts'
import { type NvidiaIndex, nvidiaWheel, startNvidiaIndex } from '../../testing/nvidia-index.ts'
import { runCommand } from '../../testing/run-cli.ts'
import { startServedProcess } from '../../testing/served-process.ts'
import { testedProgram } from '../../testing/tested-program.ts'
import { zipFile } from '../../testing/zip-file.ts'
import { hasCuda } from './nvidia-libraries.ts'

setDefaultTimeout(60_000)

let hub: FakeHub
let index: NvidiaIndex
let folder = ''
let data = ''
beforeEach(async () => {
  hub = await startFakeHub()
  index = startNvidiaIndex(hub)
  folder = mkdtempSync(join(tmpdir(), 'inferd-gpu-'))
  data = join(folder, 'data')
  writeFileSync(join(folder, 'pins.txt'), index.requirements)
})
afterEach(async () => {
  await index[Symbol.asyncDispose]()
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

const run = (words: readonly string[], environment: Record<string, string> = {}, answers: readonly string[] = []) =>
  runCommand(
    ['gpu', ...words],
    { INFERD_DATA: data, INFERD_GPU_INDEX: index.address, HF_HOME: folder, ...environment },
    answers,
  )
const install = (...words: string[]) => run(['install', '--requirements', join(folder, 'pins.txt'), ...words])
const libraries = () => (existsSync(join(data, 'nvidia/lib')) ? readdirSync(join(data, 'nvidia/lib')).sort() : [])
const useHint = hasCuda() ? 'Models that are loaded from now on can use them.' : 'inferd-cuda can use them.'
const all = ['libcublas.so.13', 'libcublasLt.so.13', 'libcudart.so.13', 'libcurand.so.10']

test.each([true, false])('the libraries come from an index, in JSON: %p', async (isJson) => {
  index.isJson = isJson
  const { code, out, error } = await install('--yes')
  expect(code).toBe(0)
  expect(out).toStartWith(`libcudart.so.13, libcublas.so.13, libcublasLt.so.13, libcurand.so.10 are here. ${useHint}`)
  expect(error).toContain('licence LicenseRef-NVIDIA-CUDA: https://docs.nvidia.com/cuda/eula/')
  expect(libraries()).toEqual(all)
  expect(readdirSync(join(data, 'nvidia/loader')).sort()).toEqual(all)
  expect(readFileSync(join(data, 'nvidia/licenses/nvidia_cublas.txt'), 'utf8')).toBe('Licence of nvidia-cublas')
  expect(readdirSync(join(data, 'nvidia')).sort()).toEqual(['lib', 'licenses', 'loader', 'wheels.json'])
  expect(existsSync(join(folder, 'outside.txt'))).toBe(false)
})

test('nobody is surprised: without --yes it asks, and where nobody answers nothing is fetched', async () => {
  const unasked = await install()
  expect(unasked.code).toBe(1)
  expect(unasked.error).toContain("nobody can be asked here: 'inferd gpu install --yes --data ")
  const words = ['install', '--requirements', join(folder, 'pins.txt')]
  expect((await run(words, {}, ['n'])).error).toContain('nothing was fetched')
  expect(hub.requests).toHaveLength(0)
  expect((await run(words, {}, ['y'])).code).toBe(0)
})

test('size and licence are said before anything is fetched', async () => {
  const { error } = await run(['install'])
  expect(error).toContain("NVIDIA's libraries from 127.0.0.1:")
  expect(error).toContain('about 485 MB to download, 730 MB on the disk')
  expect(hub.requests).toHaveLength(0)
})

test('connections that are lost are taken up where they ended', async () => {
  let cuts = 3
  hub.fault = ({ at, method }) =>
    at === 'store' && method === 'GET' && cuts-- > 0 ? { kind: 'cut', afterBytes: 20_000 } : undefined
  expect((await install('--yes')).code).toBe(0)
  expect(libraries()).toEqual(all)
})

test('wrong bytes are no library, and what was there stays', async () => {
  const wheel = join(folder, 'nvidia_cuda_runtime-0.9-py3-none-any.whl')
  writeFileSync(wheel, nvidiaWheel('nvidia-cuda-runtime', ['nvidia/cu13/lib/libcudart.so.13']))
  expect((await run(['import', wheel])).code).toBe(0)
  const before = readFileSync(join(data, 'nvidia/lib/libcudart.so.13'))
  hub.fault = ({ at, method }) => (at === 'store' && method === 'GET' ? { kind: 'other-bytes' } : undefined)
  const { code, error } = await install('--yes')
  expect(code).toBe(1)
  expect(error).toContain('nvidia_cuda_runtime-1.0-py3-none-manylinux_2_27_x86_64.whl')
  expect(readFileSync(join(data, 'nvidia/lib/libcudart.so.13')).equals(before)).toBe(true)
  expect(libraries()).toEqual(['libcudart.so.13'])
})

test('what is in place is not fetched again: after an interruption, and when all is there', async () => {
  const isCurand = ({ url }: { url: URL }) => url.pathname.includes('curand')
  hub.fault = (request) => (request.at === 'hub' && isCurand(request) ? { kind: 'status', status: 404 } : undefined)
  expect((await install('--yes')).code).toBe(1)
  expect(libraries()).toEqual(['libcublas.so.13', 'libcublasLt.so.13', 'libcudart.so.13'])
  hub.fault = () => undefined
  let before = hub.requests.length
  expect((await install('--yes')).code).toBe(0)
  const rest = hub.requests.slice(before).filter(({ at }) => at === 'hub')
  expect(rest.length).toBeGreaterThan(0)
  expect(rest.every(isCurand)).toBe(true)
  before = hub.requests.length
  const again = await install('--json')
  expect(JSON.parse(again.out).libraries.toSorted()).toEqual(all)
  expect(hub.requests).toHaveLength(before)
  rmSync(join(data, 'nvidia/lib/libcurand.so.10'))
  expect((await install('--yes')).code).toBe(0)
  expect(libraries()).toEqual(all)
})

test('installs that run at once fetch each wheel once, and what a killed one left goes', async () => {
  mkdirSync(join(data, 'nvidia/lib'), { recursive: true, mode: 0o700 })
  writeFileSync(join(data, 'nvidia/lib/.libcublas.so.13.4194999.tmp'), 'cut')
  const environment = { PATH: '/usr/bin:/bin', INFERD_DATA: data, INFERD_GPU_INDEX: index.address, HF_HOME: folder }
  const words = ['gpu', 'install', '--yes', '--requirements', join(folder, 'pins.txt')]
  const both = [1, 2].map(() =>
    Bun.spawn([...testedProgram, ...words], {
      env: environment,
      stdout: 'ignore',
      stderr: 'inherit',
    }),
  )
  expect(await Promise.all(both.map(({ exited }) => exited))).toEqual([0, 0])
  const fetched = hub.requests
    .filter(({ at, method }) => at === 'hub' && method !== 'HEAD')
    .map(({ url }) => url.pathname)
  expect(fetched.toSorted()).toEqual([...new Set(fetched)].sort())
  expect(readdirSync(join(data, 'nvidia/lib')).sort()).toEqual(all)
  expect(existsSync(`${join(data, 'nvidia')}.pull`)).toBe(false)
})

test('an index that is no address, and requirements that are a folder, are refused in words', async () => {
  for (const address of ['pypi.org/simple', 'ftp://mirror/simple', 'https://mirror/simple?token=x'])
    expect((await run(['install', '--yes', '--index', address])).error).toContain('--index must be an address')
  expect((await run(['install', '--yes', '--requirements', folder])).error).toContain(`${folder} is no file`)
})

test('a password in the address of the index is never shown', async () => {
  for (const [before, after] of [
    ['http://me:hunter2@127.0.0.1:1/simple', ''],
    [index.address.replace('http://', 'http://me:hunter2@'), '--json'],
  ]) {
    const { out, error } = await install('--yes', '--index', before ?? '', ...(after ? [after] : []))
    expect(out + error).not.toContain('hunter2')
  }
  for (const address of ['http://me:hunter2@mirror/simple', 'https://mirror/simple?token=hunter2']) {
    const { code, out, error } = await run(['install', '--yes'], { INFERD_GPU_INDEX: address })
    expect(code).not.toBe(0)
    expect(error).toContain('INFERD_GPU_INDEX must be an address')
    expect(out + error).not.toContain('hunter2')
  }
})

test('a running server probes again when the libraries change', async () => {
  await using server = await startServedProcess()
  const cuda = join(folder, 'cuda')
  mkdirSync(cuda)
  for (const soname of ['libcudart.so.13', 'libcublas.so.13', 'libcublasLt.so.13'])
    writeFileSync(join(cuda, soname), elfLibrary({ soname }))
  const { out } = await run(['import', cuda, '--data', server.dataDir])
  expect(out).toContain('The running server has probed its backends again')
  const removed = await run(['remove', '--data', server.dataDir])
  expect(removed.out).toContain('The running server has probed its backends again')
})

test('an index that says another sum is not believed', async () => {
  index.saidSums.set('nvidia-cublas', 'f'.repeat(64))
  const { code, error } = await install('--yes')
  expect(code).toBe(1)
  expect(error).toMatch(/127\.0\.0\.1:\d+ says another sum of nvidia_cublas-1\.0\S+ \(f{64}\) than is pinned/)
  expect(hub.requests).toHaveLength(0)
})

test('an index without these versions says which it lacks', async () => {
  const { code, error } = await run(['install', '--yes'])
  expect(code).toBe(1)
  expect(error).toContain('has no wheel of nvidia-cuda-runtime 13.0.96 for this machine; try PyPI, or another mirror')
})

test('without a network it says how else', async () => {
  const { code, error } = await run(['install', '--yes', '--index', 'http://127.0.0.1:1/simple'])
  expect(code).toBe(3)
  expect(error).toContain('127.0.0.1:1 cannot be reached')
  expect(error).toContain("without a network: 'inferd gpu import FOLDER --data ")
})

test('a proxy is used and named', async () => {
  const environment = { HTTPS_PROXY: 'http://127.0.0.1:1', https_proxy: 'http://127.0.0.1:1' }
  Object.assign(process.env, environment)
  try {
    const { error } = await run(['install', '--yes', '--index', 'https://pypi.invalid/simple'], environment)
    expect(error).toContain('through the proxy 127.0.0.1:1')
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name]
  }
})

test.each([
  ['nvidia-cublas==1.0', 'line 1'],
  [`requests==2.0 --hash=sha256:${'0'.repeat(64)}`, 'line 1'],
  [`# mine\nnvidia-cublas>=1.0 --hash=sha256:${'0'.repeat(64)}`, 'line 2'],
])('requirements of another form are refused: %s', async (text, place) => {
  writeFileSync(join(folder, 'pins.txt'), text)
  const { code, error } = await install('--yes')
  expect(code).toBe(1)
  expect(error).toContain(`${place} what is no wheel of NVIDIA with its sum`)
})

test('libraries of a folder and of wheels are imported, and removed', async () => {
  const cuda = join(folder, 'cuda')
  mkdirSync(join(cuda, 'lib64'), { recursive: true })
  for (const soname of ['libcudart.so.13', 'libcublas.so.13', 'libother.so.1'])
    writeFileSync(join(cuda, 'lib64', soname), elfLibrary({ soname }))
  const first = await run(['import', cuda])
  expect(first.code).toBe(0)
  expect(first.out).toContain('Still missing: libcublasLt.so.13.')
  const wheel = join(folder, 'nvidia_cublas-1.0-py3-none-any.whl')
  writeFileSync(wheel, nvidiaWheel('nvidia-cublas', ['nvidia/cu13/lib/libcublasLt.so.13']))
  expect((await run(['import', wheel])).out).toContain(useHint)
  expect(libraries()).toEqual(['libcublas.so.13', 'libcublasLt.so.13', 'libcudart.so.13'])
  const du = await runCommand(['du'], { INFERD_DATA: data })
  expect(du.out).toContain("(NVIDIA's libraries)")
  expect((await run(['remove'])).out).toMatch(/^3 libraries removed, .* freed\./)
  expect(libraries()).toEqual([])
  expect((await run(['remove'])).out).toBe("The data folder holds none of NVIDIA's libraries.\n")
})

test('flags after a subcommand are its own: --data names its folder, --json its form', async () => {
  const cuda = join(folder, 'cuda')
  mkdirSync(cuda)
  writeFileSync(join(cuda, 'libcudart.so.13'), elfLibrary({ soname: 'libcudart.so.13' }))
  expect((await run(['import', cuda])).code).toBe(0)
  const elsewhere = join(folder, 'elsewhere')
  const imported = await run(['import', '--data', elsewhere, '--json', cuda])
  expect(JSON.parse(imported.out).libraries).toEqual(['libcudart.so.13'])
  expect(existsSync(join(elsewhere, 'nvidia/lib/libcudart.so.13'))).toBe(true)
  const removed = await run(['remove', '--json', '--data', elsewhere])
  expect(JSON.parse(removed.out).libraries).toEqual(['libcudart.so.13'])
  expect(existsSync(join(elsewhere, 'nvidia/lib'))).toBe(false)
  expect(libraries()).toEqual(['libcudart.so.13'])
  expect(JSON.parse((await run(['probe', '--json'])).out).backends).toBeArray()
})

test('a folder of wheels is imported whole, also with wheels of other things and machines in it', async () => {
  const wheels = join(folder, 'wheels')
  mkdirSync(wheels)
  for (const [name, wheel] of index.wheels) writeFileSync(join(wheels, `${name.replaceAll('-', '_')}-1.0.whl`), wheel)
  writeFileSync(
    join(wheels, 'nvidia_nccl_cu13-2.0-py3-none-any.whl'),
    nvidiaWheel('nvidia-nccl', ['nvidia/lib/libnccl.so.2']),
  )
  const other = process.arch === 'x64' ? 'aarch64' : 'x86_64'
  const cublas = elfLibrary({ soname: 'libcublas.so.13', machine: process.arch === 'x64' ? 183 : 62 })
  const foreign = join(wheels, `nvidia_cublas-1.1-py3-none-manylinux_2_27_${other}.whl`)
  writeFileSync(foreign, zipFile([{ name: 'nvidia/cu13/lib/libcublas.so.13', content: cublas }]))
  writeFileSync(join(wheels, 'nvidia_cublas-1.1-py3-none-win_amd64.whl'), 'windows')
  expect((await run(['import', wheels])).code).toBe(0)
  expect(libraries()).toEqual(all)
  expect((await run(['import', foreign])).error).toContain('is a wheel for another machine')
})

test.each<readonly [string, string, () => Uint8Array, string]>([
  [
    'cut short',
    'nvidia_x-1.whl',
    () => nvidiaWheel('x', ['nvidia/cu13/lib/libcudart.so.13']).subarray(0, 9000),
    'is not a zip file, or not whole',
  ],
  [
    'of CUDA 12',
    'nvidia_x-1.whl',
    () => nvidiaWheel('x', ['nvidia/cuda_runtime/lib/libfoo.so.12']),
    "holds none of NVIDIA's libraries",
  ],
  ['no zip', 'nvidia_x-1.whl', () => Buffer.from('<html>'), 'is not a zip file, or not whole'],
])('a wheel that is %s is refused', async (_, name, content, words) => {
  writeFileSync(join(folder, name), content())
  const { code, error } = await run(['import', join(folder, name)])
  expect(code).toBe(1)
  expect(error).toContain(words)
  expect(libraries()).toEqual([])
})

test('a place that is not there, or holds nothing of use, is named', async () => {
  expect((await run(['import', join(folder, 'none')])).error).toContain(`there is no ${join(folder, 'none')}`)
  expect((await run(['import', folder])).error).toContain("holds neither NVIDIA's wheels nor its libraries")
})
