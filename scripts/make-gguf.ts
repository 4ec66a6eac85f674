/**
 * Writes a random-weight GGUF model, the same bytes for the same seed:
 *
 *   bun scripts/make-gguf.ts --preset bench|tiny --output FILE [--seed N] [--vocab FILE]
 *
 * `bench` is a model of about 0.5 B parameters with a real tokenizer (525 MB), `tiny` the fixture of the tests.
 */
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { type ModelPlan, writeModel } from '../src/testing/gguf/model-file.ts'
import { tinyPlan } from '../src/testing/gguf/tiny-gguf.ts'
import { benchPlan } from './bench/chat/bench-plan.ts'
import { bundledVocabulary } from './bench/chat/bundled-vocabulary.ts'

const usage = 'usage: bun scripts/make-gguf.ts --preset bench|tiny --output FILE [--seed N] [--vocab FILE]'

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
  readonly preset: 'bench' | 'tiny'
  readonly output: string
  readonly seed: number
  readonly vocabulary: string | undefined
}

function readOptions(args: readonly string[]): Options | undefined {
  const string = { type: 'string' } as const
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { preset: string, output: string, seed: string, vocab: string },
    })
    const seed = Number(values.seed ?? 1)
    const { preset, output } = values
    if ((preset !== 'bench' && preset !== 'tiny') || output === undefined || !Number.isSafeInteger(seed))
      return undefined
    return { preset, output, seed, vocabulary: values.vocab }
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return undefined
  }
}

async function makePlan({ preset, seed, vocabulary }: Options): Promise<ModelPlan> {
  if (preset === 'tiny') return tinyPlan({ seed })
  return benchPlan(vocabulary ?? (await bundledVocabulary(join(import.meta.dir, '..'))), seed)
}

process.exit(
  await main(process.argv.slice(2)).catch((error: unknown) => {
    console.error(`make-gguf: ${error instanceof Error ? error.message : error}`)
    return 1
  }),
)
