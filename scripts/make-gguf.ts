/**
 * Writes a random-weight GGUF model, the same bytes for the same seed:
 *
 *   bun scripts/make-gguf.ts --preset bench|tiny --output FILE [--seed N] [--vocab FILE]
 *   bun scripts/make-gguf.ts --shape ARCHITECTURE --size-mb N --output FILE [--seed N]
 *
 * `bench` is a model of about 0.5 B parameters with a real tokenizer (525 MB), `tiny` the fixture of the tests. A shape is one
 * of llama.cpp's architectures in `src/testing/gguf/architectures.ts`.
 */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Architecture, architectures } from '../src/testing/gguf/architectures.ts'
import { type ModelPlan, writeModel } from '../src/testing/gguf/model-file.ts'
import { modelOfShape, sizedShape } from '../src/testing/gguf/sized-shape.ts'
import { tinyPlan } from '../src/testing/gguf/tiny-gguf.ts'
import { benchPlan } from './bench/chat/bench-plan.ts'
import { bundledVocabulary } from './bench/chat/bundled-vocabulary.ts'

const architectureNames = Object.keys(architectures) as readonly Architecture[]
const usage = `usage: bun scripts/make-gguf.ts --output FILE [--seed N]
         --preset bench|tiny [--vocab FILE]
       | --shape ${architectureNames.join('|')} --size-mb N`

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (options === undefined) {
    console.error(usage)
    return 2
  }
  await mkdir(dirname(options.output), { recursive: true })
  await writeModel(await makePlan(options), options.output)
  console.log(`${options.output}: ${Bun.file(options.output).size} bytes`)
  return 0
}

interface Options {
  readonly output: string
  readonly seed: number
  readonly model:
    | { readonly preset: 'tiny' }
    | { readonly preset: 'bench'; readonly vocabulary: string | undefined }
    | { readonly architecture: Architecture; readonly megabytes: number }
}

function readOptions(args: readonly string[]): Options | undefined {
  const string = { type: 'string' } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { preset: string, shape: string, 'size-mb': string, output: string, seed: string, vocab: string },
    })
    const { output } = values
    const seed = Number(values.seed ?? 1)
    const model = readModel({ ...values, megabytes: Number(values['size-mb']) })
    return output === undefined || model === undefined || !Number.isSafeInteger(seed)
      ? undefined
      : { output, seed, model }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return undefined
  }
}

function readModel(values: {
  readonly preset?: string | undefined
  readonly shape?: string | undefined
  readonly vocab?: string | undefined
  readonly megabytes: number
}): Options['model'] | undefined {
  const { preset, shape, vocab: vocabulary, megabytes } = values
  if (preset === 'tiny') return { preset }
  if (preset === 'bench') return { preset, vocabulary }
  const architecture = architectureNames.find((name) => name === shape)
  return architecture === undefined || !(megabytes > 0) ? undefined : { architecture, megabytes }
}

async function makePlan({ seed, model }: Options): Promise<ModelPlan> {
  if ('architecture' in model) {
    const { architecture, megabytes } = model
    return modelOfShape(architecture, sizedShape(architecture, `${architecture}-${megabytes}mb`, megabytes * 1e6), {
      seed,
    })
  }
  if (model.preset === 'tiny') return tinyPlan({ seed })
  return benchPlan(model.vocabulary ?? (await bundledVocabulary(join(import.meta.dir, '..'))), seed)
}

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(`make-gguf: ${error instanceof Error ? error.message : error}`)
    return 1
  }),
)
