import { afterAll, expect, test } from 'bun:test'
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { buildOnnx } from './build-onnx.ts'

const root = join(import.meta.dir, '..')
const packages = join(root, 'node_modules')
const folder = mkdtempSync(join(tmpdir(), 'inferd-onnx-'))
afterAll(() => rmSync(folder, { recursive: true }))

const library = 'libsherpa-onnx-c-api.so'
const sherpaPackage = `sherpa-onnx-linux-${process.arch}`
const libraries = `onnxruntime-node/bin/napi-v6/linux/${process.arch}`

test('sherpa-onnx asks for the ONNX Runtime that is there, and nothing else of its library is changed', () => {
  const output = join(folder, 'built')
  buildOnnx(packages, output)
  const before = readFileSync(join(packages, sherpaPackage, library))
  const after = readFileSync(join(output, library))
  expect(after).toHaveLength(before.length)
  const changed = [...after.keys()].filter((place) => after[place] !== before[place])
  expect(changed.length).toBeLessThanOrEqual('VERS_1.29.0'.length + 4)
  expect(wantedVersion(join(output, library))).toEqual(offeredVersion(join(output, 'libonnxruntime.so')))
})

test('another library of sherpa-onnx is refused, and what was built before stays', () => {
  const changed = copyPackages('sherpa')
  appendFileSync(join(changed, sherpaPackage, library), 'x')
  const output = join(folder, 'kept')
  buildOnnx(packages, output)
  const before = readFileSync(join(output, library))
  expect(() => buildOnnx(changed, output)).toThrow(
    /is not the library that scripts\/build-onnx.ts knows \(sha256 [0-9a-f]{64}\)/,
  )
  expect(readFileSync(join(output, library)).equals(before)).toBe(true)
})

test('an ONNX Runtime that does not offer its own version is refused', () => {
  const changed = copyPackages('runtime')
  const { version, ...rest } = JSON.parse(readFileSync(join(changed, 'onnxruntime-node/package.json'), 'utf8'))
  expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  writeFileSync(join(changed, 'onnxruntime-node/package.json'), JSON.stringify({ ...rest, version: '1.99.9' }))
  expect(() => buildOnnx(changed, join(folder, 'refused'))).toThrow('does not offer VERS_1.99.9')
})

test('where there is no sherpa-onnx for this processor, ONNX Runtime is built and the missing package is named', () => {
  const changed = copyPackages('without-sherpa')
  rmSync(join(changed, sherpaPackage), { recursive: true })
  const output = join(folder, 'without')
  expect(buildOnnx(changed, output)).toBe(
    `speech cannot run in this checkout: ${join(changed, sherpaPackage)} is not there`,
  )
  expect(readdirSync(output).sort()).toEqual(['libonnxruntime.so', 'libonnxruntime.so.1', 'onnxruntime_binding.node'])
})

/** One child process uses the checkout's copy, another the unchanged package. */
test('with one ONNX Runtime the same is transcribed and spoken as with its own', async () => {
  const [own, shared] = await Promise.all([
    transcribeAndSpeak(join(packages, sherpaPackage)),
    transcribeAndSpeak(join(root, 'build/onnx')),
  ])
  expect(shared.text.length).toBeGreaterThan(20)
  expect(shared.text).toBe(own.text)
  expect(shared.samples).toHaveLength(own.samples.length)
  const difference = Math.max(...own.samples.map((sample, at) => Math.abs(sample - (shared.samples[at] ?? 1))))
  expect(difference).toBeLessThan(0.001)
})

function copyPackages(name: string): string {
  const copy = join(folder, name)
  for (const file of [
    `${sherpaPackage}/${library}`,
    `${sherpaPackage}/sherpa-onnx.node`,
    'onnxruntime-node/package.json',
  ]) {
    mkdirSync(dirname(join(copy, file)), { recursive: true })
    copyFileSync(join(packages, file), join(copy, file))
  }
  cpSync(join(packages, libraries), join(copy, libraries), { recursive: true })
  return copy
}

function wantedVersion(path: string): string | undefined {
  return /libonnxruntime\.so[\s\S]*?Name: (VERS_\S+)/.exec(readelf(path))?.[1]
}

function offeredVersion(path: string): string | undefined {
  return /Name: (VERS_\S+)/.exec(readelf(path))?.[1]
}

/** binutils are installed together with g++. */
function readelf(path: string): string {
  return Bun.spawnSync(['readelf', '--wide', '--version-info', path]).stdout.toString()
}

const program = `
  const [addon, starter, wav] = process.argv.slice(1)
  const module = { exports: {} }
  process.dlopen(module, addon)
  const sherpa = module.exports
  const numThreads = 1
  const recognizer = await sherpa.createOfflineRecognizerAsync({
    featConfig: { sampleRate: 16000, featureDim: 80 },
    modelConfig: { zipformerCtc: { model: starter + '-stt.onnx' }, tokens: starter + '-stt-tokens.txt', numThreads, provider: 'cpu' },
  })
  const bytes = (await Bun.file(wav).bytes()).slice(44)
  const samples = Float32Array.from(new Int16Array(bytes.buffer), (value) => value / 32768)
  const stream = sherpa.createOfflineStream(recognizer)
  globalThis.held = [recognizer, stream] // the addon frees in the middle of its work what nobody holds
  sherpa.acceptWaveformOffline(stream, { samples, sampleRate: 16000 })
  const { text } = JSON.parse(await sherpa.decodeOfflineStreamAsync(recognizer, stream))
  const speaker = await sherpa.createOfflineTtsAsync({
    model: { vits: { model: starter + '-tts.onnx', tokens: starter + '-tts-tokens.txt' }, numThreads, provider: 'cpu' },
    maxNumSentences: 1,
    silenceScale: 1,
  })
  globalThis.held.push(speaker)
  const spoken = await sherpa.offlineTtsGenerateAsyncWithConfig(speaker, {
    text: 'the train leaves at noon.',
    enableExternalBuffer: false,
    generationConfig: { sid: 0, speed: 1, silenceScale: 1, extra: {} },
    callback: () => 1,
  })
  console.log(JSON.stringify({ text, samples: [...spoken.samples] }))
`

async function transcribeAndSpeak(libraries: string): Promise<{ text: string; samples: number[] }> {
  const starter = join(root, 'models/starter/starter')
  const wav = join(root, 'src/engines/speech/fixtures/two-sentences.wav')
  const child = Bun.spawn([process.execPath, '-e', program, join(libraries, 'sherpa-onnx.node'), starter, wav], {
    stdout: 'pipe',
  })
  return JSON.parse(await child.stdout.text())
}
