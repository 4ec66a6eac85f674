/** Program that samples with the addon's code and with llama.cpp's, without a model. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { buildSources } from '../../build-native.ts'
import { llamaLibraries } from '../../native/llama-libraries.ts'
import { unpackLlamaSource } from '../../native/llama-source.ts'
import { run } from '../../native/tools.ts'

const root = join(import.meta.dir, '..', '..', '..')
const sources = ['logit-blocks', 'logit-row', 'find-cut', 'token-chooser', 'logit-adjustments']

export interface SamplingSettings {
  readonly vocabulary: number
  /** Standard deviation of the logits, before some are raised. */
  readonly spread: number
  /** Height added to the highest logits. */
  readonly peak: number
  /** Distance between neighbouring logits. 0 for any. */
  readonly grid: number
  readonly temperature: number
  readonly topP: number
  readonly topK: number
  readonly minP: number
  readonly repeatPenalty: number
  readonly presencePenalty: number
  readonly frequencyPenalty: number
  readonly biasedTokens: number
  /** Number of neighbouring tokens that are not banned. 0 for all. */
  readonly leftTokens: number
}

/** Logits like a trained model's, without any filter or penalty. */
export const plainSettings: SamplingSettings = {
  vocabulary: 1500,
  spread: 2,
  peak: 18,
  grid: 0,
  temperature: 1,
  topP: 1,
  topK: 0,
  minP: 0,
  repeatPenalty: 1,
  presencePenalty: 0,
  frequencyPenalty: 0,
  biasedTokens: 0,
  leftTokens: 0,
}

export interface Chances {
  readonly chiSquare: number
  readonly degreesOfFreedom: number
  /** Tokens that llama.cpp may choose. */
  readonly kept: number
  /** Different tokens that were drawn. */
  readonly drawn: number
  /** Draws of tokens that llama.cpp would not choose. */
  readonly neverDraws: number
  readonly isGreedySame: boolean
}

export interface SamplingTimes {
  readonly inferdMs: number
  readonly llamaMs: number
}

export class SamplingProgram {
  readonly #program: string

  private constructor(program: string) {
    this.#program = program
  }

  /** Compiles it into a folder. Takes some seconds. */
  static async compile(folder: string): Promise<SamplingProgram> {
    mkdirSync(folder, { recursive: true })
    const nodeModules = join(root, 'node_modules')
    const { folder: libraries, linked } = llamaLibraries(nodeModules)
    const source = await unpackLlamaSource(join(nodeModules, 'node-llama-cpp'), join(root, 'build'))
    const includes = ['include', 'ggml/include'].map((path) => `-isystem${join(source.folder, path)}`)
    const program = join(folder, 'sample')
    await run(
      [
        ...['g++', '-std=c++17', '-O2', ...includes, `-I${join(root, 'native')}`, join(import.meta.dir, 'sample.cpp')],
        ...[
          ...(await buildSources(sources)),
          `-L${libraries}`,
          `-Wl,-rpath,${libraries}`,
          ...linked.map((name) => `-l:${name}`),
        ],
        ...['-o', program],
      ],
      folder,
    )
    return new SamplingProgram(program)
  }

  /** Draws this often from the same logits. */
  async chances(settings: SamplingSettings, draws: number): Promise<Chances> {
    return JSON.parse(await this.#run('chances', settings, draws))
  }

  /** Returns the mean time of one choice. */
  async times(settings: SamplingSettings): Promise<SamplingTimes> {
    return JSON.parse(await this.#run('time', settings, 0))
  }

  #run(command: string, settings: SamplingSettings, draws: number): Promise<string> {
    // In the order of `plainSettings`.
    const numbers = Object.values({ ...plainSettings, ...settings }).map(String)
    return run([this.#program, command, ...numbers, String(draws)], root)
  }
}

/**
 * Returns by how many standard deviations a chi-square exceeds its expectation: Wilson and Hilferty's approximation.
 */
export function deviations({ chiSquare, degreesOfFreedom }: Chances): number {
  if (degreesOfFreedom === 0) return 0
  const spread = 2 / (9 * degreesOfFreedom)
  return (Math.cbrt(chiSquare / degreesOfFreedom) - (1 - spread)) / Math.sqrt(spread)
}
