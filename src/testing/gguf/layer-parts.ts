/** Tensors of a layer, named within the layer. */
import type { TensorPlan } from './tensor.ts'

export type LayerPart = TensorPlan

/** Standard deviation of the weights, which keeps the logits of a random model within a few units. */
const weightDeviation = 0.02

/** Random weights. */
export function matrix(name: string, ...dimensions: readonly number[]): LayerPart {
  return { name: `${name}.weight`, dimensions, type: 'q8_0', fill: { kind: 'random', deviation: weightDeviation } }
}

export function norm(name: string, width: number): LayerPart {
  return plain(`${name}.weight`, [width], 1)
}

/** Returns a tensor with the same number everywhere. `name` is the whole name. */
export function plain(name: string, dimensions: readonly number[], value: number): LayerPart {
  return { name, dimensions, type: 'f32', fill: { kind: 'constant', value } }
}

export function experts(shape: {
  readonly width: number
  readonly experts: number
  readonly expertFeedForward: number
}): LayerPart[] {
  const { width, experts: count, expertFeedForward } = shape
  return [
    matrix('ffn_gate_inp', width, count),
    matrix('ffn_gate_exps', width, expertFeedForward, count),
    matrix('ffn_up_exps', width, expertFeedForward, count),
    matrix('ffn_down_exps', expertFeedForward, width, count),
  ]
}

/**
 * Returns a draft head's tensors beside those of a layer. Its input is the next token's embedding and the state before
 * it.
 */
export function draftHeadParts(width: number): LayerPart[] {
  return [matrix('nextn.eh_proj', 2 * width, width), norm('nextn.enorm', width), norm('nextn.hnorm', width)]
}
