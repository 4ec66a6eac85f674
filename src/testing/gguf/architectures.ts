/** Architectures of generated models, by llama.cpp's names: header keys and tensors of a layer. */
import { experts, type LayerPart, matrix, norm, plain } from './layer-parts.ts'

/** Sizes of a model. Each architecture uses those that apply to it. */
export interface ModelShape {
  readonly name: string
  readonly layers: number
  readonly width: number
  readonly feedForward: number
  readonly heads: number
  readonly keyValueHeads: number
  readonly headWidth: number
  readonly contextTokens: number
  /** Tokens that layers with a sliding window attend to. */
  readonly windowTokens: number
  readonly experts: number
  readonly expertsUsed: number
  readonly expertFeedForward: number
  /**
   * Multi-head latent attention: width of the cached vector, rank of the queries, width of the part that encodes
   * positions.
   */
  readonly latentWidth: number
  readonly queryRank: number
  readonly ropeWidth: number
  /** Recurrent layers: width of a state, number of its heads and of its groups. */
  readonly stateWidth: number
  readonly stateHeads: number
  readonly stateGroups: number
  /** Blocks behind the layers that propose tokens (multi-token prediction). Absent means none. */
  readonly draftHeads?: number
}

export interface ArchitectureRow {
  /** Returns whole numbers of the header in addition to the common ones, keyed without the architecture's name. */
  readonly keys: (shape: ModelShape) => Readonly<Record<string, number | readonly number[]>>
  readonly layer: (shape: ModelShape, index: number) => readonly LayerPart[]
  /** True if the output has its own matrix instead of the embeddings'. */
  readonly hasOutput?: boolean
  /** True if the output adds a bias to each token. */
  readonly hasOutputBias?: boolean
}

const convolution = 4

/** Interval of full attention layers in a hybrid model. The others are recurrent. */
const fullAttentionEvery = 4
/** Index of the layer whose form all draft heads have. */
export const draftHeadLayer = fullAttentionEvery - 1

export const architectures = {
  qwen2: {
    keys: () => ({}),
    layer: ({ headWidth: _, ...rest }) => {
      const shape = { ...rest, headWidth: rest.width / rest.heads }
      return [...attention(shape), ...attentionBiases(shape), norm('ffn_norm', shape.width), ...dense(shape)]
    },
    hasOutputBias: true,
  },
  qwen3: {
    keys: headWidths,
    layer: (shape) => [...attention(shape), ...headNorms(shape), norm('ffn_norm', shape.width), ...dense(shape)],
  },
  /** Five of six layers have a sliding window. */
  gemma3: {
    keys: (shape) => ({ ...headWidths(shape), 'attention.sliding_window': shape.windowTokens }),
    layer: (shape) => [
      ...attention(shape),
      ...headNorms(shape),
      norm('post_attention_norm', shape.width),
      norm('ffn_norm', shape.width),
      ...dense(shape),
      norm('post_ffw_norm', shape.width),
    ],
  },
  /** Experts, and a sliding window in every second layer. */
  'gpt-oss': {
    keys: (shape) => ({
      ...headWidths(shape),
      ...expertKeys(shape),
      'attention.sliding_window': shape.windowTokens,
    }),
    layer: (shape) => [
      ...attention(shape),
      ...attentionBiases(shape),
      plain('attn_output.bias', [shape.width], 0),
      plain('attn_sinks.weight', [shape.heads], 0),
      norm('post_attention_norm', shape.width),
      ...experts(shape),
      plain('ffn_gate_inp.bias', [shape.experts], 0),
      plain('ffn_gate_exps.bias', [shape.expertFeedForward, shape.experts], 0),
      plain('ffn_up_exps.bias', [shape.expertFeedForward, shape.experts], 0),
      plain('ffn_down_exps.bias', [shape.width, shape.experts], 0),
    ],
    hasOutput: true,
  },
  qwen3moe: {
    keys: (shape) => ({ ...headWidths(shape), ...expertKeys(shape) }),
    layer: (shape) => [...attention(shape), ...headNorms(shape), norm('ffn_norm', shape.width), ...experts(shape)],
  },
  /** Latent attention; the first layer is dense, the others have experts. */
  deepseek2: {
    keys: (shape) => ({
      ...expertKeys(shape),
      leading_dense_block_count: 1,
      expert_shared_count: 1,
      'attention.head_count_kv': 1,
      'attention.q_lora_rank': shape.queryRank,
      'attention.kv_lora_rank': shape.latentWidth,
      'attention.key_length': shape.latentWidth + shape.ropeWidth,
      'attention.value_length': shape.latentWidth,
      'attention.key_length_mla': shape.headWidth,
      'attention.value_length_mla': shape.headWidth,
      'rope.dimension_count': shape.ropeWidth,
    }),
    layer: (shape, index) => [
      ...latentAttention(shape),
      norm('ffn_norm', shape.width),
      ...(index === 0
        ? dense(shape)
        : [...experts(shape), ...dense({ ...shape, feedForward: shape.expertFeedForward }, '_shexp')]),
    ],
  },
  /** No attention at all. */
  mamba2: {
    keys: (shape) => ({ ...stateKeys(shape), 'attention.head_count': 0, feed_forward_length: 0 }),
    layer: (shape) => {
      const inner = innerWidth(shape)
      const convolved = inner + 2 * shape.stateGroups * shape.stateWidth
      return [
        norm('attn_norm', shape.width),
        matrix('ssm_in', shape.width, inner + convolved + shape.stateHeads),
        plain('ssm_conv1d.weight', [convolution, convolved], 0.25),
        plain('ssm_conv1d.bias', [convolved], 0),
        plain('ssm_dt.bias', [shape.stateHeads], 0),
        plain('ssm_a', [1, shape.stateHeads], -1),
        plain('ssm_d', [1, shape.stateHeads], 1),
        plain('ssm_norm.weight', [inner / shape.stateGroups, shape.stateGroups], 1),
        matrix('ssm_out', inner, shape.width),
      ]
    },
  },
  /** Hybrid: linear attention with a state, full attention in every fourth layer. */
  qwen35: {
    keys: hybridKeys,
    layer: (shape, index) => [...hybridAttention(shape, index), ...dense(shape)],
  },
  /** Hybrid, with experts. */
  qwen35moe: {
    keys: (shape) => ({
      ...hybridKeys(shape),
      ...expertKeys(shape),
      expert_shared_feed_forward_length: shape.expertFeedForward,
    }),
    layer: (shape, index) => [
      ...hybridAttention(shape, index),
      ...experts(shape),
      plain('ffn_gate_inp_shexp.weight', [shape.width], 0.01),
      ...dense({ ...shape, feedForward: shape.expertFeedForward }, '_shexp'),
    ],
  },
} as const satisfies Record<string, ArchitectureRow>

export type Architecture = keyof typeof architectures

function headWidths({ headWidth }: ModelShape) {
  return { 'attention.key_length': headWidth, 'attention.value_length': headWidth }
}

function expertKeys(shape: ModelShape) {
  return {
    expert_count: shape.experts,
    expert_used_count: shape.expertsUsed,
    expert_feed_forward_length: shape.expertFeedForward,
  }
}

function stateKeys(shape: ModelShape) {
  return {
    'ssm.conv_kernel': convolution,
    'ssm.inner_size': innerWidth(shape),
    'ssm.state_size': shape.stateWidth,
    'ssm.time_step_rank': shape.stateHeads,
    'ssm.group_count': shape.stateGroups,
  }
}

function hybridKeys(shape: ModelShape) {
  return {
    ...headWidths(shape),
    ...stateKeys(shape),
    full_attention_interval: fullAttentionEvery,
    'rope.dimension_count': shape.ropeWidth,
    'rope.dimension_sections': [11, 11, 10, 0],
  }
}

function innerWidth({ stateWidth, stateHeads }: ModelShape): number {
  return stateWidth * stateHeads
}

function attention({ width, heads, keyValueHeads, headWidth }: ModelShape): LayerPart[] {
  return [
    norm('attn_norm', width),
    matrix('attn_q', width, heads * headWidth),
    matrix('attn_k', width, keyValueHeads * headWidth),
    matrix('attn_v', width, keyValueHeads * headWidth),
    matrix('attn_output', heads * headWidth, width),
  ]
}

function attentionBiases({ heads, keyValueHeads, headWidth }: ModelShape): LayerPart[] {
  return [
    plain('attn_q.bias', [heads * headWidth], 0),
    plain('attn_k.bias', [keyValueHeads * headWidth], 0),
    plain('attn_v.bias', [keyValueHeads * headWidth], 0),
  ]
}

function headNorms({ headWidth }: ModelShape): LayerPart[] {
  return [norm('attn_q_norm', headWidth), norm('attn_k_norm', headWidth)]
}

/** The queries are twice as wide: one half of them gates the output. */
function gatedAttention(shape: ModelShape): LayerPart[] {
  const { width, heads, headWidth } = shape
  const others = attention(shape).filter(({ name }) => name !== 'attn_q.weight')
  return [...others, matrix('attn_q', width, 2 * heads * headWidth), ...headNorms(shape)]
}

function latentAttention({ width, heads, headWidth, latentWidth, queryRank, ropeWidth }: ModelShape): LayerPart[] {
  return [
    norm('attn_norm', width),
    norm('attn_q_a_norm', queryRank),
    norm('attn_kv_a_norm', latentWidth),
    matrix('attn_q_a', width, queryRank),
    matrix('attn_q_b', queryRank, heads * headWidth),
    matrix('attn_kv_a_mqa', width, latentWidth + ropeWidth),
    matrix('attn_k_b', headWidth - ropeWidth, latentWidth, heads),
    matrix('attn_v_b', latentWidth, headWidth, heads),
    matrix('attn_output', heads * headWidth, width),
  ]
}

function linearAttention(shape: ModelShape): LayerPart[] {
  const { width, stateWidth, stateHeads, stateGroups } = shape
  const values = innerWidth(shape)
  const convolved = 2 * stateGroups * stateWidth + values
  return [
    norm('attn_norm', width),
    matrix('attn_qkv', width, convolved),
    matrix('attn_gate', width, values),
    plain('ssm_conv1d.weight', [convolution, convolved], 0.25),
    plain('ssm_dt.bias', [stateHeads], 0),
    plain('ssm_a', [stateHeads], -1),
    matrix('ssm_beta', width, stateHeads),
    matrix('ssm_alpha', width, stateHeads),
    norm('ssm_norm', stateWidth),
    matrix('ssm_out', values, width),
  ]
}

function hybridAttention(shape: ModelShape, index: number): LayerPart[] {
  const isFull = (index + 1) % fullAttentionEvery === 0
  return [...(isFull ? gatedAttention(shape) : linearAttention(shape)), norm('post_attention_norm', shape.width)]
}

function dense({ width, feedForward }: ModelShape, suffix = ''): LayerPart[] {
  return [
    matrix(`ffn_gate${suffix}`, width, feedForward),
    matrix(`ffn_up${suffix}`, width, feedForward),
    matrix(`ffn_down${suffix}`, feedForward, width),
  ]
}
