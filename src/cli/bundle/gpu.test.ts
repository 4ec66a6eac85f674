import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatBundleManifest, parseBundleManifest } from '../../store/bundle/manifest.ts'
import { planLibraries } from '../../store/bundle/plan-install.ts'
import { elfLibrary } from '../../testing/elf-library.ts'
import { sha256Of } from '../../testing/fake-hub/fake-hub.ts'
import { runCommand } from '../../testing/run-cli.ts'
import { testedProgram } from '../../testing/tested-program.ts'

setDefaultTimeout(60_000)

const names = ['libcublas.so.13', 'libcublasLt.so.13', 'libcudart.so.13']
let folder = ''
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'inferd-bundle-gpu-'))
  for (const name of ['cuda', 'stick']) mkdirSync(join(folder, name))
  for (const soname of names)
    writeFileSync(join(folder, 'cuda', soname), elfLibrary({ soname, padding: Buffer.from(soname) }))
  expect((await run(['gpu', 'import', join(folder, 'cuda')], 'maker')).code).toBe(0)
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (words: readonly string[], box: string) => runCommand(words, { INFERD_DATA: join(folder, box) })
const stick = () => join(folder, 'stick')
async function makeBundle(): Promise<string> {
  const { out } = await run(['bundle', 'create', '--gpu', '--to', stick(), '--json'], 'maker')
  expect(JSON.parse(out).libraries).toEqual(expect.arrayContaining(names))
  return JSON.parse(out).manifestSha256
}
const installWords = (sum: string) => ['bundle', 'install', stick(), '--unsigned', sum]
const accepted = ['--accept-license', 'LicenseRef-NVIDIA-CUDA']

test('a box without a network gets the libraries from a bundle, once their licence is accepted', async () => {
  const sum = await makeBundle()
  const refused = await run(installWords(sum), 'box')
  expect(refused.code).toBe(1)
  expect(refused.error).toContain('--accept-license LicenseRef-NVIDIA-CUDA')
  expect(existsSync(join(folder, 'box/nvidia'))).toBe(false)
  // `unshare` gives the process a network without any connection, if this machine allows it.
  const words = [...testedProgram, ...installWords(sum), ...accepted]
  const isAllowed = Bun.spawnSync(['unshare', '-rn', 'true']).success
  const installed = Bun.spawnSync([...(isAllowed ? ['unshare', '-rn'] : []), ...words], {
    env: { INFERD_DATA: join(folder, 'box'), PATH: '/usr/bin:/bin' },
  })
  expect(installed.stderr.toString()).toContain('libraries of NVIDIA: licence LicenseRef-NVIDIA-CUDA')
  expect(installed.exitCode).toBe(0)
  expect(readdirSync(join(folder, 'box/nvidia/lib')).sort()).toEqual(expect.arrayContaining(names))
  for (const name of names)
    expect(readFileSync(join(folder, 'box/nvidia/lib', name)).equals(readFileSync(join(folder, 'cuda', name)))).toBe(
      true,
    )
  expect(readdirSync(join(folder, 'box/nvidia/loader'))).toEqual(expect.arrayContaining(names))
})

test('libraries that are in place stay, and a bundle may build on one that brought them', async () => {
  expect((await run([...installWords(await makeBundle()), ...accepted], 'box')).code).toBe(0)
  const inodes = () => names.map((name) => statSync(join(folder, 'box/nvidia/lib', name)).ino)
  const before = inodes()
  const base = join(stick(), 'inferd-bundle/manifest.json')
  const later = join(folder, 'later')
  mkdirSync(later)
  const made = await run(['bundle', 'create', '--gpu', '--base', base, '--to', later, '--json'], 'maker')
  const words = ['bundle', 'install', later, '--unsigned', JSON.parse(made.out).manifestSha256, ...accepted]
  expect(await run(words, 'box')).toMatchObject({ code: 0, error: expect.not.stringContaining('leaves out') })
  expect(inodes()).toEqual(before)
  const bare = await run(words, 'bare')
  expect(bare.code).toBe(1)
  expect(bare.error).toContain('the bundle leaves out libc')
  expect(existsSync(join(folder, 'bare/nvidia'))).toBe(false)
})

test('what libnvrtc opens from beside it is carried too', async () => {
  for (const soname of ['libnvrtc.so.13', 'libnvrtc-builtins.so.13.0'])
    writeFileSync(join(folder, 'cuda', soname), elfLibrary({ soname }))
  expect((await run(['gpu', 'import', join(folder, 'cuda')], 'maker')).code).toBe(0)
  expect((await run([...installWords(await makeBundle()), ...accepted], 'box')).code).toBe(0)
  expect(readdirSync(join(folder, 'box/nvidia/loader'))).toContain('libnvrtc-builtins.so.13.0')
})

test('the libraries count in the room that a bundle needs', async () => {
  await makeBundle()
  const path = join(stick(), 'inferd-bundle/manifest.json')
  const manifest = parseBundleManifest(readFileSync(path, 'utf8'))
  const bytes = 2 ** 50
  const [first, ...rest] = manifest.libraries ?? []
  if (first === undefined) throw new Error('there are no libraries')
  expect(planLibraries(join(folder, 'none'), { ...manifest, libraries: [{ ...first, bytes }, ...rest] })).toEqual({
    joinBytes: bytes + rest.reduce((sum, library) => sum + library.bytes, 0),
    largestBytes: bytes,
  })
  expect(planLibraries(join(folder, 'maker/nvidia/lib'), { ...manifest, libraries: [first] }).joinBytes).toBe(0)
})

test('a file that is no library of its name is not put in place', async () => {
  await makeBundle()
  const path = join(stick(), 'inferd-bundle/manifest.json')
  const manifest = parseBundleManifest(readFileSync(path, 'utf8'))
  const [first, second, ...rest] = manifest.libraries ?? []
  if (first === undefined || second === undefined) throw new Error('there are no libraries')
  const swapped = {
    ...manifest,
    libraries: [{ ...second, name: first.name }, { ...first, name: second.name }, ...rest],
  }
  const text = formatBundleManifest(swapped)
  writeFileSync(path, text)
  const { code, error } = await run([...installWords(sha256Of(Buffer.from(text))), ...accepted], 'box')
  expect(code).toBe(1)
  expect(error).toContain("is no library of NVIDIA's for this machine")
  expect(readdirSync(join(folder, 'box/nvidia/lib')).filter((name) => names.includes(name))).toEqual([])
})

test('a manifest that names another library, or leads out of the folder, is refused', async () => {
  await makeBundle()
  const path = join(stick(), 'inferd-bundle/manifest.json')
  const manifest = parseBundleManifest(readFileSync(path, 'utf8'))
  for (const name of ['libc.so.6', '../libcudart.so.13', 'libcudart.so']) {
    const libraries = (manifest.libraries ?? []).map((library, index) => (index === 0 ? { ...library, name } : library))
    const text = formatBundleManifest({ ...manifest, libraries })
    writeFileSync(path, text)
    const { code } = await run([...installWords(sha256Of(Buffer.from(text))), ...accepted], 'box')
    expect(code).toBe(1)
    expect(existsSync(join(folder, 'box/nvidia'))).toBe(false)
  }
})

test('a bundle with cuDNN names its licence too, and it must be accepted', async () => {
  writeFileSync(join(folder, 'cuda/libcudnn.so.9'), elfLibrary({ soname: 'libcudnn.so.9' }))
  expect((await run(['gpu', 'import', join(folder, 'cuda')], 'maker')).code).toBe(0)
  const sum = await makeBundle()
  const refused = await run([...installWords(sum), ...accepted], 'box')
  expect(refused).toMatchObject({ code: 1, error: expect.stringContaining('--accept-license LicenseRef-NVIDIA-cuDNN') })
  expect(existsSync(join(folder, 'box/nvidia'))).toBe(false)
  const both = [...accepted, '--accept-license', 'LicenseRef-NVIDIA-cuDNN']
  expect((await run([...installWords(sum), ...both], 'box')).code).toBe(0)
  const text = readFileSync(join(stick(), 'inferd-bundle/licenses/nvidia-cudnn.txt'), 'utf8')
  expect(text).toContain('https://docs.nvidia.com/deeplearning/cudnn/')
})
