/**
 * Writes `src/testing/vision-truth.json`: the likeliest tokens after prompts with pictures, by llama.cpp's own helper,
 * for each tiny model that sees. `native-projector.test.ts` compares the addon with them. Run it again when the models
 * or llama.cpp change:
 *
 *   bun scripts/vision-truth.ts
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeModel } from '../src/testing/gguf/model-file.ts'
import { type ProjectorKind, projectorKinds } from '../src/testing/gguf/projector-kinds.ts'
import { visionModel } from '../src/testing/gguf/vision-models.ts'
import { toPng } from '../src/testing/pictures.ts'
import { askedPictures, promptTexts } from '../src/testing/vision-questions.ts'
import { buildVision } from './build-native.ts'
import { llamaLibraries } from './native/llama-libraries.ts'
import { unpackLlamaSource } from './native/llama-source.ts'
import { run } from './native/tools.ts'

const root = join(import.meta.dir, '..')
const nodeModules = join(root, 'node_modules')
const folder = mkdtempSync(join(tmpdir(), 'inferd-vision-truth-'))

/** Compiles the program. Returns it and the folder of the shipped libraries. */
async function compile(): Promise<{ program: string; libraries: string }> {
  const { folder: libraries, linked } = llamaLibraries(nodeModules)
  const source = await unpackLlamaSource(join(nodeModules, 'node-llama-cpp'), join(root, 'build'))
  const program = join(folder, 'show-pictures')
  const includes = ['include', 'ggml/include', 'tools/mtmd'].map((path) => `-I${join(source.folder, path)}`)
  await run(
    [
      ...['g++', '-std=c++17', '-O2', ...includes, join(import.meta.dir, 'vision-truth', 'show-pictures.cpp')],
      ...(await buildVision()),
      ...[`-L${libraries}`, `-Wl,-rpath,${libraries}`, ...linked.map((name) => `-l:${name}`)],
      ...['-o', program],
    ],
    folder,
  )
  return { program, libraries }
}

async function truthOf(kind: ProjectorKind, program: string, libraries: string, pictures: readonly string[]) {
  const plans = visionModel(kind)
  const [model, projector] = [join(folder, 'model.gguf'), join(folder, 'projector.gguf')]
  await writeModel(plans.model, model)
  await writeModel(plans.projector, projector)
  const prompt = promptTexts.join('<__media__>')
  const printed = await run([program, libraries, model, projector, prompt, ...pictures], folder)
  const lines = printed.trim().split('\n')
  return lines.map((line) => {
    const [token, logprob] = line.split(' ').map(Number)
    return { token, logprob }
  })
}

try {
  const { program, libraries } = await compile()
  const pictures = askedPictures.map((pixels, index) => {
    const path = join(folder, `${index}.png`)
    writeFileSync(path, toPng(pixels))
    return path
  })
  const truth: Record<string, unknown> = {}
  for (const kind of Object.keys(projectorKinds) as ProjectorKind[]) {
    truth[kind] = await truthOf(kind, program, libraries, pictures)
  }
  writeFileSync(join(root, 'src', 'testing', 'vision-truth.json'), `${JSON.stringify(truth, undefined, 2)}\n`)
} finally {
  rmSync(folder, { recursive: true })
}
