/**
 * Packs everything that shows on a machine with a card and without network that inferd works there, and how fast: `bun
 * scripts/gpu/pack-kit.ts [--arch 90] [--executable FILE] [--llama-server FILE] [--output FOLDER]`.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { bundledVocabulary } from '../bench/chat/bundled-vocabulary.ts'
import { installBackendPackages } from '../build/install-packages.ts'
import { buildFolder, libraryName, shippedLibraries } from '../cuda/places.ts'
import { cudaProviderFiles, fetchCudaProvider } from '../native/cuda-provider.ts'
import { run } from '../native/tools.ts'
import { readFlags, runScript } from '../shared/command-line.ts'
import { buildBatchedBench } from './batched-bench.ts'
import { keepArchitectures } from './keep-architectures.ts'
import { writeParts } from './write-parts.ts'

const usage = `usage: bun scripts/gpu/pack-kit.ts [--arch 90] [--executable FILE] [--llama-server FILE] [--output build/gpu-kit]
  --arch          compute capability of the card without the dot; code for other cards is left out
  --executable    one that is there, instead of building it
  --llama-server  built by scripts/bench/build-llama-server.sh for CUDA, to compare with`

const root = join(import.meta.dir, '..', '..')
const partLimitBytes = 60_000_000

async function main(): Promise<number> {
  const given = readFlags({ arch: '90', executable: '', llamaServer: '', output: join('build', 'gpu-kit') })
  const output = resolve(root, given.output)
  const work = mkdtempSync(join(tmpdir(), 'inferd-gpu-kit-'))
  try {
    await installBackendPackages(root, ['cuda'])
    const kit = join(work, 'inferd-gpu-kit')
    mkdirSync(join(kit, 'assets'), { recursive: true })
    const executable = given.executable === '' ? await buildExecutable(given.arch, work) : resolve(given.executable)
    copyProgram(executable, join(kit, 'inferd-cuda'))
    if (given.llamaServer !== '') copyProgram(resolve(given.llamaServer), join(kit, 'llama-server'))
    await buildBatchedBench(root, work, join(kit, 'llama-batched-bench'))
    copyFileSync(await bundledVocabulary(root), join(kit, 'assets', 'vocabulary.gguf'))
    copyFileSync(join(root, 'src/testing/picture-fixtures/lossless.webp'), join(kit, 'assets', 'picture.webp'))
    await bundleScript(join(kit, 'kit.js'))
    // The executable can run as Bun, so the machine needs nothing else.
    await writeProgram(join(kit, 'run.sh'), 'cd "$(dirname "$0")" && BUN_BE_BUN=1 exec ./inferd-cuda kit.js "$@"')

    mkdirSync(output, { recursive: true })
    for (const name of readdirSync(output).filter((each) => each.startsWith('kit.'))) rmSync(join(output, name))
    const sizes = await writeParts(work, basename(kit), { folder: output, partLimitBytes })
    await writeProgram(
      join(output, 'unpack-and-run.sh'),
      'cd "$(dirname "$0")" && cat kit.tar.xz.* | xz -dc -T0 | tar -x && exec ./inferd-gpu-kit/run.sh "$@"',
    )
    console.log(`${output}: ${sizes.length} parts, ${(sizes.reduce((sum, size) => sum + size, 0) / 1e6).toFixed(0)} MB`)
    console.log('on the machine, with all of them in one folder: ./unpack-and-run.sh')
    return 0
  } finally {
    rmSync(work, { recursive: true })
  }
}

/** Builds the executable with code for only one card. */
async function buildExecutable(arch: string, work: string): Promise<string> {
  const { release } = await Bun.file(join(root, 'node_modules/node-llama-cpp/llama/binariesGithubRelease.json')).json()
  const built = join(buildFolder(root, release, [arch]), libraryName)
  const sources = [
    existsSync(built) ? built : join(shippedLibraries(root), libraryName),
    ...(await providerLibraries()),
  ]
  const replaced = sources.map((source) => {
    const target = join(work, basename(source))
    const blankBytes = keepArchitectures(source, target, [arch, `${arch}a`])
    console.error(`pack-kit: ${basename(source)}: ${(blankBytes / 1e6).toFixed(0)} MB of code for other cards left out`)
    return target
  })
  const executable = join(work, 'inferd-cuda')
  const more = replaced.flatMap((file) => ['--replace', file])
  await run([process.execPath, 'scripts/build.ts', '--cuda', ...more, '--output', executable], root)
  for (const file of replaced) rmSync(file)
  return executable
}

/** Returns ONNX Runtime's provider, which has code for all cards too. */
async function providerLibraries(): Promise<string[]> {
  await fetchCudaProvider(root)
  return Object.entries(cudaProviderFiles(root)).flatMap(([name, file]) => (name.includes('_cuda') ? [file] : []))
}

async function bundleScript(target: string): Promise<void> {
  const built = await Bun.build({ entrypoints: [join(import.meta.dir, 'run-kit.ts')], target: 'bun' })
  const [script] = built.outputs
  if (script === undefined) throw new Error('the script was not bundled')
  await Bun.write(target, script)
}

function copyProgram(source: string, target: string): void {
  if (!statSync(source).isFile()) throw new Error(`${source} is no file`)
  copyFileSync(source, target)
  chmodSync(target, 0o755)
}

async function writeProgram(path: string, line: string): Promise<void> {
  await Bun.write(path, `#!/bin/sh\nset -e\n${line}\n`)
  chmodSync(path, 0o755)
}

runScript(usage, main)
