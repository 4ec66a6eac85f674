/** Measures one answer with usual settings, in tokens per second, beside a crowd with others in the same steps. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { NativeAddon, NativeModel, NativeSamplerOptions } from '../../../src/engines/llama/native.ts'
import { loadOptions, onCpu } from '../../../src/engines/llama/placement.ts'
import { fileVocabulary } from '../../../src/testing/gguf/file-vocabulary.ts'
import { writeModel } from '../../../src/testing/gguf/model-file.ts'
import { tinyPlan } from '../../../src/testing/gguf/tiny-gguf.ts'
import { greedySampler } from '../../../src/testing/native-options.ts'
import { median } from '../../shared/statistics.ts'
import { bundledVocabulary } from '../chat/bundled-vocabulary.ts'

/** Default settings of a request. */
export const usual = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 }

/**
 * Runs `work` with a model that computes little, so that sampling is visible, and has a vocabulary of 151,936 tokens.
 */
export async function withWideModel<Result>(
  root: string,
  addon: NativeAddon,
  work: (model: NativeModel) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'inferd-wide-'))
  try {
    const path = join(folder, 'wide.gguf')
    await writeModel(tinyPlan({ vocabulary: await fileVocabulary(await bundledVocabulary(root)) }), path)
    const model = await addon.loadModel(loadOptions(path, onCpu))
    const result = await work(model)
    model.close()
    return result
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Returns the tokens per second of the one answer beside each crowd. The crowds take turns. */
export async function crowdFigures(
  addon: NativeAddon,
  model: NativeModel,
  crowds: readonly Partial<NativeSamplerOptions>[],
  { streams, threads, steps }: { readonly streams: number; readonly threads: number; readonly steps: number },
): Promise<readonly number[]> {
  const context = new addon.Context(model, {
    ...{ contextTokens: streams * 256, batchTokens: 512, microBatchTokens: 512, sequences: streams, threads },
    ...{ kvUnified: false, kvType: 'f16', flashAttention: 'auto' },
  })
  const samplers = crowds.map((crowd) =>
    Array.from({ length: streams }, (_, seed) => {
      const settings = seed === 0 ? usual : crowd
      return new addon.Sampler(model, { ...greedySampler, temperature: 1, ...settings, seed })
    }),
  )
  const times: number[][] = crowds.map(() => [])
  for (let step = 0; step < steps; step++) {
    for (const [crowd, timesMs] of times.entries()) {
      const startMs = performance.now()
      await context.step({
        tokens: Int32Array.from({ length: streams }, (_, stream) => 1000 + stream * 7 + step),
        positions: new Int32Array(streams),
        sequences: Int32Array.from({ length: streams }, (_, stream) => stream),
        outputs: samplers[crowd]?.map((sampler, entry) => ({ entry, sampler })) ?? [],
      })
      timesMs.push(performance.now() - startMs)
      for (let stream = 0; stream < streams; stream++) context.removeSequence(stream, 0, -1)
    }
  }
  await context.close()
  return times.map((timesMs) => 1000 / median(timesMs))
}
